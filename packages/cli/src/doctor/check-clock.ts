import { propertyOf } from '@public-api/contract/json/property-of'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { futureVersionOf } from '@public-api/contract/registry/release-notices'
import { HEADERS } from '@public-api/contract/terms/headers'
import { parseInstant } from '@public-api/contract/text/instant'
import { ageOf } from '../verifying/sanitize-for-terminal.ts'
import type { Check } from './check.ts'
import { DOCTOR_BOUNDS } from './doctor-bounds.ts'

const LARGEST_SKEW_MS = DOCTOR_BOUNDS.clockSkewSeconds * 1000
/** Time between signing a response and reading the clock. */
const LARGEST_GAP_MS = 5000

/**
 * Checks that the clocks of this machine, the service, the proxy and the publisher agree, and the quality that /time
 * reports.
 */
export const checkClock: Check = async ({ freshTime, skewMs, keys, of }, report) => {
  if (freshTime === undefined || !freshTime.isAsPromised) return 'the time is not available'
  const { response, content, where, verification } = freshTime
  if (verification.fault === 'SIGNATURE') return 'the response was not created for this request'
  if (Math.abs(skewMs) > LARGEST_SKEW_MS) {
    const direction = skewMs > 0 ? 'ahead of' : 'behind'
    report(
      'clock-skew',
      where,
      `the server is ${ageOf(Math.abs(skewMs) / 1000)} ${direction} this machine`,
    )
  }
  const data = propertyOf(content, 'data')
  const epochMs = Number(propertyOf(data, 'epochMs'))
  const signedAtMs = parseInstant(response.field(HEADERS.signedAt) ?? '')
  const toldMs = signedAtMs ?? epochMs
  if (keys.length > 0 && Math.abs(epochMs - toldMs) > LARGEST_GAP_MS) {
    report('time-wrong', where, `${ageOf(Math.abs(epochMs - toldMs) / 1000)} apart`)
  }
  const date = response.field('Date')
  const dateMs = Date.parse(date ?? '')
  if (!Number.isNaN(dateMs) && Math.abs(dateMs - toldMs) > LARGEST_SKEW_MS) {
    report(
      'date-skew',
      where,
      `Date: ${date}, signed at ${response.field(HEADERS.signedAt) ?? 'no time'}`,
    )
  }
  const newest = of(ENDPOINTS.version.path)
  const version = propertyOf(newest?.content, 'data')
  const snapshotId = propertyOf(version, 'snapshotId')
  const createdAt = propertyOf(version, 'createdAt')
  if (typeof snapshotId === 'string' && typeof createdAt === 'string') {
    const future = futureVersionOf({ snapshotId, createdAt }, toldMs)
    if (future !== undefined) report('future-version', newest?.where ?? where, future)
  }
  const state = propertyOf(propertyOf(data, 'quality'), 'state')
  if (state === 'UNSYNCHRONIZED') report('time-unsynchronized', where, state)
  if (state === 'UNVERIFIED') report('time-unverified', where, state)
  return undefined
}
