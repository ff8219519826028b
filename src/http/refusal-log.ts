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

/** Logs refusals with a cause, one per code and second: a store that is down causes thousands. Counts the rest. */
export function createRefusalLog(log: Log): (refusal: Refusal, nowMs: number) => void {
  const last = new Map<ErrorCode, { loggedAtMs: number; suppressed: number }>()
  return (refusal, nowMs) => {
    const before = last.get(refusal.code)
    if (before !== undefined && Math.abs(nowMs - before.loggedAtMs) < INTERVAL_MS) {
      before.suppressed += 1
      return
    }
    const suppressed = before?.suppressed ?? 0
    last.set(refusal.code, { loggedAtMs: nowMs, suppressed: 0 })
    log.warn({ ...refusal, ...(suppressed === 0 ? {} : { suppressed }) }, 'Refused')
  }
}
