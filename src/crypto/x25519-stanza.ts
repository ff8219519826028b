import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'

import { Stanza, type Identity, type Recipient } from 'age-encryption'

/*
 * The X25519 stanza of an age file (c2sp.org/age, "X25519 recipient stanza") over node:crypto. The library has it too,
 * over WebCrypto and plain JavaScript, where it is most of the cost of a small file: with this one a row opens in half
 * the time and is sealed in less than half. Header, MAC and payload stay with the library.
 */

const LABEL = 'age-encryption.org/v1/X25519'
const KEY_BYTES = 32
const FILE_KEY_BYTES = 16
const TAG_BYTES = 16
/** Every file key is wrapped under a key of its own, so the format has the nonce at zero. */
const NONCE = Buffer.alloc(12)
/** DER around a raw key (RFC 8410). */
const PKCS8_START = Buffer.from('302e020100300506032b656e04220420', 'hex')
const SPKI_START = Buffer.from('302a300506032b656e032100', 'hex')

const BECH32_ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const CHECKSUM_CHARACTERS = 6

/**
 * The bytes that a Bech32 text carries (BIP 173). The checksum is not looked at: callers let the library read the same
 * text first, and it refuses a wrong one.
 */
function bech32Bytes(text: string): Buffer {
  const data = text.slice(text.lastIndexOf('1') + 1, -CHECKSUM_CHARACTERS).toLowerCase()
  const bytes: number[] = []
  let bits = 0
  let held = 0
  for (const character of data) {
    held = (held << 5) | BECH32_ALPHABET.indexOf(character)
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push(held >> bits)
    held &= (1 << bits) - 1
  }
  return Buffer.from(bytes)
}

function publicKeyOf(raw: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_START, raw]), format: 'der', type: 'spki' })
}

function rawPublicKey(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES)
}

function toUnpaddedBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

/** The key that wraps the file key. OpenSSL refuses a share of low order, as the format asks. */
function wrapKey(privateKey: KeyObject, peer: KeyObject, share: Buffer, recipient: Buffer): Buffer {
  const secret = diffieHellman({ privateKey, publicKey: peer })
  return Buffer.from(hkdfSync('sha256', secret, Buffer.concat([share, recipient]), LABEL, 32))
}

/** The file key that a stanza holds, or undefined where the key does not fit. */
function unwrap(body: Uint8Array, key: Buffer): Buffer | undefined {
  const decipher = createDecipheriv('chacha20-poly1305', key, NONCE, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(body.subarray(FILE_KEY_BYTES))
  const fileKey = decipher.update(body.subarray(0, FILE_KEY_BYTES))
  try {
    decipher.final()
    return fileKey
  } catch {
    return undefined
  }
}

/** Reads the share of an X25519 stanza. Throws where the stanza is not as the format has it. */
function shareOf({ args, body }: Stanza): Buffer {
  const [, text = '', ...others] = args
  const share = Buffer.from(text, 'base64')
  const isCanonical = share.length === KEY_BYTES && toUnpaddedBase64(share) === text
  if (others.length > 0 || !isCanonical || body.length !== FILE_KEY_BYTES + TAG_BYTES) {
    throw new TypeError('expected an X25519 stanza with a share and a wrapped file key')
  }
  return share
}

/** What wraps file keys for a recipient (`age1…`, read by the library before). */
export function createX25519Recipient(text: string): Recipient {
  const recipient = bech32Bytes(text)
  const peer = publicKeyOf(recipient)
  return {
    wrapFileKey(fileKey) {
      const { publicKey, privateKey } = generateKeyPairSync('x25519')
      const share = rawPublicKey(publicKey)
      const key = wrapKey(privateKey, peer, share, recipient)
      const cipher = createCipheriv('chacha20-poly1305', key, NONCE, { authTagLength: TAG_BYTES })
      const wrapped = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()])
      return [new Stanza(['X25519', toUnpaddedBase64(share)], wrapped)]
    },
  }
}

/** What unwraps file keys with an identity (`AGE-SECRET-KEY-1…`, read by the library before). */
export function createX25519Identity(text: string): Identity {
  const key = Buffer.concat([PKCS8_START, bech32Bytes(text)])
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  const recipient = rawPublicKey(createPublicKey(privateKey))
  return {
    unwrapFileKey(stanzas) {
      for (const stanza of stanzas) {
        if (stanza.args[0] !== 'X25519') continue
        const share = shareOf(stanza)
        const fileKey = unwrap(
          stanza.body,
          wrapKey(privateKey, publicKeyOf(share), share, recipient),
        )
        if (fileKey !== undefined) return fileKey
      }
      return null
    },
  }
}
