const HASH_BYTES = 32

/** Throws a RangeError unless these are the 32 bytes of a hash. */
export function assertHash(name: string, hash: Uint8Array): void {
  if (hash.length === HASH_BYTES) return
  throw new RangeError(`${name}: found ${hash.length} bytes, expected ${HASH_BYTES}`)
}

/** Throws a RangeError unless this is a whole number of at least `least`. */
export function assertCount(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return
  throw new RangeError(`${name}: found ${value}, expected a whole number of at least ${least}`)
}

/** Copies the bytes: what is sent to another thread is the whole memory that a view looks at, a pool of Buffers say. */
export function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}
