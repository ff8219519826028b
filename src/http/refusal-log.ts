import type { ErrorCode } from '@public-api/contract/errors/errors'
import type { Log } from '../service/logger.ts'

const INTERVAL_MS = 1000

/** Logs refusals with an internal cause, one per code and second: a store that is down causes thousands. Counts the rest. */
export function createRefusalLog(log: Log) {
  const last = new Map<ErrorCode, { loggedAtMs: number; suppressed: number }>()
  return (code: ErrorCode, fields: object, nowMs: number): void => {
    const before = last.get(code)
    if (before !== undefined && Math.abs(nowMs - before.loggedAtMs) < INTERVAL_MS) {
      before.suppressed += 1
      return
    }
    const suppressed = before?.suppressed ?? 0
    last.set(code, { loggedAtMs: nowMs, suppressed: 0 })
    log.warn({ ...fields, code, ...(suppressed === 0 ? {} : { suppressed }) }, 'Refused')
  }
}
