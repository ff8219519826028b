import { formatInstant } from '../contract/instant.ts'
import { LIMITS } from '../contract/limits.ts'
import type { ConfiguredNtpServer } from './ntp-server.ts'
import { measureSntp, SntpError } from './sntp.ts'
import type { MeasuredTime, SntpMeasurement } from './sntp.ts'

/**
 * How good the clock of this server is, as measured. Nothing in it is assumed:
 * - UNVERIFIED: no source is configured, or its first measurement is still under way. Everything else is null but `source`.
 * - SYNCHRONIZED: |offsetMs| + maxErrorMs is within `maxDistanceMs`.
 * - UNSYNCHRONIZED: it is beyond that; or the source has given no good response for `silenceLimitMs` (for three intervals,
 *   once RATE made them longer), or none at all, and then `offsetMs` and `maxErrorMs` are null.
 */
export interface TimeQuality {
  readonly state: 'SYNCHRONIZED' | 'UNSYNCHRONIZED' | 'UNVERIFIED'
  /** The server as configured, never the address behind its name. */
  readonly source: string | null
  /** Whole milliseconds, this clock minus the reference: positive when this clock is ahead. */
  readonly offsetMs: number | null
  /** Whole milliseconds, rounded up: the true offset lies within offsetMs ± maxErrorMs, if the source is right. */
  readonly maxErrorMs: number | null
  /** When the source last gave a usable response: ISO 8601, UTC, by this clock at that time. */
  readonly checkedAt: string | null
}

/** `quality()` reads two clocks and does a little arithmetic: it may be called for every request. */
export interface TimeQualityMonitor {
  quality(): TimeQuality
  /** Stops timers and closes sockets. The last result stays readable until it is too old. */
  close(): void
}

/** The stated bounds. Times are milliseconds. */
export const TIME_QUALITY_BOUNDS = {
  /**
   * The largest |offset| + error called SYNCHRONIZED. Within half a second, a time rounded to the second is at most one
   * off; and a healthy clock passes over any ordinary network, where half the delay and the root distance of a far
   * public server come to 0.2 s at worst. Who needs it tighter reads offsetMs and maxErrorMs.
   */
  maxDistanceMs: LIMITS.maxTimeDistanceMs,
  /** Between measurements: the least interval RFC 5905 section 7.3 suggests (2^6 s); the drift allowance stays at 1 ms. */
  intervalMs: 64_000,
  /** After a failure; doubles up to the interval. RFC 4330 section 10 sets 15 s as the least. */
  retryMs: 16_000,
  /** Covers three failed measurements in a row (twelve lost packets). */
  silenceLimitMs: LIMITS.timeSilenceSeconds * 1000,
  /**
   * For the name lookup and for each query. A path longer than half of it would put the error beyond `maxDistanceMs`
   * anyway; the other half is for a slow server.
   */
  queryTimeoutMs: 2000,
  /** Maximum number of queries in one measurement; the first sample within `goodErrorMs` ends it. */
  queries: 4,
  /** Between two queries of one measurement: RFC 5905 spaces a burst by 2 s, and rate limiters expect no less. */
  spacingMs: 2000,
  /** A tenth of `maxDistanceMs`: more queries would load the server and not help the reader. */
  goodErrorMs: 50,
  /**
   * RFC 5905 PHI: how much the error grows with the age of a measurement, in millionths. A time daemon that slews this
   * clock moves the monotonic one along (at 500 ppm, 32 ms in an interval); that shows at the next measurement, not before.
   */
  driftPpm: 15,
  /** Reading error of this clock: it counts whole milliseconds, and the response has its own timestamp. */
  readingMs: 1,
  /**
   * The server said RATE: intervals double each time and stay so while the process lives, up to this
   * (2^10 s, the most that RFC 5905 section 7.3 suggests).
   */
  maxSlowedIntervalMs: 1_024_000,
  /** The server said DENY or RSTR: queried again after this long, so that no restart is needed. */
  deniedRetryMs: 3_600_000,
} as const

/** The shape of `TIME_QUALITY_BOUNDS`, for other values in tests. */
export type TimeQualityBounds = { readonly [Name in keyof typeof TIME_QUALITY_BOUNDS]: number }

export interface TimeQualityOptions {
  readonly server: ConfiguredNtpServer
  /** The clock that is judged: Unix milliseconds. */
  readonly nowMs: () => number
  /** A clock that never steps, milliseconds from any start. */
  readonly monotonicMs: () => number
  /** One measurement; throws when it fails. Default: `measureSntp`. */
  readonly measure?: (measurement: SntpMeasurement) => Promise<MeasuredTime>
  /**
   * Runs a function once, later, and returns a cancel function. By default timers that do not keep the process alive.
   */
  readonly schedule?: (run: () => void, delayMs: number) => () => void
  /** From 0 up to 1; spreads the measurements of several processes. `Math.random` by default. */
  readonly random?: () => number
  readonly bounds?: Partial<TimeQualityBounds>
  /** For the log: a measurement succeeded, and this is the quality since. */
  readonly onMeasured?: (quality: TimeQuality) => void
  /** For the log: a measurement failed, usually with an `SntpError`. */
  readonly onFailure?: (error: unknown) => void
}

const NOTHING_KNOWN = { offsetMs: null, maxErrorMs: null, checkedAt: null } as const

/** For a server without a time source: always UNVERIFIED. */
export function createUnverifiedTime(): TimeQualityMonitor {
  return {
    quality: () => ({ state: 'UNVERIFIED', source: null, ...NOTHING_KNOWN }),
    close: () => {},
  }
}

/** Measures the clock against one time server, at once and then in the background until `close`. A server that does not respond is not an error. */
export function openTimeQuality(options: TimeQualityOptions): TimeQualityMonitor {
  const { server, nowMs, monotonicMs, onMeasured, onFailure } = options
  const measure = options.measure ?? measureSntp
  const schedule = options.schedule ?? scheduleUnref
  const random = options.random ?? Math.random
  const bounds: TimeQualityBounds = { ...TIME_QUALITY_BOUNDS, ...options.bounds }
  const { source } = server
  const stop = new AbortController()

  let known: { readonly sample: MeasuredTime; readonly checkedAt: string } | null = null
  let failures = 0
  let slowedBy = 1
  let isDenied = false
  let cancelNext: (() => void) | null = null
  /** Set while a measurement found the clock right and has not been doubted since: see `doubt`. */
  let doubtable = false
  let finishedMs = 0

  function quality(): TimeQuality {
    if (known === null) {
      const state = failures === 0 ? 'UNVERIFIED' : 'UNSYNCHRONIZED'
      return { state, source, ...NOTHING_KNOWN }
    }
    const { sample, checkedAt } = known
    const ageMs = monotonicMs() - sample.atMonotonicMs
    if (ageMs > silenceLimit()) {
      return { state: 'UNSYNCHRONIZED', source, ...NOTHING_KNOWN, checkedAt }
    }
    // The reference is carried on by the monotonic clock and the wall clock is read now: a wall clock that stepped since
    // the measurement shows its new offset at once.
    const exactOffsetMs = nowMs() - (sample.referenceMs + ageMs)
    const offsetMs = Math.round(exactOffsetMs) + 0 // -0 becomes 0
    const maxErrorMs = Math.ceil(
      sample.errorMs +
        (ageMs * bounds.driftPpm) / 1e6 +
        bounds.readingMs +
        Math.abs(exactOffsetMs - offsetMs),
    )
    const isClose = Math.abs(offsetMs) + maxErrorMs <= bounds.maxDistanceMs
    if (!isClose) doubt()
    return {
      state: isClose ? 'SYNCHRONIZED' : 'UNSYNCHRONIZED',
      source,
      offsetMs,
      maxErrorMs,
      checkedAt,
    }
  }

  /**
   * How old a measurement may be. A source that requested fewer queries is not silent between them, so the limit grows
   * with the interval; the allowance for drift goes on growing with the age.
   */
  function silenceLimit(): number {
    if (slowedBy === 1) return bounds.silenceLimitMs
    return Math.max(bounds.silenceLimitMs, 3 * bounds.intervalMs * slowedBy)
  }

  /**
   * A clock that was right when measured and is not now has stepped, or the machine slept and the monotonic clock stood
   * still. Only a measurement can distinguish the two, so the next one is brought forward, once.
   */
  function doubt(): void {
    if (!doubtable || stop.signal.aborted) return
    doubtable = false
    cancelNext?.()
    const earliestMs = finishedMs + bounds.retryMs * slowedBy
    cancelNext = schedule(start, Math.max(0, earliestMs - monotonicMs()))
  }

  function start(): void {
    void run()
  }

  async function run(): Promise<void> {
    doubtable = false
    let measured: MeasuredTime | null = null
    let failure: unknown = null
    try {
      measured = await measure({
        server,
        // A server that said RATE gets no more bursts.
        queries: slowedBy > 1 ? 1 : bounds.queries,
        spacingMs: bounds.spacingMs,
        timeoutMs: bounds.queryTimeoutMs,
        goodErrorMs: bounds.goodErrorMs,
        nowMs,
        monotonicMs,
        signal: stop.signal,
      })
    } catch (error) {
      failure = error
    }
    if (stop.signal.aborted) return
    finishedMs = monotonicMs()
    if (measured === null) {
      failures += 1
    } else {
      failures = 0
      known = { sample: measured, checkedAt: formatInstant(nowMs()) }
    }
    const kissCode = measured === null ? kissCodeOf(failure) : measured.kissCode
    cancelNext = schedule(start, pauseAfter(kissCode))
    const current = quality()
    doubtable = current.state === 'SYNCHRONIZED' && kissCode === null && failures === 0
    if (measured === null) onFailure?.(failure)
    else onMeasured?.(current)
  }

  function pauseAfter(kissCode: string | null): number {
    if (kissCode === 'DENY' || kissCode === 'RSTR') isDenied = true
    else if (failures === 0) isDenied = false
    if (kissCode === 'RATE') {
      const mostSlowed = Math.max(1, bounds.maxSlowedIntervalMs / bounds.intervalMs)
      slowedBy = Math.min(slowedBy * 2, mostSlowed)
    }
    const intervalMs = bounds.intervalMs * slowedBy
    const isRetry = failures > 0 && kissCode !== 'RATE'
    const pauseMs = isDenied
      ? bounds.deniedRetryMs
      : isRetry
        ? Math.min(bounds.retryMs * slowedBy * 2 ** (failures - 1), intervalMs)
        : intervalMs
    // Up to an eighth late, so that processes started together do not ask together for ever.
    return pauseMs * (1 + random() / 8)
  }

  start()
  return {
    quality,
    close: () => {
      cancelNext?.()
      stop.abort()
    },
  }
}

function kissCodeOf(error: unknown): string | null {
  return error instanceof SntpError ? error.kissCode : null
}

function scheduleUnref(run: () => void, delayMs: number): () => void {
  const timer = setTimeout(run, delayMs)
  timer.unref()
  return () => clearTimeout(timer)
}
