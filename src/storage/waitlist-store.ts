/** One registration as it is kept: nothing in it can be read without a secret that is kept elsewhere. */
export interface SealedRegistration {
  /** `EA-` and 16 upper-case hexadecimal digits. */
  readonly ticket: string
  /** HMAC-SHA256 of the normalized address, 32 bytes; recognises a repeated address. */
  readonly addressHash: Uint8Array
  /** The age recipient (`age1…`) whose identity opens `sealed`. */
  readonly recipient: string
  /** An age file: everything the person sent. */
  readonly sealed: Uint8Array
  /** Milliseconds since the epoch. */
  readonly registeredAtMs: number
}

/** A kept registration with its place in the order of registering. */
export interface StoredRegistration extends SealedRegistration {
  /** Grows with each registration and is never given twice, also after an erasure. */
  readonly position: number
}

/** What is told of a registration that is looked up by its address hash. */
export interface ListedRegistration {
  readonly ticket: string
  readonly registeredAtMs: number
}

/** How long the list is. */
export interface WaitlistCount {
  readonly total: number
  /** Undefined on an empty list. */
  readonly firstRegisteredAtMs: number | undefined
  readonly lastRegisteredAtMs: number | undefined
  /** Registrations by the recipient that they are sealed to, most first. */
  readonly byRecipient: readonly { readonly recipient: string; readonly count: number }[]
}

/** Another seal for a registration that is kept already. */
export interface Reseal {
  readonly position: number
  /** The recipient it was sealed to when it was read; a row that has another by now is left alone. */
  readonly fromRecipient: string
  readonly recipient: string
  readonly sealed: Uint8Array
}

/**
 * The waitlist. Every call may reject with a StorageError, and then nothing was changed: a rejected `add` is not on the
 * list and may be sent again.
 */
export interface WaitlistStore {
  /**
   * Puts a registration on the list unless its address hash is there. The store alone decides, by a unique index: of any
   * number of calls with one hash at one time, in whatever processes, one gets `added`. Resolves only when the row would
   * outlive a power cut. Both outcomes cost the same work, a durable write included, and a duplicate changes no
   * registration and keeps nothing of what was sent.
   */
  add(registration: SealedRegistration): Promise<'added' | 'duplicate'>
  count(): Promise<WaitlistCount>
  /** Up to `limit` registrations behind a position (0 for the first), in the order of their positions. */
  readAfter(position: number, limit: number): Promise<readonly StoredRegistration[]>
  /** The registration with this hash, undefined without one. Changes nothing. */
  find(addressHash: Uint8Array): Promise<ListedRegistration | undefined>
  /** Takes the registration with this hash away, out of the files too and not only out of the list; undefined without one. */
  erase(addressHash: Uint8Array): Promise<ListedRegistration | undefined>
  /** Replaces seals, all of them or none. Resolves with how many rows still had the recipient they were read with. */
  reseal(seals: readonly Reseal[]): Promise<number>
}
