import { createConnection } from '@public-api/client-internal/connection'

/** Longer than the timeouts of the service and of a challenge provider together. */
const timeoutMs = 30_000

/** The service: of a static copy, that of its notice. */
const origin = document.getElementById('copy')?.dataset['origin'] ?? location.origin

/**
 * Requests a target of this origin, with POST if there is a body. Rejects with a ConnectionError. With an `integrity`, some
 * browsers verify the response before this program gets it.
 */
export function request(
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
  integrity = '',
) {
  const send = (url: string, init: RequestInit) => fetch(url, { ...init, integrity })
  const connection = createConnection(origin, send, { timeoutMs })
  return connection.send(target, headers, undefined, body === undefined ? 'GET' : 'POST', body)
}
