import type { Issuance } from '../keys/issuance.ts'
import { DAY_MS, parseInstant } from '../text/instant.ts'
import { BASE_PATH } from './api-version.ts'
import type { Endpoint, Registry } from './endpoints.ts'
import { LIMITS } from './limits.ts'

// The types of a row state which words and schemas it may name, a test compares the rows with those of the specification,
// and the OpenAPI document is linted. These are the rules that remain. Each function yields one sentence for each mistake.

const VERSIONED_PATH = /^\/api\/v[1-9]\d*(?:\/|$)/
const DAY = /^\d{4}-\d{2}-\d{2}$/

/**
 * Checks every rule of a registry. Returns one sentence for each mistake, with the name of the row, and an empty list
 * for a valid registry. The app does not start with an invalid one.
 */
export function checkRegistry(
  registry: Registry,
  { issuance }: { readonly issuance: Issuance },
): readonly string[] {
  const at = (place: string, faults: Iterable<string>): readonly string[] =>
    Array.from(faults, (fault) => `${place}: ${fault}`)
  const rows = Object.entries(registry)
  const pairs = rows.flatMap((one, index) =>
    rows.slice(index + 1).map((other) => [one, other] as const),
  )
  return [
    ...rows.flatMap(([name, row]) => at(name, rowFaults(row, registry))),
    ...pairs.flatMap(([[name, row], [otherName, other]]) =>
      at(`${name} and ${otherName}`, pairFaults(row, other)),
    ),
    ...at('issuance', issuanceFaults(issuance)),
  ]
}

type Faults = Generator<string, undefined>

function* rowFaults(row: Endpoint, registry: Registry): Faults {
  const { stability, status, success, issuesKeys } = row
  if (stability === 'experimental' && status === 'active')
    yield 'an experimental endpoint is never active (spec 9.5)'
  if ((issuesKeys === true) !== (success?.data === 'IssuedKey'))
    yield 'an endpoint is marked issuesKeys if and only if its success is IssuedKey, so that the pause applies to it'
  yield* deprecationFaults(row, registry)
}

/**
 * Spec 9.4: a deprecated row has a notice that is long enough and names an active successor, and no other row has a
 * notice.
 */
export function* deprecationFaults(row: Endpoint, registry: Registry): Faults {
  const { deprecation, method, stability, status } = row
  if (deprecation === undefined) {
    if (status === 'deprecated')
      yield 'deprecated without a notice; expected deprecatedAt, sunsetAt and successor'
    return
  }
  const { deprecatedAt, sunsetAt, successor } = deprecation
  const noticeDays = stability === 'stable' ? LIMITS.deprecationNoticeDays : 0
  const [deprecatedMs, sunsetMs] = [parseInstant(deprecatedAt), parseInstant(sunsetAt)]
  const instant = 'expected an ISO 8601 time in UTC'
  if (status !== 'deprecated') yield `it has a deprecation notice, but is ${status}`
  if (deprecatedMs === undefined) yield `deprecatedAt is ${deprecatedAt}; ${instant}`
  if (sunsetMs === undefined) yield `sunsetAt is ${sunsetAt}; ${instant}`
  // A comparison with NaN is false: an unknown time was already reported.
  if ((sunsetMs ?? NaN) - (deprecatedMs ?? NaN) < noticeDays * DAY_MS)
    yield `the sunset ${sunsetAt} is too early; a ${stability} endpoint stays available for at least ${noticeDays} days after ${deprecatedAt}`
  if (!VERSIONED_PATH.test(successor)) {
    yield `the successor ${successor} is not a path of this API; expected a path below /api/v<number>`
  } else if (successor === BASE_PATH || successor.startsWith(`${BASE_PATH}/`)) {
    const rows = Object.values(registry)
    const found = rows.find((other) => other.path === successor && other.method === method)
    if (found?.status !== 'active')
      yield `the successor ${method} ${successor} is not an active endpoint of this registry`
  }
}

function* pairFaults(one: Endpoint, other: Endpoint): Faults {
  if (one.path !== other.path) {
    if (covers(one, other) || covers(other, one))
      yield `one request may match both ${one.path} and ${other.path}`
    return
  }
  if (one.method === other.method) yield `both are ${one.method} ${one.path}`
  if (one.parameter?.mayBeEmpty !== other.parameter?.mayBeEmpty)
    yield `they share ${one.path}, but differ in whether its parameter may be empty`
}

/** Whether the parameter of one row matches requests for the path of the other. */
function covers({ path, parameter }: Endpoint, other: Endpoint): boolean {
  if (parameter === undefined) return false
  const prefix = path.slice(0, path.lastIndexOf('/'))
  return other.path.startsWith(`${prefix}/`) || (parameter.mayBeEmpty && other.path === prefix)
}

// A member is optional here so that a record without it is reported and does not crash the check.
function isBlank(text: string | undefined): boolean {
  return typeof text !== 'string' || text.trim() === ''
}

function* issuanceFaults(issuance: Issuance): Faults {
  if (!issuance.enabled) {
    if (isBlank(issuance.reason)) yield 'paused without a reason'
    return
  }
  const { approvedBy, approvedAt, reference } = issuance
  if (isBlank(approvedBy)) yield 'open, but approvedBy is empty'
  if (!DAY.test(approvedAt) || parseInstant(`${approvedAt}T00:00:00Z`) === undefined)
    yield `approvedAt is "${approvedAt}"; expected an ISO 8601 date`
  if (isBlank(reference)) yield 'open, but reference is empty'
}
