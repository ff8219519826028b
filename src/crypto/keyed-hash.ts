import { createHmac, createSecretKey } from 'node:crypto'

/**
 * HMAC-SHA256 under a secret, 32 bytes, of a text's UTF-8 bytes. The label stands before the text, ended by a zero byte:
 * hashes for one purpose say nothing about those for another, though both have one secret. Throws a TypeError for an
 * empty secret, and for a label that is empty or holds a zero byte.
 */
export function createKeyedHash(secret: string, label: string): (text: string) => Buffer {
  if (secret === '') throw new TypeError('expected a secret that is not empty')
  if (label === '' || label.includes('\0')) {
    throw new TypeError('expected a label that is not empty and holds no zero byte')
  }
  const key = createSecretKey(secret, 'utf8')
  const start = `${label}\0`
  return (text) => createHmac('sha256', key).update(start, 'utf8').update(text, 'utf8').digest()
}
