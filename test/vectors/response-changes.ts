import { sign, type KeyObject } from 'node:crypto'
import { sha256Base64 } from '../../src/crypto/sha256.ts'
import type { HeaderPair, VectorResponse } from '../support/vector.ts'
import { headerOf, type RecordedRequest } from './recorded-responses.ts'

/** What a signature binds of a request. */
type Asked = Pick<RecordedRequest, 'method' | 'target'>

/** The signed text put together from the response, without the code under test. */
function textOf(label: string, { method, target }: Asked, parts: readonly string[]): string {
  return [label, method, target, ...parts].join('\n')
}

/** What X-SVC-Signature signs. */
export function signedTextOf(request: Asked, response: VectorResponse): string {
  return textOf('svc-response-v1', request, [
    String(response.status),
    headerOf(response, 'X-SVC-Signed-At'),
    headerOf(response, 'Content-Digest'),
  ])
}

/** What the signature in X-SVC-Revalidated signs. */
export function revalidationTextOf(request: Asked, response: VectorResponse): string {
  const [signedAt = ''] = headerOf(response, 'X-SVC-Revalidated').split('; ')
  const etag = headerOf(response, 'ETag')
  return textOf('svc-revalidation-v1', request, ['304', signedAt, etag])
}

/** The response with another value in one of its header fields. */
export function withHeader(response: VectorResponse, name: string, value: string): VectorResponse {
  headerOf(response, name)
  const headers = response.headers.map((pair): HeaderPair =>
    pair[0] === name ? [name, value] : pair,
  )
  return { ...response, headers }
}

/** The response without some of its header fields. */
export function withoutHeaders(response: VectorResponse, names: readonly string[]): VectorResponse {
  return { ...response, headers: response.headers.filter(([name]) => !names.includes(name)) }
}

/** Changes one character of the data, which keeps its length. */
export function withTamperedBody(response: VectorResponse): VectorResponse {
  const before = Buffer.from(response.bodyBase64 ?? '', 'base64').toString()
  const after = before.replace('"summary":"Made 1.', '"summary":"Made 7.')
  if (after === before) throw new Error('The body has no summary of version 1 to tamper with')
  return { ...response, bodyBase64: Buffer.from(after).toString('base64') }
}

/** What Content-Digest should be for the body. */
export function digestOf({ bodyBase64 }: VectorResponse): string {
  return `sha-256=:${sha256Base64(Buffer.from(bodyBase64 ?? '', 'base64').toString())}:`
}

/** The response as it is now, signed again. */
export function signAgain(
  request: Asked,
  response: VectorResponse,
  key: KeyObject,
): VectorResponse {
  const text = Buffer.from(signedTextOf(request, response), 'latin1')
  return withHeader(response, 'X-SVC-Signature', sign(null, text, key).toString('base64'))
}
