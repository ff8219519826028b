// The interface of `#crypto`: web-crypto.ts in browsers and elsewhere, client-node/node-crypto.ts in Node (`imports`
// of the manifest). A platform returns its result synchronously if it can.

type MaybePromise<Value> = Promise<Value> | Value

/** SHA-256 of bytes, or of a text's UTF-8 bytes, as text. */
export type Sha256 = (content: Uint8Array | string) => MaybePromise<string>

/** SHA-256 of bytes, or of a text's UTF-8 bytes, as 32 bytes. */
export type Sha256Bytes = (content: Uint8Array | string) => MaybePromise<Uint8Array>

/** Whether 64 bytes are one key's Ed25519 signature over bytes (RFC 8032 5.1.7). */
export type CheckSignature = (signature: Uint8Array, signed: Uint8Array) => MaybePromise<boolean>

/** Reads the 32 bytes of an Ed25519 public key. As expensive as verifying a signature. */
export type ImportEd25519 = (publicKey: Uint8Array) => MaybePromise<CheckSignature>
