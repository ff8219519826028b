import type { HeaderSource } from './header-fields.ts'
import { targetOf, type Answer } from './verify-response.ts'

/** What the client needs of a response of fetch. */
export interface FetchedResponse {
  readonly status: number
  readonly headers: HeaderSource
  arrayBuffer(): Promise<ArrayBuffer>
}

/** The part of fetch that the client uses; the fetch of a browser and of Node fits. */
export type Fetch = (
  url: string,
  init: {
    readonly method: 'GET'
    readonly headers: Record<string, string>
    readonly cache: 'no-store'
    readonly credentials: 'omit'
    readonly redirect: 'error'
    readonly signal: AbortSignal | null
  },
) => Promise<FetchedResponse>

/** The service was not reached, or the answer broke off. `cause` is what fetch threw. */
export class ConnectionError extends Error {
  constructor(url: string, cause: unknown) {
    super(`${url} could not be fetched`, { cause })
    this.name = 'ConnectionError'
  }
}

/** Sends GET requests to one origin. */
export interface Connection {
  /** The answer as it came; nothing of it is checked. Throws a ConnectionError, or the signal's reason. */
  get(
    target: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<Answer>
}

/** The origin of a base URL. Throws a TypeError for anything but http(s), a host and perhaps a port. */
function originOf(baseUrl: string | URL): string {
  const { origin, href, protocol } = new URL(baseUrl)
  if (!/^https?:$/.test(protocol) || href !== `${origin}/`) {
    // What was found is not repeated: there may be a password in it.
    throw new TypeError('baseUrl: expected an origin such as https://api.example.org')
  }
  return origin
}

/** Makes a connection. */
export function createConnection(baseUrl: string | URL, fetch: Fetch): Connection {
  const origin = originOf(baseUrl)
  return {
    async get(target, headers, signal) {
      const url = origin + target
      // What is signed is what was sent; an address that fetch would rewrite could not be verified.
      if (targetOf(url) !== target) {
        throw new TypeError(`${target}: expected a path that stands as it is in a URL`)
      }
      try {
        const response = await fetch(url, {
          method: 'GET',
          headers: { ...headers },
          // Verified answers are kept here, so a second copy in the browser's cache would serve nobody; and the Fetch
          // standard passes that cache over anyhow once a request has If-None-Match.
          cache: 'no-store',
          credentials: 'omit',
          // Another address has another signed target, and must not learn the API key.
          redirect: 'error',
          signal: signal ?? null,
        })
        const body = new Uint8Array(await response.arrayBuffer())
        const { status, headers: answered } = response
        return { method: 'GET', target, status, headers: answered, body }
      } catch (error) {
        signal?.throwIfAborted()
        throw new ConnectionError(url, error)
      }
    },
  }
}
