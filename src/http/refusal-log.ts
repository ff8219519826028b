import type { ErrorCode } from '../contract/errors.ts'
import type { Log } from '../service/log.ts'

/** A refusal with an internal cause, for the log. */
export interface Refusal {
  readonly requestId: string
  readonly endpoint: string | undefined
  readonly code: ErrorCode
  readonly err: unknown
}

const INTERVAL_MS = 1000

/**
 * Logs refusals with a cause, each code once a second: while a store is down anyone can cause thousands of them. The
 * next line has the number of suppressed ones as `untold`.
 */
export function createRefusalLog(log: Log): (refusal: Refusal, nowMs: number) => void {
  const last = new Map<ErrorCode, { toldAtMs: number; untold: number }>()
  return (refusal, nowMs) => {
    const before = last.get(refusal.code)
    if (before !== undefined && Math.abs(nowMs - before.toldAtMs) < INTERVAL_MS) {
      before.untold += 1
      return
    }
    const untold = before?.untold ?? 0
    last.set(refusal.code, { toldAtMs: nowMs, untold: 0 })
    log.warn({ ...refusal, ...(untold === 0 ? {} : { untold }) }, 'Refused')
  }
}
