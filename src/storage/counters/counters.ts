/** A fixed window that requests are counted in. It starts with the first counted request and is never extended. */
export interface CountedWindow {
  /** The subject of a count, such as `register:<actor>`; never an address. */
  readonly key: string
  /** The maximum number of requests in one window. */
  readonly requests: number
  readonly windowSeconds: number
}

/** The state of a window after a request was counted or refused. */
export interface WindowState {
  readonly remaining: number
  readonly endsAtMs: number
}

export interface CountOutcome {
  readonly isAdmitted: boolean
  /** One for each window passed in, in the same order. */
  readonly windows: readonly WindowState[]
}

/** A window as the counters of a process and of a database store it. */
export interface StoredWindow {
  readonly used: number
  readonly endsAtMs: number
}

/** Windows of one key with different lengths are counted separately. */
export function windowNameOf({ key, windowSeconds }: CountedWindow): string {
  return `${key} ${windowSeconds}`
}

/** Whether a window lasts. It cannot end later than one that starts now, unless a clock was set back. */
export function isOpenWindow({ endsAtMs }: StoredWindow, lengthMs: number, nowMs: number): boolean {
  return nowMs < endsAtMs && endsAtMs - nowMs <= lengthMs
}

/** Counts a request as `Counters.count` does. Returns the windows to store by their names; none if it is refused. */
export function countRequest(
  windows: readonly CountedWindow[],
  stored: ReadonlyMap<string, StoredWindow>,
  nowMs: number,
  maxClockSkewMs = 0,
) {
  const found = windows.map((window) => {
    const lengthMs = window.windowSeconds * 1000
    const name = windowNameOf(window)
    const known = stored.get(name)
    const isKnown = known !== undefined && isOpenWindow(known, lengthMs + maxClockSkewMs, nowMs)
    const { used, endsAtMs } = isKnown ? known : { used: 0, endsAtMs: nowMs + lengthMs }
    return { name, limit: window.requests, used, endsAtMs, lengthMs }
  })
  const isAdmitted = found.every(({ used, limit }) => used < limit)
  const counted = found.map((window) => ({ ...window, used: window.used + Number(isAdmitted) }))
  const outcome: CountOutcome = {
    isAdmitted,
    windows: counted.map(({ limit, used, endsAtMs }) => ({
      remaining: Math.max(0, limit - used),
      endsAtMs,
    })),
  }
  return { outcome, changed: isAdmitted ? counted : [] }
}

export const SECRET_BYTES = 32

/** How often expired entries are deleted. */
export const SWEEP_INTERVAL_MS = 60_000

/** A secret of `Counters.secret` as its caller received it. */
export interface NamedSecret {
  readonly name: string
  readonly bytes: Uint8Array
}

/**
 * Short-lived state that all processes of a deployment share. Each call is atomic, also between processes. A call may
 * reject with CountersError. In that case nothing was counted or spent, unless only the response was late.
 */
export interface Counters {
  /**
   * Counts a request in every window, or in none if one of them is full, so that a refused request uses up no other
   * limit. A key takes memory only while a window with an admitted request is open.
   */
  count(windows: readonly CountedWindow[]): Promise<CountOutcome>
  /**
   * Stores an id until the given time (milliseconds since the epoch); false if it is already stored. Ids are dropped
   * only at that time, never to free memory. With `secret`, also false if the counters that would store the id have
   * another secret of this name. A data loss of spent ids thus invalidates their challenges.
   */
  spend(id: string, untilMs: number, secret?: NamedSecret): Promise<boolean>
  /** Deletes a spent id after the action for which it was spent has failed. */
  release(id: string): Promise<void>
  /**
   * A random secret of 32 bytes, created by the first call with its name and returned by every later one until the given
   * time. It is stored with the spent ids, so that losing them loses the secret too.
   */
  secret(name: string, untilMs: number): Promise<Uint8Array>
}

export class CountersError extends Error {
  override readonly name = 'CountersError'
}
