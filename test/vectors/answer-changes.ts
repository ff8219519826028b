import { sign, type KeyObject } from 'node:crypto'
import type { HeaderPair, VectorResponse } from '../../packages/client/src/vector.ts'
import { sha256Base64 } from '../../src/crypto/sha256.ts'
import { headerOf, type Question } from './recorded-answers.ts'

/** What a signature binds of a question. */
type Asked = Pick<Question, 'method' | 'target'>

/** The signed text put together from the answer, without the code under test. */
function textOf(label: string, { method, target }: Asked, parts: readonly string[]): string {
  return [label, method, target, ...parts].join('\n')
}

/** What X-SVC-Signature signs. */
export function signedTextOf(question: Asked, answer: VectorResponse): string {
  return textOf('svc-response-v1', question, [
    String(answer.status),
    headerOf(answer, 'X-SVC-Signed-At'),
    headerOf(answer, 'Content-Digest'),
  ])
}

/** What the signature in X-SVC-Revalidated signs. */
export function revalidationTextOf(question: Asked, answer: VectorResponse): string {
  const [signedAt = ''] = headerOf(answer, 'X-SVC-Revalidated').split('; ')
  const etag = headerOf(answer, 'ETag')
  return textOf('svc-revalidation-v1', question, ['304', signedAt, etag])
}

/** The answer with another value in one of its header fields. */
export function withHeader(response: VectorResponse, name: string, value: string): VectorResponse {
  headerOf(response, name)
  const headers = response.headers.map((pair): HeaderPair =>
    pair[0] === name ? [name, value] : pair,
  )
  return { ...response, headers }
}

/** The answer without some of its header fields. */
export function withoutHeaders(response: VectorResponse, names: readonly string[]): VectorResponse {
  return { ...response, headers: response.headers.filter(([name]) => !names.includes(name)) }
}

/** Changes one character of the data, which keeps its length. */
export function withTamperedBody(response: VectorResponse): VectorResponse {
  const before = Buffer.from(response.bodyBase64 ?? '', 'base64').toString()
  const after = before.replace('"made":1', '"made":7')
  if (after === before) throw new Error('The body has no "made":1 to tamper with')
  return { ...response, bodyBase64: Buffer.from(after).toString('base64') }
}

/** What Content-Digest should be for the body. */
export function digestOf({ bodyBase64 }: VectorResponse): string {
  return `sha-256=:${sha256Base64(Buffer.from(bodyBase64 ?? '', 'base64').toString())}:`
}

/** The answer signed anew, as it stands now, by whoever holds the key. */
export function signedAnew(
  question: Asked,
  answer: VectorResponse,
  key: KeyObject,
): VectorResponse {
  const text = Buffer.from(signedTextOf(question, answer), 'latin1')
  return withHeader(answer, 'X-SVC-Signature', sign(null, text, key).toString('base64'))
}
