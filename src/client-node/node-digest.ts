import nodeCrypto from 'node:crypto'

/** Without an object for each hash; the first releases of Node 20 do not have it. */
const hash = nodeCrypto.hash as typeof nodeCrypto.hash | undefined

/**
 * SHA-256 of bytes, at once: for what the API sends, handing the work to another thread as WebCrypto does costs several
 * times the hashing. It is what the client imports as `#digest` where it runs on Node.
 */
export function digestSha256(bytes: Uint8Array): Promise<Uint8Array> | Uint8Array {
  return hash === undefined
    ? nodeCrypto.createHash('sha256').update(bytes).digest()
    : hash('sha256', bytes, 'buffer')
}
