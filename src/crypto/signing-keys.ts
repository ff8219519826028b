import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { sha256Base64url } from './sha256.ts'

/** A key text is invalid. The message states what was expected, and does not quote the text. */
export class SigningKeyError extends Error {
  override readonly name = 'SigningKeyError'
}

/** An Ed25519 public key in the forms the signing-key document shows. */
export type PublicSigningKey = Readonly<ReturnType<typeof derivePublicSigningKey>>

function requireEd25519(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new SigningKeyError(
      `expected an Ed25519 key, found ${key.asymmetricKeyType ?? 'another kind'}`,
    )
  }
  return key
}

/** The form in which environments and container tools pass a key of several lines; undefined for another mistake. */
function foundForm(text: string): string | undefined {
  const isPem = /^[\s"']*-----BEGIN ([\w ]+)-----/
  const [, label] = isPem.exec(text) ?? []
  if (label !== undefined) {
    if (text.includes(String.raw`\n`)) return String.raw`\n in place of line breaks`
    if (!text.trim().includes('\n')) return 'one line; line breaks are missing'
    if (/^\s*["']/.test(text)) return 'quotation marks around it'
    return label === 'PUBLIC KEY' ? 'a public key' : undefined
  }
  const decoded = Buffer.from(text, 'base64')
  if (isPem.test(decoded.toString('latin1'))) return 'the base64 of a PEM; decode it'
  // A sequence of DER with the version 0 of PKCS#8.
  const isDer = decoded[0] === 0x30 && decoded.subarray(2, 5).equals(Buffer.from([2, 1, 0]))
  return isDer ? 'base64 without the lines BEGIN and END' : undefined
}

/** Reads an Ed25519 private key from PKCS#8 PEM. Throws SigningKeyError. */
export function parsePrivateSigningKey(pem: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    const expected = 'an Ed25519 private key in PKCS#8 PEM'
    const form = foundForm(pem)
    const found = form === undefined ? '' : `, found ${form}`
    throw new SigningKeyError(
      `expected ${expected}, as openssl genpkey -algorithm ed25519 writes it${found}`,
    )
  }
  return requireEd25519(key)
}

/** The public half of a key (private KeyObject, or public PEM). Throws SigningKeyError. */
export function derivePublicSigningKey(source: KeyObject | string) {
  // createPublicKey would accept it, but a private key in a list of public keys is a mistake.
  if (typeof source === 'string' && source.includes('PRIVATE KEY')) {
    throw new SigningKeyError('expected an Ed25519 public key in PEM, found a private key')
  }
  let key: KeyObject
  try {
    key = requireEd25519(createPublicKey(source))
  } catch (error) {
    if (error instanceof SigningKeyError) throw error
    throw new SigningKeyError('expected an Ed25519 public key in PEM')
  }
  const { x } = key.export({ format: 'jwk' })
  if (x === undefined) throw new SigningKeyError('expected an Ed25519 key with a public part')
  // RFC 7638 section 3.2 and RFC 8037 section 2: for OKP keys only crv, kty and x are hashed, in this order.
  const keyId = sha256Base64url(canonicalJson({ crv: 'Ed25519', kty: 'OKP', x }))
  const jwk = { kty: 'OKP', crv: 'Ed25519', x, alg: 'Ed25519', use: 'sig', kid: keyId } as const
  return { keyId, jwk, publicKeyPem: key.export({ type: 'spki', format: 'pem' }) }
}
