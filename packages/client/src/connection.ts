import { CLIENT_HEADERS } from '#contract/terms/client-headers'
import { readHeaders, type HeaderSource } from './header-fields.ts'
import { claimsSignature, type HttpResponse } from './http-response.ts'
import { orAborted } from './retries.ts'
import { targetOf } from './verify-response.ts'

/** The members of a fetch response that the client uses. */
export interface FetchedResponse {
  /** HTTP status. */
  readonly status: number
  /** Header fields. */
  readonly headers: HeaderSource
  /** Read until it ends or exceeds the limit; null for a response without a body. */
  readonly body: ReadableStream<Uint8Array> | null
}

/** The part of fetch that the client uses, satisfied by browsers and Node. Aborting `signal` ends the request. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Record<string, string>
    /** Absent in a read. */
    readonly body?: string
    readonly cache?: 'no-store'
    readonly credentials?: 'omit'
    readonly redirect: 'manual'
    readonly signal: AbortSignal
  },
) => Promise<FetchedResponse>

/**
 * The service redirects to another URL. The client never follows: the signature covers the requested target.
 *
 * @example
 * ```ts
 * if (error instanceof ConnectionError && error.cause instanceof RedirectError) {
 *   console.error(`The service has moved: ${error.cause.message}`)
 * }
 * ```
 */
export class RedirectError extends Error {
  /** `location` is undefined in browsers, which do not show it. */
  constructor(location: string | undefined) {
    super(`redirects to ${location ?? 'elsewhere'}`)
    this.name = 'RedirectError'
  }
}

/**
 * No complete response was received. `cause` is the error of fetch, a RedirectError, a DOMException named TimeoutError if the
 * response took too long, or a RangeError if its body was too large.
 *
 * @example
 * ```ts
 * try {
 *   await client.status()
 * } catch (error) {
 *   if (error instanceof ConnectionError) console.error(`No response: ${error.message}`)
 *   else throw error
 * }
 * ```
 */
export class ConnectionError extends Error {
  constructor(url: string, cause: unknown) {
    const detail = cause instanceof RedirectError ? `: ${cause.message}` : ''
    super(`${url} not fetched${detail}`, { cause })
    this.name = 'ConnectionError'
  }
}

/** Limits of a response. */
export interface ConnectionLimits {
  /** Limit for one request, up to the last byte of its response, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number
  /**
   * Maximum size of a body after its content coding is removed, in bytes. Default: 16,000,000. The OpenAPI document
   * has 200 kB, the index of ten thousand versions 3 MB. At most 65,536 count for an error; one that is not signed is cut off there.
   */
  readonly maxBodyBytes?: number
}

/** Sends requests to one origin. */
export interface Connection {
  /** Scheme and authority, without a slash at the end. */
  readonly origin: string
  /** The unverified response. Default of `method`: GET. Throws a ConnectionError, or the signal's reason. */
  send(
    target: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
    method?: string,
    body?: string,
  ): Promise<HttpResponse>
}

/** The origin of a base URL. Throws a TypeError for anything but http(s), a host and an optional port. */
function originOf(baseUrl: string | URL): string {
  const { origin, href } = new URL(baseUrl)
  if (!/^https?:/.test(href) || href !== `${origin}/`) {
    // The value is not quoted: it may contain a password.
    throw new TypeError('baseUrl: expected an origin such as https://api.example.org')
  }
  return origin
}

/**
 * The client stores verified responses itself, so the browser's cache is not used. workerd has neither option and
 * throws if it gets one.
 */
const BROWSER_OPTIONS =
  typeof Request === 'function' && 'credentials' in Request.prototype
    ? ({ cache: 'no-store', credentials: 'omit' } as const)
    : {}

/** The maximum delay of platform timers; a longer one fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Errors of the service have less than 1 kB. Larger ones come from others. */
const MAX_ERROR_BYTES = 65_536
/** Bodies up to this size are read concurrently; larger ones one after the other, so that an audit needs little memory. */
const MAX_CONCURRENT_BYTES = 262_144
/** The default limit of a body. */
const MAX_BUFFER_BYTES = 16_000_000

/** The limit of a body in a response with this status, in bytes. */
export function maxBytesOf(status: number, maxBytes: number): number {
  return status < 400 ? maxBytes : Math.min(maxBytes, MAX_ERROR_BYTES)
}

/**
 * Creates a reader of bodies for the requests of one client. It throws a RangeError once a body exceeds the limit, which is
 * lower for errors. That of an unsigned error is cut off, because it proves nothing.
 */
export function createBodyReader() {
  let lastTurn: Promise<unknown> = Promise.resolve()

  return async (response: FetchedResponse, maxBytes: number) => {
    const most = maxBytesOf(response.status, maxBytes)
    let bytes: Uint8Array = new Uint8Array()
    let length = 0
    let endTurn: (() => void) | undefined
    // Not `for await`: in some browsers streams are not iterable.
    const reader = response.body?.getReader()
    try {
      for (;;) {
        const { value } = (await reader?.read()) ?? {}
        if (value === undefined) {
          return length < bytes.length / 2 ? bytes.slice(0, length) : bytes.subarray(0, length)
        }
        const needed = length + value.length
        // A limit of NaN must reject every body.
        if (!(needed <= most)) {
          if (response.status < 400 || claimsSignature(response.headers)) {
            throw new RangeError(`expected at most ${most} bytes`)
          }
          void reader?.cancel()
          return bytes.slice(0, length)
        }
        if (needed > MAX_CONCURRENT_BYTES && endTurn === undefined) {
          const before = lastTurn
          lastTurn = new Promise<void>((resolve) => (endTurn = resolve))
          await before
        }
        if (length === 0 && needed > MAX_CONCURRENT_BYTES) bytes = value
        else if (needed > bytes.length) {
          // One buffer, because a list of parts takes much more than their bytes if they are small. A large one gets its
          // full size once: the system provides only the part in use, and no smaller buffer waits to be collected.
          const least = needed > MAX_CONCURRENT_BYTES ? MAX_BUFFER_BYTES : 0
          const larger = new Uint8Array(Math.min(most, Math.max(needed, least, 2 * bytes.length)))
          larger.set(bytes)
          bytes = larger
        }
        if (bytes !== value) bytes.set(value, length)
        length = needed
      }
    } finally {
      endTurn?.()
    }
  }
}

export function createConnection(
  baseUrl: string | URL,
  fetch: Fetch,
  { timeoutMs = 30_000, maxBodyBytes = MAX_BUFFER_BYTES }: ConnectionLimits = {},
): Connection {
  const origin = originOf(baseUrl)
  const readBody = createBodyReader()

  return {
    origin,
    async send(target, headers, signal, method = 'GET', body) {
      const url = origin + target
      // The signature covers the target as sent, so a URL that fetch would rewrite could not be verified. Without the
      // leading slash, an @ would turn the origin into a user name and the rest into a host.
      if (!target.startsWith('/') || targetOf(url) !== target) {
        throw new TypeError(`${target}: expected a URL path`)
      }
      const control = new AbortController()
      const timer = setTimeout(
        () => control.abort(new DOMException(`no response within ${timeoutMs} ms`, 'TimeoutError')),
        Math.min(timeoutMs, MAX_TIMER_MS),
      )
      const exchange = async (): Promise<HttpResponse> => {
        const response = await fetch(url, {
          method,
          headers: { ...headers },
          ...(body === undefined ? {} : { body }),
          ...BROWSER_OPTIONS,
          // Another URL has another signed target and must not receive the API key. Not `error`: workerd has only
          // this mode, and the error would not name the URL.
          redirect: 'manual',
          signal: control.signal,
        })
        const { status, headers: received } = response
        // Browsers report a redirect with status 0.
        if (status === 0 || (status >= 300 && status < 400 && status !== 304)) {
          throw new RedirectError(readHeaders(received)('location'))
        }
        const ifNoneMatch = headers[CLIENT_HEADERS.ifNoneMatch]
        return {
          method,
          target,
          ...(ifNoneMatch === undefined ? {} : { ifNoneMatch }),
          status,
          headers: received,
          body: await readBody(response, maxBodyBytes),
        }
      }
      try {
        return await orAborted(orAborted(exchange(), control.signal), signal)
      } catch (error) {
        // The rest of the body is not needed.
        control.abort()
        signal?.throwIfAborted()
        throw new ConnectionError(url, error)
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
