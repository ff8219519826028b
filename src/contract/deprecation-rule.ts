import { BASE_PATH } from './api-version.ts'
import { type Endpoint, type Registry } from './endpoints.ts'
import { unless } from './fault-unless.ts'
import { DAY_MS, parseInstant } from './instant.ts'
import { LIMITS } from './limits.ts'

const VERSIONED_PATH = /^\/api\/v[1-9]\d*(?:\/|$)/

/**
 * The deprecation rules of one row (spec 9.4): a deprecated row has a notice that is long enough and names a living
 * successor, and no other row has one. Gives a sentence for each rule that is broken, without the row's name.
 */
export function deprecationFaults(row: Endpoint, registry: Registry): readonly string[] {
  const { deprecation } = row
  if (deprecation === undefined) {
    return unless(
      row.status !== 'deprecated',
      'deprecated without a notice; expected when, until when and what to use instead',
    )
  }
  const noticeDays = row.stability === 'stable' ? LIMITS.deprecationNoticeDays : 0
  const deprecatedMs = parseInstant(deprecation.deprecatedAt)
  const sunsetMs = parseInstant(deprecation.sunsetAt)
  return [
    ...unless(row.status === 'deprecated', `it has a deprecation notice, but is ${row.status}`),
    ...unless(deprecatedMs !== undefined, notAnInstant('deprecatedAt', deprecation.deprecatedAt)),
    ...unless(sunsetMs !== undefined, notAnInstant('sunsetAt', deprecation.sunsetAt)),
    ...unless(
      deprecatedMs === undefined ||
        sunsetMs === undefined ||
        sunsetMs - deprecatedMs >= noticeDays * DAY_MS,
      `the sunset ${deprecation.sunsetAt} is too early; a ${row.stability} endpoint serves at least ${noticeDays} days after ${deprecation.deprecatedAt}`,
    ),
    ...successorFaults(row, deprecation.successor, registry),
  ]
}

function notAnInstant(field: string, value: string): string {
  return `${field} is ${value}; expected an ISO 8601 time in UTC`
}

function successorFaults(row: Endpoint, successor: string, registry: Registry): readonly string[] {
  if (!VERSIONED_PATH.test(successor)) {
    return [`the successor ${successor} is no path of this API; expected one below /api/v<number>`]
  }
  const isThisMajor = successor === BASE_PATH || successor.startsWith(`${BASE_PATH}/`)
  if (!isThisMajor) return []
  const found = Object.values(registry).find(
    (other) => other.path === successor && other.method === row.method,
  )
  return unless(
    found?.status === 'active',
    `the successor ${row.method} ${successor} is no active endpoint of this registry`,
  )
}
