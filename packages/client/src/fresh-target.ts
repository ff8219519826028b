import { encodeBase64url } from './base64.ts'

/** The target with a random parameter that bypasses every cache; the signature covers it. */
export function freshTarget(target: string): string {
  const nonce = encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
  return `${target}${target.includes('?') ? '&' : '?'}fresh=${nonce}`
}
