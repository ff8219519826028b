import { BASE_PATH } from './api-version.ts'
import { type Endpoint, type Registry } from './endpoints.ts'
import { violationUnless } from './violation-unless.ts'
import { DAY_MS, parseInstant } from './instant.ts'
import { LIMITS } from './limits.ts'

const VERSIONED_PATH = /^\/api\/v[1-9]\d*(?:\/|$)/

/**
 * The deprecation rules of one row (spec 9.4): a deprecated row has a notice that is long enough and names an active
 * successor, and no other row has a notice. Returns one sentence for each violation, without the row's name.
 */
export function deprecationViolations(row: Endpoint, registry: Registry): readonly string[] {
  const { deprecation } = row
  if (deprecation === undefined) {
    return violationUnless(
      row.status !== 'deprecated',
      'deprecated without a notice; expected deprecatedAt, sunsetAt and successor',
    )
  }
  const noticeDays = row.stability === 'stable' ? LIMITS.deprecationNoticeDays : 0
  const deprecatedMs = parseInstant(deprecation.deprecatedAt)
  const sunsetMs = parseInstant(deprecation.sunsetAt)
  return [
    ...violationUnless(
      row.status === 'deprecated',
      `it has a deprecation notice, but is ${row.status}`,
    ),
    ...violationUnless(
      deprecatedMs !== undefined,
      notAnInstant('deprecatedAt', deprecation.deprecatedAt),
    ),
    ...violationUnless(sunsetMs !== undefined, notAnInstant('sunsetAt', deprecation.sunsetAt)),
    ...violationUnless(
      deprecatedMs === undefined ||
        sunsetMs === undefined ||
        sunsetMs - deprecatedMs >= noticeDays * DAY_MS,
      `the sunset ${deprecation.sunsetAt} is too early; a ${row.stability} endpoint stays available for at least ${noticeDays} days after ${deprecation.deprecatedAt}`,
    ),
    ...successorViolations(row, deprecation.successor, registry),
  ]
}

function notAnInstant(field: string, value: string): string {
  return `${field} is ${value}; expected an ISO 8601 time in UTC`
}

function successorViolations(
  row: Endpoint,
  successor: string,
  registry: Registry,
): readonly string[] {
  if (!VERSIONED_PATH.test(successor)) {
    return [
      `the successor ${successor} is not a path of this API; expected a path below /api/v<number>`,
    ]
  }
  const isThisMajor = successor === BASE_PATH || successor.startsWith(`${BASE_PATH}/`)
  if (!isThisMajor) return []
  const found = Object.values(registry).find(
    (other) => other.path === successor && other.method === row.method,
  )
  return violationUnless(
    found?.status === 'active',
    `the successor ${row.method} ${successor} is not an active endpoint of this registry`,
  )
}
