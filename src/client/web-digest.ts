/** SHA-256 of bytes by WebCrypto, which every browser has. Node takes `#digest` from client-node instead. */
export function digestSha256(bytes: Uint8Array): Promise<Uint8Array> | Uint8Array {
  return crypto.subtle
    .digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)
    .then((digest) => new Uint8Array(digest))
}
