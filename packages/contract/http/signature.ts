// Verifiers compute the same texts. A changed character breaks every deployed verifier.

// The labels are separate constants so that a verifier in a browser does not load the lists for documents.
const RESPONSE_LABEL = 'svc-response-v1'
const REVALIDATION_LABEL = 'svc-revalidation-v1'

/** The lines of a response's signed text, in order; the parts in braces are filled in (spec 5.7). */
export const SIGNED_TEXT_LINES = [
  RESPONSE_LABEL,
  '{method}',
  '{path-and-query}',
  '{status}',
  '{signed-at}',
  '{content-digest}',
] as const

/** The lines of the signed text of a 304, in order (contract decisions 3.4). */
export const REVALIDATION_TEXT_LINES = [
  REVALIDATION_LABEL,
  '{method}',
  '{path-and-query}',
  '304',
  '{signed-at}',
  '{etag}',
] as const

/** The signed parts of a response. */
export interface SignedResponse {
  readonly method: string
  /** The request target as received: path, and `?query` if sent, not decoded. */
  readonly target: string
  readonly status: number
  /** The value of X-SVC-Signed-At, character for character. */
  readonly signedAt: string
  /** The value of Content-Digest, character for character. */
  readonly contentDigest: string
}

/** The text that X-SVC-Signature signs: six lines joined by a newline, none at the end (spec 5.7). */
export function formatSignedText(response: SignedResponse): string {
  return `${RESPONSE_LABEL}\n${response.method}\n${response.target}\n${response.status}\n${response.signedAt}\n${response.contentDigest}`
}

/** The signed parts of a 304's proof. */
export interface SignedRevalidation extends Pick<SignedResponse, 'method' | 'target' | 'signedAt'> {
  /** The value of ETag, character for character, `W/` and quotes included. */
  readonly etag: string
}

/** The text that the signature in X-SVC-Revalidated signs: six lines joined by a newline (contract decisions 3.4). */
export function formatRevalidationText(revalidation: SignedRevalidation): string {
  return `${REVALIDATION_LABEL}\n${revalidation.method}\n${revalidation.target}\n304\n${revalidation.signedAt}\n${revalidation.etag}`
}

/** The value of Content-Digest (RFC 9530) for a base64 SHA-256 of the exact body bytes. */
export function formatContentDigest(sha256Base64: string): string {
  return `sha-256=:${sha256Base64}:`
}

/** The value of X-SVC-Revalidated. */
export function formatRevalidated(signedAt: string, signatureBase64: string): string {
  return `${signedAt}; ${signatureBase64}`
}

/** The weak entity tag for a base64url SHA-256 of the canonical JSON of `data` (contract decisions 3.1). */
export function formatEtag(digest: string): string {
  return `W/"${digest}"`
}
