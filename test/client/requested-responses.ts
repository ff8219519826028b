import { createPublicKey, type KeyObject } from 'node:crypto'
import type { HttpResponse } from '@public-api/client-internal/http-response'
import {
  importKey,
  type PublishedKey,
  type VerificationKey,
} from '@public-api/client-internal/verification-key'
import type { VectorResponse } from '../support/vector.ts'
import { headerOf, recordResponse, type RecordedRequest } from '../vectors/recorded-responses.ts'

/** When the responses of these tests are asked for, unless they say. */
export const ASKED_MS = Date.UTC(2026, 10, 21, 9, 0, 0, 123)

/** What the app answers, as a client holds it. */
export async function askApp(request: Partial<RecordedRequest> = {}): Promise<HttpResponse> {
  const asked = { method: 'GET', target: '/api/v1/status', atMs: ASKED_MS, ...request }
  return toResponse(asked, await recordResponse(asked))
}

/** A response of a vector, as a client holds it. */
function toResponse(
  { method, target }: Pick<RecordedRequest, 'method' | 'target'>,
  { status, headers, bodyBase64 }: VectorResponse,
): HttpResponse {
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

/** A header field of a response whose headers are pairs. */
export function fieldOf(response: HttpResponse, name: string): string {
  const headers = response.headers as VectorResponse['headers']
  return headerOf({ status: 0, headers, bodyBase64: null }, name)
}
