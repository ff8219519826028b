import { formatEtag } from '@public-api/contract/http/signature'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import { sha256Base64url } from '../../crypto/sha256.ts'

/** `data` of a response as text, with its validators. */
export interface Payload {
  readonly json: string
  /** Weak entity tag over the canonical JSON of the same value (contract decisions 3.1). */
  readonly etag: string
  /** Relative reference of the next page of a list, if any: sent as `Link` with rel="next" (RFC 8288). */
  readonly nextPage?: string
}

/** Creates the payload of a text that is already canonical JSON. */
export function createCanonicalPayload(
  json: string,
  digest: string = sha256Base64url(json),
): Payload {
  return { json, etag: formatEtag(digest) }
}

/** Creates the payload of a value as canonical JSON. */
export function createPayload(data: object): Payload {
  return createCanonicalPayload(canonicalJson(data as JsonValue))
}
