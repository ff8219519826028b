import { createPrivateKey, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { formatSuccess } from '../src/contract/envelope.ts'
import { formatContentDigest, formatSignedText } from '../src/contract/signature.ts'
import {
  createOpensslSigner,
  openResponseSigner,
  type ResponseSigner,
} from '../src/crypto/response-signer.ts'
import { sha256Base64 } from '../src/crypto/sha256.ts'

/** The response of every peer, taken from the service. */
export interface PeerResponse {
  readonly target: string
  readonly schemaId: string
  /** JSON text of `data`. */
  readonly dataJson: string
  /** Headers that no request changes, including Content-Length; names and values, alternating. */
  readonly headers: readonly string[]
  /** PKCS#8 PEM of the key that signs. */
  readonly signingKeyPem: string
}

/** Read from the file named on the command line. */
export const RESPONSE = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as PeerResponse

const KEY = createPrivateKey(RESPONSE.signingKeyPem)

/** A body with the request id and the time it contains. */
export interface PeerBody {
  readonly requestId: string
  readonly issuedAt: string
  readonly body: string
}

/** Builds the body as the service does: the prepared data in a new envelope. */
export function buildBody(): PeerBody {
  const requestId = randomUUID()
  const issuedAt = new Date().toISOString()
  const body = formatSuccess(RESPONSE.schemaId, { requestId, issuedAt }, RESPONSE.dataJson)
  return { requestId, issuedAt, body }
}

/** Content-Digest and signature of a body. */
export function signBody(
  signer: ResponseSigner,
  issuedAt: string,
  body: string,
): { readonly contentDigest: string; readonly signature: string } {
  const contentDigest = formatContentDigest(sha256Base64(body))
  const signed = { method: 'GET', target: RESPONSE.target, status: 200, signedAt: issuedAt }
  return { contentDigest, signature: signer.sign(formatSignedText({ ...signed, contentDigest })) }
}

/** Signs through node:crypto. */
export function openCryptoSigner(): ResponseSigner {
  return createOpensslSigner(KEY)
}

/** The service's own signer. */
export function openServiceSigner(): Promise<ResponseSigner> {
  return openResponseSigner(KEY)
}

/** The prepared headers as an object. */
export function headersAsObject(): { [name: string]: string } {
  const object: { [name: string]: string } = {}
  for (let index = 0; index < RESPONSE.headers.length; index += 2) {
    object[RESPONSE.headers[index] ?? ''] = RESPONSE.headers[index + 1] ?? ''
  }
  return object
}
