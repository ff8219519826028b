/** A fixed window that requests are counted in. It begins with the first request counted, and its end is its end. */
export interface CountedWindow {
  /** What is counted, such as `register:<actor>`. Never an address. */
  readonly key: string
  /** Requests in one window. */
  readonly limit: number
  readonly windowSeconds: number
}

/** How a window stands after a request was counted or refused. */
export interface WindowState {
  /** Requests left in it. */
  readonly remaining: number
  /** When it ends: milliseconds since the epoch. */
  readonly endsAtMs: number
}

/** Whether a request was within every window. */
export interface CountOutcome {
  readonly isAdmitted: boolean
  /** One for each window asked for, in their order. */
  readonly windows: readonly WindowState[]
}

/**
 * What all processes of a deployment count together, and forget. Each call is atomic: two at the same time, from
 * whatever process, come one after the other. May fail with CountersError: mostly nothing was counted or
 * spent then. In a group of processes it may have been, and only the answer came too late; that errs towards refusing.
 */
export interface Counters {
  /**
   * Counts a request in every window, or in none of them when one of them is full: a request that one limit refuses uses
   * up nothing of another. A key takes up memory only from an admitted request until its window ends. Where nothing has
   * to be waited for the outcome is given at once.
   */
  count(windows: readonly CountedWindow[]): CountOutcome | Promise<CountOutcome>
  /**
   * Remembers an id until the given time (milliseconds since the epoch); false when it is remembered already. What is
   * remembered is dropped by its time alone, never to make room.
   */
  spend(id: string, untilMs: number): Promise<boolean>
  /** Forgets a spent id, when what it was spent on did not happen. */
  release(id: string): Promise<void>
  /**
   * A random secret of 32 bytes: made by the first call for its name, the same for every later one until the given time,
   * and never on a disk. When the counters are lost it is lost with them.
   */
  secret(name: string, untilMs: number): Promise<Uint8Array>
}

/** The counters could not be reached. */
export class CountersError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CountersError'
  }
}
