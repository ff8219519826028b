import http from 'node:http'
import https from 'node:https'
import * as zlib from 'node:zlib'
import { CommandFailure, EXIT_CODES } from '@public-api/cli-kit/command'
import {
  createBodyReader,
  maxBytesOf,
  RedirectError,
  type Fetch,
} from '@public-api/client-internal/connection'
import { readHeaders, type HeaderFields } from '@public-api/client-internal/header-fields'
import { claimsSignature, type HttpResponse } from '@public-api/client-internal/http-response'
import { openRequest, pairsOf, streamOf } from '@public-api/client-internal/node/node-fetch'
import { isFinal } from '@public-api/client-internal/outage'
import { propertyOf } from '@public-api/contract/json/property-of'
import { HEADERS } from '@public-api/contract/terms/headers'
import { describeFailure } from './failure-reason.ts'

/** A request that changes nothing. */
export interface RequestSpec {
  readonly method: string
  /** Path and query, sent unchanged. */
  readonly target: string
  readonly headers?: { readonly [name: string]: string }
  /** Overrides the client's origin. */
  readonly origin?: string
}

/** A response as received, with its body after removing its content coding; empty if `coding` is unknown. */
export interface Received extends HttpResponse {
  /** Names and values as on the wire. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly field: HeaderFields
  /** Content-Encoding in lower case; undefined if it is missing or `identity`. */
  readonly coding: string | undefined
  /** Whether the body could be decoded. */
  readonly isDecoded: boolean
  /** By the client's clock. */
  readonly sentAtMs: number
  readonly receivedAtMs: number
}

/** Sends one request without redirects or retries. Rejects with an UnreachableError. */
export type Ask = (spec: RequestSpec) => Promise<Received>

/**
 * No usable HTTP response arrived. The message is one line; commands exit with 3, or with 1 if a response was received: a
 * redirect, or one that is too large.
 */
export class UnreachableError extends CommandFailure {
  constructor(message: string, cause?: unknown) {
    const isResponse = isFinal(cause)
    const exitCode = isResponse ? EXIT_CODES.failure : EXIT_CODES.unreachable
    super(isResponse ? 'RESPONSE' : 'UNREACHABLE', message, { exitCode })
    this.name = 'UnreachableError'
    this.cause = cause
  }
}

/** `isLost` of the client, for the requests of commands. */
export function isUnreachable(error: unknown): error is UnreachableError {
  return error instanceof UnreachableError && !isFinal(error)
}

/** An HTTP client. `close` ends its connections. */
export interface HttpClient {
  readonly ask: Ask
  close(): void
}

/**
 * Far more than the service ever sends, coded or decoded: its largest document has 200 kB, the index of ten thousand versions 3
 * MB.
 */
export const MAX_RESPONSE_BYTES = 16_000_000
const DECODED = { maxOutputLength: MAX_RESPONSE_BYTES }

/** Missing in Node 20. */
const { zstdDecompressSync } = zlib as Partial<Pick<typeof zlib, 'zstdDecompressSync'>>

const DECODERS = new Map<string, (bytes: Uint8Array, options: typeof DECODED) => Uint8Array>([
  ['gzip', zlib.gunzipSync],
  ['x-gzip', zlib.gunzipSync],
  ['deflate', zlib.inflateSync],
  ['br', zlib.brotliDecompressSync],
  ...(zstdDecompressSync === undefined ? [] : [['zstd', zstdDecompressSync] as const]),
])

/** A response that is too large. The message is the end of a sentence that starts with the URL. */
export class TooLargeError extends RangeError {
  constructor(unit: string, most: number) {
    super(`has more than ${most} ${unit}; no valid response is nearly as large`)
    this.name = 'TooLargeError'
  }
}

/**
 * The body without its content coding (RFC 9110 8.4); undefined if it cannot be decoded. Throws a TooLargeError if
 * it decodes to too much.
 */
export function decodeBody(bytes: Uint8Array, coding: string): Uint8Array | undefined {
  try {
    return DECODERS.get(coding)?.(bytes, DECODED)
  } catch (error) {
    if (propertyOf(error, 'code') !== 'ERR_BUFFER_TOO_LARGE') return undefined
    const unit = `bytes once its content coding ${coding} is undone`
    throw new TooLargeError(unit, MAX_RESPONSE_BYTES)
  }
}

/** The codings of a Content-Encoding; undefined if it is empty or missing. */
export function contentCodingOf(field: HeaderFields): string | undefined {
  const coding = field(HEADERS.contentEncoding)?.trim().toLowerCase()
  return coding === '' || coding === 'identity' ? undefined : coding
}

/**
 * Creates an HTTP client over node:http and node:https. Not fetch, which drops a lone question mark, decodes bodies
 * silently and hides what was received. `timeoutMs` limits each whole response.
 */
export function createHttpClient(origin: string, timeoutMs: number, nowMs = Date.now): HttpClient {
  const options = { keepAlive: true, maxSockets: 24 }
  const readBody = createBodyReader()
  const agents = { http: new http.Agent(options), https: new https.Agent(options) }

  return {
    async ask(spec) {
      const { method, target } = spec
      const url = `${spec.origin ?? origin}${target}`
      const ifNoneMatch = spec.headers?.[HEADERS.ifNoneMatch]
      const sentAtMs = nowMs()
      const deadline = AbortSignal.timeout(timeoutMs)
      try {
        const response = await openRequest(url, {
          method,
          agent: url.startsWith('https:') ? agents.https : agents.http,
          headers: {
            Accept: '*/*',
            'User-Agent': 'svc',
            ...(method === 'POST' ? { [HEADERS.contentLength]: '0' } : {}),
            ...spec.headers,
          },
          signal: deadline,
        })
        const receivedAtMs = nowMs()
        const status = response.statusCode ?? 0
        const headers = pairsOf(response.rawHeaders)
        const raw = await readBody(
          { status, headers, body: streamOf(response) },
          MAX_RESPONSE_BYTES,
        ).catch((error: unknown) => {
          response.destroy()
          if (propertyOf(error, 'code') === 'ECONNRESET') {
            throw new Error('the connection broke off', { cause: error })
          }
          if (!(error instanceof RangeError)) throw error
          throw new TooLargeError('bytes', maxBytesOf(status, MAX_RESPONSE_BYTES))
        })
        const field = readHeaders(headers)
        const coding = contentCodingOf(field)
        const decoded = coding === undefined || raw.length === 0 ? raw : decodeBody(raw, coding)
        return {
          method,
          target,
          ...(ifNoneMatch === undefined ? {} : { ifNoneMatch }),
          status,
          headers,
          field,
          body: decoded ?? new Uint8Array(),
          coding,
          // That of an unsigned error proves nothing, and may be cut off.
          isDecoded: decoded !== undefined || (status >= 400 && !claimsSignature(headers)),
          sentAtMs,
          receivedAtMs,
        }
      } catch (error) {
        // An aborted late response looks like a broken connection.
        const cause: unknown = deadline.aborted ? deadline.reason : error
        const reason =
          cause instanceof TooLargeError ? cause.message : describeFailure(cause, timeoutMs)
        throw new UnreachableError(`${url} ${reason}`, cause)
      }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/** The `fetch` of the verifying client, over an HTTP client. Redirects are errors, as the client requests. */
export function createFetch(ask: Ask): Fetch {
  return async (url, { headers, signal }) => {
    signal.throwIfAborted()
    const { origin } = new URL(url)
    const received = await ask({ method: 'GET', target: url.slice(origin.length), headers, origin })
    const { status, headers: receivedHeaders, body } = received
    if (status >= 300 && status < 400 && status !== 304) {
      const message = `${url} is a redirect (status ${status}); pass its target instead`
      throw new UnreachableError(message, new RedirectError(received.field('Location')))
    }
    // One chunk, which is not copied.
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(body)
        controller.close()
      },
    })
    return { status, headers: receivedHeaders, body: stream }
  }
}
