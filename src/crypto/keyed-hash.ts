import { createHmac, createSecretKey } from 'node:crypto'

/**
 * HMAC-SHA256 with a secret over a label, a zero byte and a text's UTF-8 bytes; 32 bytes. The label separates purposes that
 * share a secret. Throws a TypeError for an empty secret, and for a label that is empty or contains a zero byte.
 */
export function createKeyedHash(secret: string, label: string): (text: string) => Buffer {
  if (secret === '') throw new TypeError('expected a non-empty secret')
  if (label === '' || label.includes('\0')) {
    throw new TypeError('expected a non-empty label without a zero byte')
  }
  const key = createSecretKey(secret, 'utf8')
  return (text) => createHmac('sha256', key).update(`${label}\0${text}`).digest()
}
