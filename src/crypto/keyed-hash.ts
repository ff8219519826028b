import { hash as digestOf } from 'node:crypto'

/** Bytes that SHA-256 takes at a time: a secret is brought to this length (RFC 2104 section 2). */
const BLOCK_BYTES = 64
const HASH_BYTES = 32
const INNER_PAD = 0x36
const OUTER_PAD = 0x5c
/** Longer texts are rare (a key has 67 characters) and get memory of their own. */
const MOST_BYTES = 512

/** A buffer that shares its memory with no other. */
function ownBuffer(bytes: Uint8Array, more = 0): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length + more).fill(0)
  own.set(bytes)
  return own
}

/** The secret as one block, each byte of it changed by the pad. */
function paddedBlock(secret: Buffer, pad: number): Buffer {
  const key = secret.length > BLOCK_BYTES ? digestOf('sha256', secret, 'buffer') : secret
  const block = ownBuffer(key, BLOCK_BYTES - key.length)
  for (let index = 0; index < BLOCK_BYTES; index += 1) block[index] = (block[index] ?? 0) ^ pad
  return block
}

/**
 * HMAC-SHA256 under a secret, 32 bytes, of a text's UTF-8 bytes. The label stands before the text, ended by a zero byte:
 * hashes for one purpose say nothing about those for another, though both have one secret. Throws a TypeError for an
 * empty secret, and for a label that is empty or holds a zero byte.
 *
 * Its two hashes are written out (RFC 2104), and a property test holds them against OpenSSL's HMAC: every request with a
 * key needs one, and createHmac makes native objects each time that the collector has to see to. What is made from the
 * secret lies in memory that no other buffer shares, and a text (a key, an address) is wiped from there once it is hashed.
 */
export function createKeyedHash(secret: string, label: string): (text: string) => Buffer {
  if (secret === '') throw new TypeError('expected a secret that is not empty')
  if (label === '' || label.includes('\0')) {
    throw new TypeError('expected a label that is not empty and holds no zero byte')
  }
  const pooled = Buffer.from(secret, 'utf8')
  const key = ownBuffer(pooled)
  pooled.fill(0)
  const labelBytes = Buffer.from(`${label}\0`, 'utf8')
  const startBytes = BLOCK_BYTES + labelBytes.length
  const inner = ownBuffer(paddedBlock(key, INNER_PAD), labelBytes.length + MOST_BYTES)
  inner.set(labelBytes, BLOCK_BYTES)
  const outer = ownBuffer(paddedBlock(key, OUTER_PAD), HASH_BYTES)
  key.fill(0)

  function innerHash(text: string): string {
    const textBytes = Buffer.byteLength(text, 'utf8')
    if (textBytes <= MOST_BYTES) {
      const endBytes = startBytes + textBytes
      inner.write(text, startBytes, 'utf8')
      try {
        return digestOf('sha256', inner.subarray(0, endBytes), 'hex')
      } finally {
        inner.fill(0, startBytes, endBytes)
      }
    }
    const long = ownBuffer(inner.subarray(0, startBytes), textBytes)
    long.write(text, startBytes, 'utf8')
    try {
      return digestOf('sha256', long, 'hex')
    } finally {
      long.fill(0)
    }
  }

  return (text) => {
    // Hex, and not bytes: to take and give a short text costs less than to make a Buffer.
    outer.write(innerHash(text), BLOCK_BYTES, 'hex')
    return Buffer.from(digestOf('sha256', outer, 'hex'), 'hex')
  }
}
