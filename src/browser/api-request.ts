import { createConnection } from '@public-api/client-internal/connection'

/** Longer than the timeouts of the service and of a challenge provider together. */
const timeoutMs = 30_000

/** The service: of a static copy, that of its notice. */
const origin = document.getElementById('copy')?.dataset['origin'] ?? location.origin
const connection = createConnection(origin, (url, init) => fetch(url, init), { timeoutMs })

/** Requests a target of this origin, with POST if there is a body. Rejects with a ConnectionError. */
export function request(
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
) {
  return connection.send(target, headers, undefined, body === undefined ? 'GET' : 'POST', body)
}
