// The interface of `#crypto`: web-crypto.ts in browsers and elsewhere, node/node-crypto.ts in Node (`imports`
// of the manifest). A platform returns its result synchronously if it can.

type MaybePromise<Value> = Promise<Value> | Value

/** SHA-256 of bytes, or of a text's UTF-8 bytes, as text. */
export type Sha256 = (content: Uint8Array | string) => MaybePromise<string>

/** SHA-256 of bytes, or of a text's UTF-8 bytes, as 32 bytes. */
export type Sha256Bytes = (content: Uint8Array | string) => MaybePromise<Uint8Array>

/** Whether bytes are one key's signature over others: 64 bytes for Ed25519 (RFC 8032 5.1.7). */
export type CheckSignature = (signature: Uint8Array, signed: Uint8Array) => MaybePromise<boolean>

/**
 * Reads the 1,312 bytes of an ML-DSA-44 public key (FIPS 204); undefined where the platform cannot check its signatures.
 * They have 2,420 bytes and no context.
 */
export type ImportMlDsa44 = (publicKey: Uint8Array) => MaybePromise<CheckSignature | undefined>

/** Reads the 32 bytes of an Ed25519 public key. As expensive as verifying a signature. */
export type ImportEd25519 = (publicKey: Uint8Array) => MaybePromise<CheckSignature>
