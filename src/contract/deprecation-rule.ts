import { BASE_PATH } from './api-version.ts'
import { type Endpoint, type Registry } from './endpoints.ts'
import { DAY_MS, parseInstant } from './instant.ts'
import { LIMITS } from './limits.ts'

const VERSIONED_PATH = /^\/api\/v[1-9]\d*(?:\/|$)/

/** Reports a fault unless a condition is true. */
export type Expect = (condition: boolean, fault: string) => void

/**
 * Checks the deprecation of one row (spec 9.4): a deprecated row has a notice that is long enough and names an active
 * successor, and no other row has a notice.
 */
export function checkDeprecation(row: Endpoint, registry: Registry, expect: Expect): void {
  const { deprecation, method, stability, status } = row
  if (deprecation === undefined) {
    expect(
      status !== 'deprecated',
      'deprecated without a notice; expected deprecatedAt, sunsetAt and successor',
    )
    return
  }
  const { deprecatedAt, sunsetAt, successor } = deprecation
  const noticeDays = stability === 'stable' ? LIMITS.deprecationNoticeDays : 0
  const [deprecatedMs, sunsetMs] = [parseInstant(deprecatedAt), parseInstant(sunsetAt)]
  const instant = 'expected an ISO 8601 time in UTC'
  expect(status === 'deprecated', `it has a deprecation notice, but is ${status}`)
  expect(deprecatedMs !== undefined, `deprecatedAt is ${deprecatedAt}; ${instant}`)
  expect(sunsetMs !== undefined, `sunsetAt is ${sunsetAt}; ${instant}`)
  expect(
    deprecatedMs === undefined ||
      sunsetMs === undefined ||
      sunsetMs - deprecatedMs >= noticeDays * DAY_MS,
    `the sunset ${sunsetAt} is too early; a ${stability} endpoint stays available for at least ${noticeDays} days after ${deprecatedAt}`,
  )
  const isPath = VERSIONED_PATH.test(successor)
  expect(
    isPath,
    `the successor ${successor} is not a path of this API; expected a path below /api/v<number>`,
  )
  const isThisMajor = isPath && (successor === BASE_PATH || successor.startsWith(`${BASE_PATH}/`))
  const found = Object.values(registry).find(
    (other) => other.path === successor && other.method === method,
  )
  expect(
    !isThisMajor || found?.status === 'active',
    `the successor ${method} ${successor} is not an active endpoint of this registry`,
  )
}
