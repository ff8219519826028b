import { BASE_PATH } from './api-version.ts'
import {
  AUTHENTICATIONS,
  ENDPOINT_STATUSES,
  RUNTIMES,
  STABILITY_LEVELS,
  TAGS,
} from './endpoint-terms.ts'
import { type Endpoint, type Registry } from './endpoints.ts'
import { ERRORS, type ErrorCode } from './errors.ts'
import { CACHE_CLASSES } from './headers.ts'
import { checkDeprecation, type Expect } from './deprecation-rule.ts'
import { parseInstant } from './instant.ts'
import type { Issuance } from './issuance.ts'
import { DATA_SCHEMAS, REQUEST_SCHEMAS, type DataSchemaName } from './schemas.ts'
import type { JsonSchema } from './schema-type.ts'
import { SNAPSHOT_SCHEMAS } from './snapshot-schemas.ts'

/** Options of the registry check. */
export interface RegistryCheckOptions {
  readonly issuance: Issuance
}

/** Errors that the router returns below the base path; no endpoint lists them (spec 4.3). */
export const ROUTE_ERRORS = [
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
] as const satisfies readonly ErrorCode[]

/** Errors that every endpoint with a request body can return before it checks the fields. */
const BODY_ERRORS = [
  'INVALID_JSON',
  'INVALID_INPUT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
] as const satisfies readonly ErrorCode[]

/** Letters and digits: an operationId that every client generator takes as a name. */
const OPERATION_ID = /^[a-z][A-Za-z0-9]*$/
const PATH_SEGMENT = /^[a-z0-9]+(?:[.-][a-z0-9]+)*$/
const PARAMETER_SEGMENT = /^\{([a-z][A-Za-z0-9]*)\}$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Checks one row by itself. */
type RowRule = (row: Endpoint, expect: Expect) => void

const ROW_RULES: readonly RowRule[] = [
  checkWords,
  checkTexts,
  checkPath,
  checkParameter,
  checkMethod,
  checkBody,
  checkStatus,
  checkSuccess,
  checkSnapshot,
  checkErrors,
  checkFailure,
]

/**
 * Checks every rule of a registry. Returns one sentence for each violation, with the name of the row, and an empty list
 * for a valid registry. The app does not start with an invalid one.
 */
export function checkRegistry(
  registry: Registry,
  { issuance }: RegistryCheckOptions,
): readonly string[] {
  const faults: string[] = []
  const rows: readonly (readonly [string, Endpoint])[] = Object.entries(registry)
  const expectIn =
    (where: string): Expect =>
    (condition, fault) => {
      if (!condition) faults.push(`${where}: ${fault}`)
    }
  for (const [name, row] of rows) {
    const expect = expectIn(name)
    expect(
      OPERATION_ID.test(name),
      'the name is not an operationId; expected a lower-case letter, then letters and digits',
    )
    for (const check of ROW_RULES) check(row, expect)
    checkDeprecation(row, registry, expect)
  }
  for (const [index, [name, row]] of rows.entries()) {
    for (const [otherName, other] of rows.slice(index + 1)) {
      checkPair(row, other, expectIn(`${name} and ${otherName}`))
    }
  }
  checkIssuance(issuance, expectIn('issuance'))
  return faults
}

function checkWords(row: Endpoint, expect: Expect): void {
  for (const [field, word, table] of [
    ['method', row.method, { GET: 0, POST: 0, DELETE: 0 }],
    ['tag', row.tag, TAGS],
    ['stability', row.stability, STABILITY_LEVELS],
    ['status', row.status, ENDPOINT_STATUSES],
    ['runtime', row.runtime, RUNTIMES],
    ['cache class', row.cacheClass, CACHE_CLASSES],
    ['authentication', row.authentication, AUTHENTICATIONS],
  ] as const) {
    const known = Object.keys(table).join(', ')
    expect(Object.hasOwn(table, word), `${field} ${word} is unknown; expected one of ${known}`)
  }
}

function checkTexts(row: Endpoint, expect: Expect): void {
  expect(row.summary.trim() !== '', 'the summary is missing')
  expect(row.description.trim() !== '', 'the description is missing')
  for (const [name, { description = '' }] of Object.entries(row.query ?? {})) {
    expect(description.trim() !== '', `the query parameter ${name} has no description`)
  }
}

function checkPath({ path }: Endpoint, expect: Expect): void {
  const isBelow = path === BASE_PATH || path.startsWith(`${BASE_PATH}/`)
  expect(isBelow, `the path ${path} is not below ${BASE_PATH}`)
  const segments = isBelow ? path.split('/').slice(1) : []
  for (const [index, segment] of segments.entries()) {
    const isParameter = index === segments.length - 1 && PARAMETER_SEGMENT.test(segment)
    expect(
      PATH_SEGMENT.test(segment) || isParameter,
      segment.includes('{')
        ? `the parameter ${segment} is inside the path; expected it as the last segment`
        : `the path segment "${segment}" is not plain; expected lower-case letters, digits, dots and hyphens`,
    )
  }
}

function checkParameter({ path, parameter }: Endpoint, expect: Expect): void {
  const named = PARAMETER_SEGMENT.exec(path.slice(path.lastIndexOf('/') + 1))?.[1]
  if (parameter === undefined) {
    expect(named === undefined, `the path parameter ${named} is not described`)
    return
  }
  const { name, description, example, pattern } = parameter
  if (name !== named) {
    expect(false, `the parameter ${name} is described, but is not in the path ${path}`)
    return
  }
  expect(description.trim() !== '', `the parameter ${name} has no description`)
  expect(example !== '', `the parameter ${name} has no example`)
  expect(
    pattern === undefined || new RegExp(pattern).test(example),
    `the example ${example} of ${name} does not match its pattern ${pattern}`,
  )
}

function checkMethod(row: Endpoint, expect: Expect): void {
  const { method, success, cacheClass, request } = row
  if (method === 'GET') {
    expect(request === undefined, 'a GET has no request body (RFC 9110 9.3.1)')
    expect(
      success === undefined || success.status === 200,
      'a GET succeeds with 200; it creates nothing',
    )
    expect(
      row.authentication === 'none' || cacheClass === 'none',
      'what only a key holder may read is in the cache class none',
    )
    return
  }
  expect(row.query === undefined, `a ${method} has no query parameters`)
  expect(cacheClass === 'none', `a ${method} is in the cache class none, not in ${cacheClass}`)
  expect(
    method !== 'DELETE' || request === undefined,
    'a DELETE has no request body (RFC 9110 9.3.5)',
  )
  expect(
    success?.status !== 201 || method === 'POST',
    `a ${method} does not succeed with 201; only a POST creates`,
  )
  expect(
    success?.envelope !== 'none',
    `a ${method} succeeds with an envelope; only the OpenAPI document has none`,
  )
}

function checkBody({ method, request, errors }: Endpoint, expect: Expect): void {
  expect(method !== 'POST' || request !== undefined, 'a POST describes its request body')
  expect(
    request === undefined || Object.hasOwn(REQUEST_SCHEMAS, request),
    `the request schema ${request} is unknown`,
  )
  for (const code of BODY_ERRORS) {
    const isListed = errors.includes(code)
    expect(request !== undefined || !isListed, `it lists ${code}, but reads no body`)
    expect(request === undefined || isListed, `it reads a body, but does not list ${code}`)
  }
}

function checkStatus(row: Endpoint, expect: Expect): void {
  const { authentication, errors, stability, status, success } = row
  const [needsKey, listsKey] = [authentication === 'api-key', errors.includes('KEY_REQUIRED')]
  expect(!needsKey || listsKey, 'it requires an API key, but does not list KEY_REQUIRED')
  expect(needsKey || !listsKey, 'it lists KEY_REQUIRED, but requires no API key')
  const listsPreview = errors.includes('PREVIEW_NOT_ENABLED')
  if (status === 'preview') {
    expect(success === undefined, 'a preview endpoint is disabled and has no success')
    expect(listsPreview, 'a preview endpoint lists PREVIEW_NOT_ENABLED')
    return
  }
  expect(success !== undefined, `${status}, so it needs a success`)
  expect(!listsPreview, 'only a preview endpoint lists PREVIEW_NOT_ENABLED')
  expect(
    stability !== 'experimental' || status !== 'active',
    'an experimental endpoint is never active (spec 9.5)',
  )
}

function checkSuccess({ success, issuesKeys }: Endpoint, expect: Expect): void {
  expect(
    (issuesKeys === true) === (success?.data === 'IssuedKey'),
    'an endpoint is marked issuesKeys if and only if its success is IssuedKey, so that the pause applies to it',
  )
  if (success === undefined) return
  expect(Object.hasOwn(DATA_SCHEMAS, success.data), `the data schema ${success.data} is unknown`)
  // Spec 2.1 and 2.2 define these two: a resource without an envelope, and one with its own envelope.
  expect(
    (success.envelope === 'none') === (success.data === 'OpenApiDocument'),
    'the OpenAPI document, and nothing else, is sent without an envelope',
  )
  expect(
    (success.envelope === 'registration') === (success.data === 'RegistrationResult'),
    'the result of a registration, and nothing else, has the registration envelope',
  )
}

function checkSnapshot(row: Endpoint, expect: Expect): void {
  const { snapshot, success, method, path, cacheClass, failure } = row
  if (snapshot === undefined) return
  if (!Object.hasOwn(SNAPSHOT_SCHEMAS, snapshot)) {
    expect(false, `the snapshot ${snapshot} is unknown`)
    return
  }
  expect(method === 'GET', `a snapshot is read with GET, not with ${method}`)
  expect(
    path === `${BASE_PATH}/${snapshot}`,
    `the path of the snapshot ${snapshot} is ${BASE_PATH}/${snapshot}, not ${path}`,
  )
  expect(
    cacheClass === 'static-snapshot',
    `a snapshot is in the cache class static-snapshot, not in ${cacheClass}`,
  )
  expect(
    failure === 'SNAPSHOT_UNAVAILABLE',
    `a snapshot fails with SNAPSHOT_UNAVAILABLE, not with ${failure}`,
  )
  expect(
    success !== undefined && dataSchemaOf(success.data) === SNAPSHOT_SCHEMAS[snapshot],
    `the success of ${path} does not have the schema of the snapshot ${snapshot}`,
  )
}

function dataSchemaOf(name: DataSchemaName): JsonSchema | undefined {
  return Object.hasOwn(DATA_SCHEMAS, name) ? DATA_SCHEMAS[name] : undefined
}

function checkErrors({ errors, success }: Endpoint, expect: Expect): void {
  const routeErrors: readonly ErrorCode[] = ROUTE_ERRORS
  for (const [index, code] of errors.entries()) {
    if (!Object.hasOwn(ERRORS, code)) {
      expect(false, `the error ${code} is not in the catalog`)
      continue
    }
    const { status } = ERRORS[code]
    expect(errors.indexOf(code) === index, `it lists ${code} twice`)
    expect(!routeErrors.includes(code), `${code} belongs to the router, not to an endpoint`)
    expect(
      status >= 400 || status === success?.status,
      `${code} has the status ${status}, which is not that of the success`,
    )
  }
}

function checkFailure({ errors, failure, success }: Endpoint, expect: Expect): void {
  if (!Object.hasOwn(ERRORS, failure)) {
    expect(false, `the failure ${failure} is not in the catalog`)
    return
  }
  const { status } = ERRORS[failure]
  expect(
    success !== undefined || errors.includes(failure),
    `without a success, the failure ${failure} is one of the errors it lists`,
  )
  expect(
    success === undefined || status === 503,
    `an unexpected failure is a 503, but ${failure} is a ${status}`,
  )
}

/** Checks that two rows do not contradict each other. */
function checkPair(one: Endpoint, other: Endpoint, expect: Expect): void {
  if (one.path !== other.path) {
    expect(
      !covers(one, other) && !covers(other, one),
      `one request may match both ${one.path} and ${other.path}`,
    )
    return
  }
  expect(one.method !== other.method, `both are ${one.method} ${one.path}`)
  expect(
    one.parameter?.mayBeEmpty === other.parameter?.mayBeEmpty,
    `they share ${one.path}, but differ in whether its parameter may be empty`,
  )
}

/** Whether the parameter of one row matches requests for the path of the other. */
function covers({ path, parameter }: Endpoint, other: Endpoint): boolean {
  if (parameter === undefined) return false
  const prefix = path.slice(0, path.lastIndexOf('/') + 1)
  return (
    other.path.startsWith(prefix) || (parameter.mayBeEmpty && other.path === prefix.slice(0, -1))
  )
}

/**
 * Whether a text is present. The type requires it, but a row without it must be reported and must not crash the check.
 */
function isPresent(text: string | undefined): boolean {
  return typeof text === 'string' && text.trim() !== ''
}

function checkIssuance(issuance: Issuance, expect: Expect): void {
  if (!issuance.enabled) {
    expect(isPresent(issuance.reason), 'paused without a reason')
    return
  }
  const { approvedBy, approvedAt, reference } = issuance
  expect(isPresent(approvedBy), 'open, but approvedBy is empty')
  expect(
    DAY.test(approvedAt) && parseInstant(`${approvedAt}T00:00:00Z`) !== undefined,
    `approvedAt is "${approvedAt}"; expected an ISO 8601 date`,
  )
  expect(isPresent(reference), 'open, but reference is empty')
}
