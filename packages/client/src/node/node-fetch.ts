import http from 'node:http'
import https from 'node:https'
import { finished, pipeline, type Readable } from 'node:stream'
import zlib from 'node:zlib'
import type { Fetch } from '../connection.ts'
import { readHeaders } from '../header-fields.ts'

/** Names and values as received, from the flat list of node:http. */
export function pairsOf(raw: readonly string[]): (readonly [name: string, value: string])[] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [
    raw[2 * index] ?? '',
    raw[2 * index + 1] ?? '',
  ])
}

/** From this number of chunks on, their average size counts. */
const MANY_CHUNKS = 10_000
/** Each chunk costs about a hundred bytes until it is collected, so smaller ones take memory out of proportion. */
const MIN_CHUNK_BYTES = 16
/** Reading pauses at this number of bytes. */
const BUFFERED_BYTES = 65_536

/**
 * A stream of bytes that reads little further than its reader, and joins small chunks. Fails with an Error if a body
 * comes in very many very small chunks.
 */
export function streamOf(bytes: Readable): ReadableStream<Uint8Array> {
  let wake = (): void => undefined
  let failure: Error | undefined
  let hasEnded = false
  let [chunks, total, length] = [0, 0, 0]
  let buffer: Uint8Array = new Uint8Array()
  // Not the event `readable`: the stream would store each chunk until it is read.
  bytes.on('data', (chunk: Uint8Array) => {
    chunks += 1
    total += chunk.length
    if (chunks > MANY_CHUNKS && total < chunks * MIN_CHUNK_BYTES) {
      return bytes.destroy(new Error(`sends its body in chunks below ${MIN_CHUNK_BYTES} bytes`))
    }
    // A chunk alone is passed on without a copy.
    if (length === 0) buffer = chunk
    else if (length + chunk.length > buffer.length) {
      const larger = new Uint8Array(Math.max(length + chunk.length, 2 * buffer.length))
      larger.set(buffer.subarray(0, length))
      buffer = larger
    }
    if (buffer !== chunk) buffer.set(chunk, length)
    length += chunk.length
    if (length >= BUFFERED_BYTES) bytes.pause()
    return wake()
  })
  bytes.pause()
  finished(bytes, (error) => {
    failure = error ?? undefined
    hasEnded = true
    wake()
  })
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          if (failure !== undefined) throw failure
          if (length > 0) {
            controller.enqueue(buffer.subarray(0, length))
            buffer = new Uint8Array()
            length = 0
            return
          }
          if (hasEnded) return controller.close()
          bytes.resume()
          await new Promise<void>((resolve) => (wake = resolve))
        }
      },
      cancel() {
        bytes.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}

const DECODERS: { readonly [coding: string]: () => NodeJS.ReadWriteStream & Readable } = {
  gzip: zlib.createGunzip,
  'x-gzip': zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
}

/** The body without its content coding (RFC 9110 8.4). With another coding it fails verification. */
function decode(response: http.IncomingMessage, coding: string): Readable {
  // The fields of a 304 describe the content that the client has (RFC 9110 15.4.5).
  if (response.statusCode === 304) return response
  const decoder = Object.hasOwn(DECODERS, coding) ? DECODERS[coding]?.() : undefined
  if (decoder === undefined) return response
  // An error of either ends both; the reader sees it.
  pipeline(response, decoder, () => undefined)
  return decoder
}

/** node:http parses and skips each of them (1xx), so that very many take memory and time. */
const MAX_INTERIM_RESPONSES = 100

/** Safe methods (RFC 9110 9.2.1). */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * Sends a request over node:http or node:https. Not the fetch of Node, which rejects a response after an unrequested 100
 * (RFC 9110 15.2: a client must skip any 1xx) and blanks after a Content-Length (RFC 9110 5.5).
 */
export async function openRequest(
  url: string,
  {
    body,
    ...options
  }: Pick<http.RequestOptions, 'method' | 'headers' | 'signal' | 'agent'> & {
    readonly body?: string
  },
): Promise<http.IncomingMessage> {
  const { protocol, origin, hostname, port } = new URL(url)
  const { method = 'GET' } = options
  // The brackets of an IPv6 address belong to the URL. The path is sent as it was passed, because it is signed.
  const place = { hostname: hostname.replace(/^\[|\]$/g, ''), port, path: url.slice(origin.length) }
  return new Promise((resolve, reject) => {
    const request = (protocol === 'https:' ? https : http).request({ ...options, ...place })
    let interim = 0
    request.on('information', () => {
      interim += 1
      if (interim <= MAX_INTERIM_RESPONSES) return
      request.destroy(new Error(`sent more than ${MAX_INTERIM_RESPONSES} interim responses (1xx)`))
    })
    let hasResponse = false
    request.on('error', (error: NodeJS.ErrnoException) => {
      // A server may close an idle connection just as a request is sent on it. A client may retry safe requests then
      // (RFC 9112 9.3.1). If the connection breaks in a response, its reader gets the error.
      const isClosed = ['ECONNRESET', 'EPIPE'].includes(error.code ?? '')
      if (!hasResponse && request.reusedSocket && isClosed && SAFE_METHODS.has(method))
        resolve(openRequest(url, options))
      else reject(error)
    })
    request.on('response', (response) => {
      hasResponse = true
      resolve(response)
    })
    request.end(body)
  })
}

/** The `Fetch` of Node. */
export const platformFetch: Fetch = async (url, { method, headers, body, signal }) => {
  const response = await openRequest(url, {
    method,
    headers: {
      Accept: '*/*',
      'Accept-Encoding': 'gzip, deflate, br',
      'User-Agent': 'public-api-client',
      ...headers,
    },
    signal,
    ...(body === undefined ? {} : { body }),
  })
  const received = pairsOf(response.rawHeaders)
  const coding = readHeaders(received)('content-encoding')?.toLowerCase() ?? ''
  return {
    status: response.statusCode ?? 0,
    headers: received,
    body: streamOf(decode(response, coding)),
  }
}
