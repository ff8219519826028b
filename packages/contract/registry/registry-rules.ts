import { ERRORS, type ErrorCode } from '../errors/errors.ts'
import type { Issuance } from '../keys/issuance.ts'
import { isSnapshotName } from '../snapshots/snapshot-schemas.ts'
import { BASE_PATH } from '../terms/api-version.ts'
import { LIMITS } from '../terms/limits.ts'
import { DAY_MS, parseInstant } from '../text/instant.ts'
import {
  BODY_ERRORS,
  ROUTE_ERRORS,
  snapshotRead,
  type Endpoint,
  type Registry,
} from './endpoints.ts'

// The types of a row state which words and schemas it may name. These rules are about rows that contradict themselves or
// each other. Each function yields one sentence for each mistake.

/** Letters and digits: an operationId that every client generator accepts as a name. */
const OPERATION_ID = /^[a-z][A-Za-z0-9]*$/
const PATH = new RegExp(
  String.raw`^${BASE_PATH}(?:/[a-z0-9]+(?:[.-][a-z0-9]+)*)*(?:/\{[a-z][A-Za-z0-9]*\})?$`,
)
const PARAMETER = /\/\{(\w+)\}$/
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
    ...rows.flatMap(([name, row]) => at(name, rowFaults(name, row, registry))),
    ...pairs.flatMap(([[name, row], [otherName, other]]) =>
      at(`${name} and ${otherName}`, pairFaults(row, other)),
    ),
    ...at('issuance', issuanceFaults(issuance)),
  ]
}

type Faults = Generator<string, undefined>

function* rowFaults(name: string, row: Endpoint, registry: Registry): Faults {
  if (!OPERATION_ID.test(name))
    yield 'the name is not an operationId; expected a lower-case letter, then letters and digits'
  if (isBlank(row.summary)) yield 'the summary is missing'
  if (isBlank(row.description)) yield 'the description is missing'
  if (!PATH.test(row.path))
    yield `the path ${row.path} is not plain; expected ${BASE_PATH}, segments of lower-case letters, digits, dots and hyphens, and a parameter only as the last segment`
  yield* parameterFaults(row)
  yield* methodFaults(row)
  yield* successFaults(row)
  yield* errorFaults(row)
  yield* deprecationFaults(row, registry)
}

function* parameterFaults({ path, parameter, query = {} }: Endpoint): Faults {
  for (const [name, { description }] of Object.entries(query)) {
    if (isBlank(description)) yield `the query parameter ${name} has no description`
  }
  const named = PARAMETER.exec(path)?.[1]
  if (parameter === undefined) {
    if (named !== undefined) yield `the path parameter ${named} is not described`
    return
  }
  const { name, description, example, pattern } = parameter
  if (name !== named) yield `the parameter ${name} is described, but is not in the path ${path}`
  if (isBlank(description)) yield `the parameter ${name} has no description`
  if (example === '') yield `the parameter ${name} has no example`
  if (pattern !== undefined && !new RegExp(pattern).test(example))
    yield `the example ${example} of ${name} does not match its pattern ${pattern}`
}

function* methodFaults(row: Endpoint): Faults {
  const { method, success, cacheClass, request, query, authentication } = row
  if (method !== 'POST' && request !== undefined)
    yield `a ${method} has no request body (RFC 9110 9.3)`
  if (method === 'POST' && request === undefined) yield 'a POST describes its request body'
  if (method !== 'POST' && success?.status === 201)
    yield `a ${method} does not succeed with 201; only a POST creates`
  if (method !== 'GET') {
    if (query !== undefined) yield `a ${method} has no query parameters`
    if (cacheClass !== 'none') yield `a ${method} is in the cache class none, not in ${cacheClass}`
    if (success?.envelope === 'none')
      yield `a ${method} succeeds with an envelope; only the OpenAPI document has none`
  } else if (authentication !== 'none' && cacheClass !== 'none') {
    yield 'what only a key holder may read is in the cache class none'
  }
}

function* successFaults({ success, issuesKeys, ...row }: Endpoint): Faults {
  if ((success === undefined) !== (row.status === 'preview'))
    yield 'a preview endpoint is disabled and has no success; every other one has a success'
  if (row.stability === 'experimental' && row.status === 'active')
    yield 'an experimental endpoint is never active (spec 9.5)'
  if ((issuesKeys === true) !== (success?.data === 'IssuedKey'))
    yield 'an endpoint is marked issuesKeys if and only if its success is IssuedKey, so that the pause applies to it'
  // Spec 2.1 and 2.2 define these two: a resource without an envelope, and one with its own envelope.
  if ((success?.envelope === 'none') !== (success?.data === 'OpenApiDocument'))
    yield 'the OpenAPI document, and nothing else, is sent without an envelope'
  if ((success?.envelope === 'registration') !== (success?.data === 'RegistrationResult'))
    yield 'the result of a registration, and nothing else, has the registration envelope'
  if (success === undefined || !isSnapshotName(success.data)) return
  const expected = snapshotRead(success.data)
  for (const name of ['method', 'path', 'cacheClass', 'failure'] as const) {
    if (row[name] !== expected[name])
      yield `the ${name} of the snapshot ${success.data} is ${expected[name]}, not ${row[name]}`
  }
}

/** Errors that no row lists, because they follow from its other members. */
const DERIVED: ReadonlySet<ErrorCode> = new Set([
  ...BODY_ERRORS,
  'KEY_REQUIRED',
  'PREVIEW_NOT_ENABLED',
])

function* errorFaults({ errors, failure, success, status }: Endpoint): Faults {
  const routeErrors: readonly ErrorCode[] = ROUTE_ERRORS
  for (const code of errors) {
    const { status: found } = ERRORS[code]
    if (DERIVED.has(code)) yield `${code} follows from the rest of the row and is not listed`
    if (routeErrors.includes(code)) yield `${code} belongs to the router, not to an endpoint`
    if (found < 400 && found !== success?.status)
      yield `${code} has the status ${found}, which is not that of the success`
  }
  if ((failure === 'PREVIEW_NOT_ENABLED') !== (status === 'preview'))
    yield 'the failure PREVIEW_NOT_ENABLED belongs to a preview, and to nothing else'
  const { status: found } = ERRORS[failure]
  if (success !== undefined && found !== 503)
    yield `an unexpected failure is a 503, but ${failure} is a ${found}`
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
