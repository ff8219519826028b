import { sign, type KeyObject } from 'node:crypto'
import type { Sodium } from 'sodium-native'

export interface ResponseSigner {
  readonly implementation: 'libsodium' | 'openssl'
  /** The Ed25519 signature (RFC 8032) of a latin1 text as padded base64. A request target may contain any byte. */
  sign(text: string): string
}

/** Signs with OpenSSL, which is part of Node. */
export function createOpensslSigner(privateKey: KeyObject): ResponseSigner {
  return {
    implementation: 'openssl',
    sign: (text) => sign(null, Buffer.from(text, 'latin1'), privateKey).toString('base64'),
  }
}

function createSodiumSigner(sodium: Sodium, privateKey: KeyObject): ResponseSigner {
  const { d } = privateKey.export({ format: 'jwk' })
  if (d === undefined) throw new TypeError('expected a private key')
  const publicKey = Buffer.alloc(32)
  const secretKey = Buffer.alloc(64)
  sodium.crypto_sign_seed_keypair(publicKey, secretKey, Buffer.from(d, 'base64url'))
  const signature = Buffer.alloc(64)
  return {
    implementation: 'libsodium',
    sign(text) {
      sodium.crypto_sign_detached(signature, Buffer.from(text, 'latin1'), secretKey)
      return signature.toString('base64')
    },
  }
}

async function loadSodium(): Promise<Sodium | undefined> {
  try {
    const { default: sodium } = await import('sodium-native')
    return sodium
  } catch {
    // An optional dependency, which may not be built for this platform.
    return undefined
  }
}

/** Ed25519 is deterministic (RFC 8032 5.1.6), so two correct implementations produce the same signature. */
const AGREEMENT_TEXTS = ['', 'svc-response-v1\nGET\n/\n200', `long ${'x'.repeat(4096)}`]

/**
 * The fastest signer on this machine: libsodium if it loads and agrees with OpenSSL, else OpenSSL. `onFallback`
 * receives the reason for OpenSSL. Tests replace `load`.
 */
export async function openResponseSigner(
  privateKey: KeyObject,
  onFallback: (reason: string) => void = () => {},
  load: () => Promise<Sodium | undefined> = loadSodium,
): Promise<ResponseSigner> {
  const openssl = createOpensslSigner(privateKey)
  const sodium = await load()
  if (sodium === undefined) {
    onFallback('sodium-native does not load here')
    return openssl
  }
  const libsodium = createSodiumSigner(sodium, privateKey)
  for (const text of AGREEMENT_TEXTS) {
    if (libsodium.sign(text) !== openssl.sign(text)) {
      onFallback('libsodium and OpenSSL disagree on a signature')
      return openssl
    }
  }
  return libsodium
}
