import { propertyOf } from '#contract/json/property-of'
import { readHeaders } from './header-fields.ts'
import type { HttpResponse } from './http-response.ts'
import { parseBody } from './read-body.ts'
import { VerificationError } from './verification-error.ts'
import { importKey, type PublishedKey, type VerificationKey } from './verification-key.ts'
import {
  PROOF_HEADERS,
  verifyResponse,
  type Expectations,
  type VerifiedResponse,
} from './verify-response.ts'

/**
 * Maximum number of keys of a document. A real document has one or two. Each key costs as much as a verification, and
 * anyone can send a document.
 */
export const MAX_KEYS = 64

/** Keys of unknown types are skipped: the service may publish others beside its Ed25519 keys. */
function isEd25519(value: unknown): value is PublishedKey {
  const jwk = propertyOf(value, 'jwk')
  return propertyOf(jwk, 'kty') === 'OKP' && propertyOf(jwk, 'crv') === 'Ed25519'
}

/**
 * Reads the keys from `data` of the signing-key document, the current one first. It does not verify the document;
 * `verifyKeyDocument` does. Throws a VerificationError: MALFORMED if it is not a key document, KEY_MALFORMED if a key
 * in it is invalid.
 *
 * @example
 * ```ts
 * const { data } = await client.signingKey()
 * const keys = await parseSigningKeys(data)
 * ```
 */
export async function parseSigningKeys(data: unknown): Promise<readonly VerificationKey[]> {
  const keys = propertyOf(data, 'keys')
  const known = Array.isArray(keys) ? keys.filter(isEd25519) : []
  if (known.length === 0 || known.length > MAX_KEYS) {
    throw new VerificationError(
      'MALFORMED',
      `expected 1 to ${MAX_KEYS} Ed25519 keys, found ${known.length}`,
    )
  }
  return Promise.all(known.map(importKey))
}

/** More than a document of the most keys. */
const MAX_DOCUMENT_BYTES = 131_072

/** A key document signed by one of its own keys. */
export interface VerifiedKeys {
  /** Every key that the document lists. */
  readonly keys: readonly VerificationKey[]
  /** The verified response. */
  readonly verified: VerifiedResponse
}

/**
 * Verifies a response of GET /api/v1/keys/signing-key with the keys that it contains. That proves only that the
 * signer holds one of them: pass `pinnedKeyIds`, or pin the returned ids and refuse others from then on.
 *
 * @example
 * ```ts
 * const { keys } = await verifyKeyDocument({ ...response, pinnedKeyIds, nowMs: Date.now() })
 * ```
 */
export async function verifyKeyDocument(
  response: HttpResponse & Omit<Expectations, 'keys'>,
): Promise<VerifiedKeys> {
  const fields = readHeaders(response.headers)
  // Only what claims to be signed is parsed: without keys the signature cannot be verified.
  const isSigned = PROOF_HEADERS.every((name) => fields(name) !== undefined)
  // It is parsed before it is verified, because it contains the keys.
  if (isSigned && response.body.length > MAX_DOCUMENT_BYTES) {
    const detail = `expected a signing-key document of at most ${MAX_DOCUMENT_BYTES} bytes`
    throw new VerificationError('MALFORMED', detail)
  }
  const data = isSigned ? propertyOf(parseBody(response.body), 'data') : undefined
  if (data === undefined) {
    const error = new VerificationError(
      isSigned ? 'MALFORMED' : 'UNSIGNED',
      `no signing-key document; status ${response.status}`,
    )
    error.response = response
    throw error
  }
  const keys = await parseSigningKeys(data)
  return { keys, verified: await verifyResponse({ ...response, keys }) }
}
