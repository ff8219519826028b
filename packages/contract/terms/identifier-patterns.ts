// Forms of identifiers and digests. Sources of regular expressions, so that JSON Schemas and code use the same ones.

/** A version snapshot's id: VS- and at least four digits (spec 2.4). */
export const SNAPSHOT_ID_PATTERN: string = String.raw`^VS-\d{4,}$`

/** SHA-256 in lower-case hexadecimal: the hash of a version entry, and that of a document. */
export const SHA256_HEX_PATTERN: string = '^[0-9a-f]{64}$'

/** SHA-256 in base64url without padding: the digest of a resource. */
export const SHA256_BASE64URL_PATTERN: string = '^[A-Za-z0-9_-]{43}$'

/** The name of a published resource: `wallet/security`, `site/translations/zh-CN`. */
export const RESOURCE_NAME_PATTERN: string =
  '^[a-z0-9]+(-[A-Za-z0-9]+)*(/[a-z0-9]+(-[A-Za-z0-9]+)*)*$'

/** An id in kebab-case: words of lower-case letters and digits, joined by hyphens. */
export const KEBAB_ID_PATTERN: string = '^[a-z0-9]+(-[a-z0-9]+)*$'
