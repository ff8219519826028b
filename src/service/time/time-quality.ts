import type { DataOf } from '@public-api/contract/registry/schemas'
import { LIMITS } from '@public-api/contract/terms/limits'
import { formatInstant } from '@public-api/contract/text/instant'
import type { NtpServer } from './ntp-server.ts'
import { querySntp, SntpError, type SntpQuery, type SntpSample } from './sntp.ts'

/**
 * The measured quality of this server's clock:
 * - UNVERIFIED: no source is configured, or its first measurement is still under way. All other fields except `source` are null.
 * - SYNCHRONIZED: |offsetMs| + maxErrorMs is within `maxDistanceMs`.
 * - UNSYNCHRONIZED: it is beyond that; or the source has given no good response for `silenceLimitMs` (for three intervals,
 *   once RATE made them longer), or none at all, and then `offsetMs` and `maxErrorMs` are null.
 */
export type TimeQuality = DataOf<'Time'>['quality']

/** The stated bounds. Times are milliseconds. */
export const TIME_QUALITY_BOUNDS = {
  /**
   * The largest |offset| + error called SYNCHRONIZED. Within half a second, a time rounded to the second is off by at
   * most one. Half the delay and the root distance of a distant public server add up to at most 0.2 s, so a healthy
   * clock passes over any ordinary network.
   */
  maxDistanceMs: LIMITS.maxTimeDistanceMs,
  /** Between measurements: the shortest that RFC 5905 section 7.3 suggests (2^6 s). The drift allowance stays at 1 ms. */
  intervalMs: 64_000,
  /** After a failure; doubles up to the interval. RFC 4330 section 10 requires at least 15 s. */
  retryMs: 16_000,
  /** Covers three lost packets in a row. */
  silenceLimitMs: LIMITS.timeSilenceSeconds * 1000,
  /**
   * For the name lookup and the response. Half of it is for the network, since a longer delay would exceed
   * `maxDistanceMs` anyway; the other half is for a slow server.
   */
  queryTimeoutMs: 2000,
  /**
   * RFC 5905 PHI: how much the error grows with the age of a measurement, in millionths. A time daemon that slews this
   * clock also slews the monotonic one, by up to 32 ms in an interval (500 ppm). The next measurement shows it.
   */
  driftPpm: 15,
  /** Reading error of this clock: it counts whole milliseconds, and the response has its own timestamp. */
  readingMs: 1,
  /** RATE responses double the interval up to this, the most that RFC 5905 section 7.3 suggests (2^10 s). */
  maxSlowedIntervalMs: 1_024_000,
  /** After DENY or RSTR: queried again after this long, so that no restart is needed. */
  deniedRetryMs: 3_600_000,
} as const

export interface TimeQualityOptions {
  readonly server: NtpServer
  /** The measured clock, in Unix milliseconds. */
  readonly nowMs: () => number
  /** A clock that never steps, milliseconds from any start. */
  readonly monotonicMs: () => number
  readonly measure?: (query: SntpQuery) => Promise<SntpSample>
  /** Runs a function later and returns a cancel function. Default: a timer that does not keep the process alive. */
  readonly schedule?: (run: () => void, delayMs: number) => () => void
  /** From 0 up to 1; spreads the measurements of several processes. `Math.random` by default. */
  readonly random?: () => number
  readonly bounds?: { readonly [Name in keyof typeof TIME_QUALITY_BOUNDS]?: number }
  /** Called after each successful measurement, with the new quality. */
  readonly onMeasured?: (quality: TimeQuality) => void
  /** Called after each failed measurement, usually with an `SntpError`. */
  readonly onFailure?: (error: unknown) => void
}

const NOTHING_KNOWN = { offsetMs: null, maxErrorMs: null, checkedAt: null } as const

/** The quality of a server without a time source: always UNVERIFIED. */
export const UNVERIFIED_TIME: TimeQualityMonitor = {
  quality: () => ({ state: 'UNVERIFIED', source: null, ...NOTHING_KNOWN }),
  close: () => {},
}

/**
 * Measures the clock against one time server, immediately and then in the background until `close`. A server that does
 * not respond is not an error.
 */
export function openTimeQuality(options: TimeQualityOptions) {
  const { server, nowMs, monotonicMs, onMeasured, onFailure } = options
  const { measure = querySntp, schedule = scheduleUnref, random = Math.random } = options
  const bounds = { ...TIME_QUALITY_BOUNDS, ...options.bounds }
  const { source } = server

  let known: { readonly sample: SntpSample; readonly checkedAt: string } | null = null
  let failures = 0
  /** Incremented by each failure, so that the next address of the name is tried. */
  let turn = 0
  let slowedBy = 1
  let cancelNext: (() => void) | undefined
  let isClosed = false

  function quality(): TimeQuality {
    if (known === null) {
      const state = failures === 0 ? 'UNVERIFIED' : 'UNSYNCHRONIZED'
      return { state, source, ...NOTHING_KNOWN }
    }
    const { sample, checkedAt } = known
    // Something else may run between two readings: the wall clock was read at some time between these.
    const beforeMs = monotonicMs()
    const wallMs = nowMs()
    const halfReadingMs = (monotonicMs() - beforeMs) / 2
    const ageMs = beforeMs + halfReadingMs - sample.atMonotonicMs
    // A source that requested fewer queries is not silent between them. The allowance for drift goes on growing.
    const slowedLimitMs = slowedBy === 1 ? 0 : 3 * bounds.intervalMs * slowedBy
    if (ageMs > Math.max(bounds.silenceLimitMs, slowedLimitMs)) {
      return { state: 'UNSYNCHRONIZED', source, ...NOTHING_KNOWN, checkedAt }
    }
    // The monotonic clock extends the reference to now, so that a step of the wall clock shows immediately.
    const exactOffsetMs = wallMs - (sample.referenceMs + ageMs)
    const offsetMs = Math.round(exactOffsetMs) + 0 // -0 becomes 0
    const maxErrorMs = Math.ceil(
      sample.errorMs +
        halfReadingMs +
        (ageMs * bounds.driftPpm) / 1e6 +
        bounds.readingMs +
        Math.abs(exactOffsetMs - offsetMs),
    )
    const isClose = Math.abs(offsetMs) + maxErrorMs <= bounds.maxDistanceMs
    const state = isClose ? 'SYNCHRONIZED' : 'UNSYNCHRONIZED'
    return { state, source, offsetMs, maxErrorMs, checkedAt }
  }

  async function run(): Promise<void> {
    let failure: unknown = null
    try {
      const timeoutMs = bounds.queryTimeoutMs
      const sample = await measure({
        server,
        turn,
        timeoutMs,
        nowMs,
        monotonicMs,
        isBackground: true,
      })
      if (isClosed) return
      failures = 0
      known = { sample, checkedAt: formatInstant(nowMs()) }
    } catch (error) {
      if (isClosed) return
      failures += 1
      turn += 1
      failure = error
    }
    const kissCode = failure instanceof SntpError ? failure.kissCode : null
    cancelNext = schedule(() => void run(), pauseAfter(kissCode))
    if (failures === 0) onMeasured?.(quality())
    else onFailure?.(failure)
  }

  function pauseAfter(kissCode: string | null): number {
    if (kissCode === 'RATE') {
      slowedBy = Math.min(slowedBy * 2, bounds.maxSlowedIntervalMs / bounds.intervalMs)
    }
    const intervalMs = bounds.intervalMs * slowedBy
    const retryMs = bounds.retryMs * slowedBy * 2 ** (failures - 1)
    const isDenied = kissCode === 'DENY' || kissCode === 'RSTR'
    const isRegular = failures === 0 || kissCode === 'RATE'
    const pauseMs = isRegular ? intervalMs : Math.min(retryMs, intervalMs)
    // Up to an eighth longer, so that processes that started together do not query at the same time.
    return (isDenied ? bounds.deniedRetryMs : pauseMs) * (1 + random() / 8)
  }

  void run()
  return {
    /** Cheap enough to call for every request. */
    quality,
    /** Stops the timer. The last result stays readable until it is too old. */
    close(): void {
      isClosed = true
      cancelNext?.()
    },
  }
}

export type TimeQualityMonitor = ReturnType<typeof openTimeQuality>

function scheduleUnref(run: () => void, delayMs: number): () => void {
  const timer = setTimeout(run, delayMs)
  timer.unref()
  return () => clearTimeout(timer)
}
