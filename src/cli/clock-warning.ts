import { performance } from 'node:perf_hooks'
import { messageOf } from '@public-api/contract/errors/error-message'
import type { NtpServer } from '../service/time/ntp-server.ts'
import { querySntp } from '../service/time/sntp.ts'

/** A larger difference from the time source is worth a warning. */
const MAX_OFFSET_MS = 2000
const TIMEOUT_MS = 2000

/** A warning if the clock differs from a time source, or if the source does not respond; undefined if it agrees. */
export async function clockWarning(server: NtpServer): Promise<string | undefined> {
  const monotonicMs = () => performance.now()
  try {
    const { referenceMs, atMonotonicMs, errorMs } = await querySntp({
      server,
      turn: 0,
      timeoutMs: TIMEOUT_MS,
      nowMs: Date.now,
      monotonicMs,
    })
    const offsetMs = Date.now() - (referenceMs + monotonicMs() - atMonotonicMs)
    if (Math.abs(offsetMs) <= MAX_OFFSET_MS + errorMs) return undefined
    const direction = offsetMs > 0 ? 'ahead of' : 'behind'
    return `the clock is ${(Math.abs(offsetMs) / 1000).toFixed(1)} s ${direction} ${server.host} (SVC_NTP_SERVER)`
  } catch (error) {
    return `the clock could not be compared with ${server.host} (SVC_NTP_SERVER): ${messageOf(error)}`
  }
}
