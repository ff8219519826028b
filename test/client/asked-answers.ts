import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Answer } from '../../packages/client/src/verify-response.ts'
import {
  importKey,
  type PublishedKey,
  type VerificationKey,
} from '../../packages/client/src/verification-key.ts'
import { headerOf, recordAnswer, type Question } from '../vectors/recorded-answers.ts'
import type { VectorResponse } from '../../packages/client/src/vector.ts'

/** When the answers of these tests are asked for, unless they say. */
export const ASKED_MS = Date.UTC(2026, 10, 21, 9, 0, 0, 123)

/** What the app answers, as a client holds it. */
export async function askApp(question: Partial<Question> = {}): Promise<Answer> {
  const asked = { method: 'GET', target: '/api/v1/status', atMs: ASKED_MS, ...question }
  return answerOf(asked, await recordAnswer(asked))
}

/** An answer of a vector, as a client holds it. */
function answerOf(
  { method, target }: Pick<Question, 'method' | 'target'>,
  { status, headers, bodyBase64 }: VectorResponse,
): Answer {
  const body = Uint8Array.from(Buffer.from(bodyBase64 ?? '', 'base64'))
  return { method, target, status, headers, body }
}

/** The public half of a private key, as the document publishes it. */
export function publishedKeyOf(
  privateKey: KeyObject,
  period: Partial<PublishedKey> = {},
): PublishedKey {
  const { x = '' } = createPublicKey(privateKey.export({ type: 'pkcs8', format: 'pem' })).export({
    format: 'jwk',
  })
  return { jwk: { kty: 'OKP', crv: 'Ed25519', x }, ...period }
}

/** The same, imported. */
export function verificationKeyOf(
  privateKey: KeyObject,
  period: Partial<PublishedKey> = {},
): Promise<VerificationKey> {
  return importKey(publishedKeyOf(privateKey, period))
}

/** A header field of an answer whose headers are pairs. */
export function fieldOf(answer: Answer, name: string): string {
  const headers = answer.headers as VectorResponse['headers']
  return headerOf({ status: 0, headers, bodyBase64: null }, name)
}
