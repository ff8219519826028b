import { request } from 'node:http'
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { HttpResponse } from '@public-api/client-internal/http-response'
import {
  VerificationError,
  type VerificationFault,
} from '@public-api/client-internal/verification-error'
import { verifyResponse, type VerifiedResponse } from '@public-api/client-internal/verify-response'
import { key } from '../client/scripted-client.ts'
import type { HeaderPair } from '../support/vector.ts'

/** A response through a cache, any gzip undone. */
export interface CachedResponse extends HttpResponse {
  readonly headers: readonly HeaderPair[]
  /** A header's value by lower-case name; several lines are one list. */
  header(name: string): string | undefined
}

/** What to ask, beside the target. */
export interface Asked {
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
}

/** Makes a response of its parts. */
function toResponse(
  parts: HttpResponse & { readonly headers: readonly HeaderPair[] },
): CachedResponse {
  return {
    ...parts,
    header(name) {
      const values = parts.headers.filter(([each]) => each.toLowerCase() === name)
      return values.length === 0 ? undefined : values.map(([, value]) => value).join(', ')
    },
  }
}

/**
 * Resolves once the cache has read what the service sent before this call. The cache itself refuses malformed bytes,
 * after the events that came before them.
 */
export function cacheRoundTrip(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('?\r\n\r\n'))
    socket.once('error', reject)
    socket.once('close', () => resolve())
    socket.once('data', () => socket.destroy())
  })
}

/** Sends a request on a new connection. */
export function askCache(
  port: number,
  target: string,
  { method = 'GET', headers = {} }: Asked = {},
): Promise<CachedResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { agent: false, host: '127.0.0.1', port, method, path: target, headers },
      (response) => {
        const chunks: Buffer[] = []
        response.on('error', reject)
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const fields: HeaderPair[] = []
          for (let index = 0; index < response.rawHeaders.length; index += 2) {
            fields.push([response.rawHeaders[index] ?? '', response.rawHeaders[index + 1] ?? ''])
          }
          const coded = Buffer.concat(chunks)
          const isGzip = response.headers['content-encoding'] === 'gzip' && coded.length > 0
          const status = response.statusCode ?? 0
          // A part of a compressed body cannot be decoded.
          const body = Uint8Array.from(isGzip && status !== 206 ? gunzipSync(coded) : coded)
          const ifNoneMatch = headers['If-None-Match']
          const conditional = ifNoneMatch === undefined ? {} : { ifNoneMatch }
          resolve(toResponse({ method, target, ...conditional, status, headers: fields, body }))
        })
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}

/** What is stored after a 304, by RFC 9111 3.2: its fields replace those of the same name. */
export function mergedResponse(
  stored: CachedResponse,
  notModified: CachedResponse,
): CachedResponse {
  const renewed = new Set(notModified.headers.map(([name]) => name.toLowerCase()))
  const kept = stored.headers.filter(([name]) => !renewed.has(name.toLowerCase()))
  return toResponse({ ...stored, headers: [...kept, ...notModified.headers] })
}

/** What the published verifier makes of a response, by the documented rules: a proof, or the code of its refusal. */
export async function judge(
  response: HttpResponse,
  nowMs: number,
): Promise<VerifiedResponse | VerificationFault> {
  try {
    return await verifyResponse({ ...response, keys: [key], pinnedKeyIds: [key.keyId], nowMs })
  } catch (error) {
    if (error instanceof VerificationError) return error.code
    throw error
  }
}
