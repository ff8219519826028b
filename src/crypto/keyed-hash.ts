import { hash as digestOf } from 'node:crypto'

/** Bytes that SHA-256 takes at a time: a secret is brought to this length (RFC 2104 section 2). */
const BLOCK_BYTES = 64
const HASH_BYTES = 32
const INNER_PAD = 0x36
const OUTER_PAD = 0x5c

/** The secret as one block, each byte of it changed by the pad. */
function padded(secret: Buffer, pad: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES)
  block.set(secret.length > BLOCK_BYTES ? digestOf('sha256', secret, 'buffer') : secret)
  return block.map((byte) => byte ^ pad) as Buffer
}

/**
 * HMAC-SHA256 under a secret, 32 bytes, of a text's UTF-8 bytes. The label stands before the text, ended by a zero byte:
 * hashes for one purpose say nothing about those for another, though both have one secret. Throws a TypeError for an
 * empty secret, and for a label that is empty or holds a zero byte.
 *
 * Its two hashes are written out (RFC 2104) since every request with a key needs one: createHmac makes an object each time
 * that the collector has to see to, and takes three times as long.
 */
export function createKeyedHash(secret: string, label: string): (text: string) => Buffer {
  if (secret === '') throw new TypeError('expected a secret that is not empty')
  if (label === '' || label.includes('\0')) {
    throw new TypeError('expected a label that is not empty and holds no zero byte')
  }
  const key = Buffer.from(secret, 'utf8')
  const start = Buffer.concat([padded(key, INNER_PAD), Buffer.from(`${label}\0`, 'utf8')])
  const outer = Buffer.concat([padded(key, OUTER_PAD), Buffer.alloc(HASH_BYTES)])
  return (text) => {
    const inner = Buffer.allocUnsafe(start.length + Buffer.byteLength(text, 'utf8'))
    start.copy(inner)
    inner.write(text, start.length, 'utf8')
    // Hex, and not bytes: to take and give a short text costs less than to make a Buffer.
    outer.write(digestOf('sha256', inner, 'hex'), BLOCK_BYTES, 'hex')
    return Buffer.from(digestOf('sha256', outer, 'hex'), 'hex')
  }
}
