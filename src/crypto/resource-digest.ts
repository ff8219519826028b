import { sha256Base64url } from './sha256.ts'

/** Compares the base64url SHA-256 of a resource's text with its digest. Returns a message with both if they differ. */
export function digestFault(text: string, digest: string): string | undefined {
  const found = sha256Base64url(text)
  return found === digest ? undefined : `found the digest ${found}, expected ${digest}`
}
