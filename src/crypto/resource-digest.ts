import { sha256Base64url } from './sha256.ts'

/**
 * What is wrong with the text of a resource with this digest (base64url SHA-256 of its UTF-8): what was found and
 * expected; undefined if they match.
 */
export function digestFault(text: string, digest: string): string | undefined {
  const found = sha256Base64url(text)
  return found === digest ? undefined : `found the digest ${found}, expected ${digest}`
}
