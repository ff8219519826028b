import { hash as digestOf } from 'node:crypto'

/** The block size of SHA-256, to which a secret is padded (RFC 2104 section 2). */
const BLOCK_BYTES = 64
const HASH_BYTES = 32
const INNER_PAD = 0x36
const OUTER_PAD = 0x5c
/** Longer texts are rare (a key has 67 characters) and get a separate buffer. */
const MOST_BYTES = 512

/** A buffer outside the shared pool. */
function unpooledBuffer(bytes: Uint8Array, more = 0): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length + more).fill(0)
  own.set(bytes)
  return own
}

/** The secret as one block, with each byte XORed with the pad. */
function paddedBlock(secret: Buffer, pad: number): Buffer {
  const key = secret.length > BLOCK_BYTES ? digestOf('sha256', secret, 'buffer') : secret
  const block = unpooledBuffer(key, BLOCK_BYTES - key.length)
  for (let index = 0; index < BLOCK_BYTES; index += 1) block[index] = (block[index] ?? 0) ^ pad
  return block
}

/**
 * HMAC-SHA256 with a secret over a label, a zero byte and a text's UTF-8 bytes; 32 bytes. The label separates purposes that
 * share a secret. Throws a TypeError for an empty secret, and for a label that is empty or contains a zero byte.
 *
 * HMAC is written out (RFC 2104) and compared with OpenSSL's in a property test: every keyed request needs one, and createHmac
 * allocates native objects for each. The padded secret is outside the shared pool, and a text (a key, an address) is wiped
 * after hashing.
 */
export function createKeyedHash(secret: string, label: string): (text: string) => Buffer {
  if (secret === '') throw new TypeError('expected a non-empty secret')
  if (label === '' || label.includes('\0')) {
    throw new TypeError('expected a non-empty label without a zero byte')
  }
  const pooled = Buffer.from(secret, 'utf8')
  const key = unpooledBuffer(pooled)
  pooled.fill(0)
  const labelBytes = Buffer.from(`${label}\0`, 'utf8')
  const startBytes = BLOCK_BYTES + labelBytes.length
  const inner = unpooledBuffer(paddedBlock(key, INNER_PAD), labelBytes.length + MOST_BYTES)
  inner.set(labelBytes, BLOCK_BYTES)
  const outer = unpooledBuffer(paddedBlock(key, OUTER_PAD), HASH_BYTES)
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
    const long = unpooledBuffer(inner.subarray(0, startBytes), textBytes)
    long.write(text, startBytes, 'utf8')
    try {
      return digestOf('sha256', long, 'hex')
    } finally {
      long.fill(0)
    }
  }

  return (text) => {
    // Passing short hex strings costs less than creating a Buffer.
    outer.write(innerHash(text), BLOCK_BYTES, 'hex')
    return Buffer.from(digestOf('sha256', outer, 'hex'), 'hex')
  }
}
