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

/** A stream of bytes that reads no further than its reader. Joins small chunks, each of which costs more than its bytes. */
export function streamOf(bytes: Readable): ReadableStream<Uint8Array> {
  let wake = (): void => undefined
  let failure: Error | undefined
  let hasEnded = false
  bytes.on('readable', () => wake())
  finished(bytes, (error) => {
    failure = error ?? undefined
    hasEnded = true
    wake()
  })
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const chunk = bytes.read() as Uint8Array | null
          if (chunk !== null) return controller.enqueue(chunk)
          if (failure !== undefined) throw failure
          if (hasEnded) return controller.close()
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
  const decoder = Object.hasOwn(DECODERS, coding) ? DECODERS[coding]?.() : undefined
  if (decoder === undefined) return response
  // An error of either ends both; the reader sees it.
  pipeline(response, decoder, () => undefined)
  return decoder
}

/**
 * Sends a request over node:http or node:https. Not the fetch of Node, which rejects a response after an unrequested 100
 * (RFC 9110 15.2: a client must skip any 1xx) and blanks after a Content-Length (RFC 9110 5.5).
 */
export const platformFetch: Fetch = (url, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const { protocol, origin, hostname, port } = new URL(url)
    const request = (protocol === 'https:' ? https : http).request({
      // The brackets of an IPv6 address belong to the URL.
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      // As it was passed, because it is signed.
      path: url.slice(origin.length),
      method,
      headers: {
        Accept: '*/*',
        'Accept-Encoding': 'gzip, deflate, br',
        'User-Agent': 'public-api-client',
        ...headers,
      },
      signal,
    })
    request.on('error', reject)
    request.on('response', (response) => {
      const received = pairsOf(response.rawHeaders)
      const coding = readHeaders(received)('content-encoding')?.toLowerCase() ?? ''
      resolve({
        status: response.statusCode ?? 0,
        headers: received,
        body: streamOf(decode(response, coding)),
      })
    })
    request.end(body)
  })
