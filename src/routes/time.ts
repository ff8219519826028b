import { formatInstant } from '../contract/instant.ts'
import type { DataOf } from '../contract/schemas.ts'
import type { TimeQuality } from '../service/time-quality.ts'

/** `data` of the time endpoint: this machine's clock, and how far it can be trusted. */
export function readTime(nowMs: number, quality: TimeQuality): DataOf<'Time'> {
  return { utc: formatInstant(nowMs), epochMs: nowMs, label: 'SERVER_UTC', quality }
}
