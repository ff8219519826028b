import { createConnection } from '../../packages/client/src/connection.ts'
import type { HttpResponse } from '../../packages/client/src/verify-response.ts'
import { CLIENT_HEADERS } from '../contract/client-headers.ts'

const TIMEOUT_MS = 20_000

const connection = createConnection(location.origin, (url, init) => fetch(url, init))

/** Requests a target of this origin, with an API key if one is given. */
export function request(target: string, key = ''): Promise<HttpResponse> {
  const headers: Record<string, string> =
    key === '' ? {} : { [CLIENT_HEADERS.authorization]: `Bearer ${key}` }
  return connection.send(target, headers, AbortSignal.timeout(TIMEOUT_MS))
}
