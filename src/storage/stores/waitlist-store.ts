/** One registration as it is stored. Its content can only be read with a secret that is not in the database. */
export interface SealedRegistration {
  /** `EA-` and 16 upper-case hexadecimal digits. */
  readonly ticket: string
  /** HMAC-SHA256 of the normalized address, 32 bytes; identifies a repeated address. */
  readonly addressHash: Uint8Array
  /** The age recipient (`age1…`) of `sealed`. */
  readonly recipient: string
  /** An age file with everything the person sent. */
  readonly sealed: Uint8Array
  readonly registeredAtMs: number
}

/** A stored registration with its place in the order of registering. */
export interface StoredRegistration extends SealedRegistration {
  /** Grows with each registration and is never reused, not even after an erasure. */
  readonly position: number
}

/** The public part of a registration that was erased. */
export type ErasedRegistration = Pick<SealedRegistration, 'ticket' | 'registeredAtMs'>

export interface WaitlistCount {
  readonly total: number
  /** Undefined for an empty list. */
  readonly firstRegisteredAtMs: number | undefined
  readonly lastRegisteredAtMs: number | undefined
  /** Number of registrations by recipient, largest first. */
  readonly byRecipient: readonly { readonly recipient: string; readonly count: number }[]
}

/** A new age file for a stored registration. */
export interface Reseal {
  readonly position: number
  /** The recipient that the row had when it was read. A row with another recipient is left unchanged. */
  readonly fromRecipient: string
  readonly recipient: string
  readonly sealed: Uint8Array
}

/**
 * The waitlist. Every call may reject with a StorageError, and then nothing was changed: a registration whose `add` was
 * rejected is not on the list and may be sent again.
 */
export interface WaitlistStore {
  /** Writes random content of a registration's size to the table of decoys: shows that registrations can be stored. */
  testWrite(): Promise<void>
  /**
   * Adds a registration unless its address hash is listed. Of concurrent calls with one hash, from any number of
   * processes, exactly one resolves with `added` (unique index). Resolves once the row would survive a power failure.
   * Both outcomes cost the same work, including a durable write. A duplicate changes no registration and stores nothing
   * that was sent.
   */
  add(registration: SealedRegistration): Promise<'added' | 'duplicate'>
  count(): Promise<WaitlistCount>
  /** Up to `limit` registrations after a position (0 for the first page), ordered by position. */
  readAfter(position: number, limit: number): Promise<readonly StoredRegistration[]>
  /** The registration with this address hash, or undefined. */
  find(addressHash: Uint8Array): Promise<StoredRegistration | undefined>
  /** Deletes the registration with this address hash, from the list and from the database files; undefined if unknown. */
  erase(addressHash: Uint8Array): Promise<ErasedRegistration | undefined>
  /** Deletes up to `limit` registrations from before this time, as `erase` does. Resolves with their number. */
  expire(beforeMs: number, limit: number): Promise<number>
  /** Replaces age files, all or none. Resolves with the number of rows that still had `fromRecipient`. */
  reseal(seals: readonly Reseal[]): Promise<number>
}
