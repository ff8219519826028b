/** A source of time. Always an argument, so that a test can advance it. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  nowMs(): number
}

export const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now() }
