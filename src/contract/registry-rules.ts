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
import { violationUnless } from './violation-unless.ts'
import { CACHE_CLASSES } from './headers.ts'
import { deprecationViolations } from './deprecation-rule.ts'
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

/** One row with its name. */
interface NamedRow {
  readonly name: string
  readonly row: Endpoint
}

/** Checks one row in its registry. Returns the messages of the rules it breaks, without the row's name. */
type RowRule = (named: NamedRow, registry: Registry) => readonly string[]

const ROW_RULES: readonly RowRule[] = [
  checkName,
  checkEnumerations,
  checkTexts,
  checkPath,
  checkParameter,
  checkMethod,
  checkBody,
  checkAuthentication,
  checkStatus,
  checkSuccess,
  checkSnapshot,
  checkErrors,
  checkFailure,
  checkIssuance,
  ({ row }, registry) => deprecationViolations(row, registry),
]

/**
 * Checks every rule of a registry. Returns one sentence for each violation, with the name of the row, and an empty list
 * for a valid registry. The app does not start with an invalid one.
 */
export function checkRegistry(
  registry: Registry,
  { issuance }: RegistryCheckOptions,
): readonly string[] {
  const rows: NamedRow[] = Object.entries(registry).map(([name, row]) => ({ name, row }))
  return [
    ...rows.flatMap((named) =>
      ROW_RULES.flatMap((rule) => rule(named, registry)).map((fault) => `${named.name}: ${fault}`),
    ),
    ...rows.flatMap((named, index) =>
      rows.slice(index + 1).flatMap((other) => clash(named, other)),
    ),
    ...issuanceViolations(issuance),
  ]
}

function checkName({ name }: NamedRow): readonly string[] {
  return violationUnless(
    OPERATION_ID.test(name),
    'the name is not an operationId; expected a lower-case letter, then letters and digits',
  )
}

function known(field: string, word: string, table: object): readonly string[] {
  return violationUnless(
    Object.hasOwn(table, word),
    `${field} ${word} is unknown; expected one of ${Object.keys(table).join(', ')}`,
  )
}

function checkEnumerations({ row }: NamedRow): readonly string[] {
  return [
    ...known('method', row.method, { GET: 0, POST: 0, DELETE: 0 }),
    ...known('tag', row.tag, TAGS),
    ...known('stability', row.stability, STABILITY_LEVELS),
    ...known('status', row.status, ENDPOINT_STATUSES),
    ...known('runtime', row.runtime, RUNTIMES),
    ...known('cache class', row.cacheClass, CACHE_CLASSES),
    ...known('authentication', row.authentication, AUTHENTICATIONS),
  ]
}

function checkTexts({ row }: NamedRow): readonly string[] {
  return [
    ...violationUnless(row.summary.trim() !== '', 'the summary is missing'),
    ...violationUnless(row.description.trim() !== '', 'the description is missing'),
    ...Object.entries(row.query ?? {}).flatMap(([name, { description = '' }]) =>
      violationUnless(description.trim() !== '', `the query parameter ${name} has no description`),
    ),
  ]
}

function checkPath({ row }: NamedRow): readonly string[] {
  if (row.path !== BASE_PATH && !row.path.startsWith(`${BASE_PATH}/`)) {
    return [`the path ${row.path} is not below ${BASE_PATH}`]
  }
  const segments = row.path.split('/').slice(1)
  const bad = segments.filter(
    (segment, index) =>
      !PATH_SEGMENT.test(segment) &&
      !(index === segments.length - 1 && PARAMETER_SEGMENT.test(segment)),
  )
  return bad.map((segment) =>
    segment.includes('{')
      ? `the parameter ${segment} is inside the path; expected it as the last segment`
      : `the path segment "${segment}" is not plain; expected lower-case letters, digits, dots and hyphens`,
  )
}

/** Name of the parameter at the end of a path template. */
function parameterNameOf(path: string): string | undefined {
  return PARAMETER_SEGMENT.exec(path.slice(path.lastIndexOf('/') + 1))?.[1]
}

function checkParameter({ row }: NamedRow): readonly string[] {
  const named = parameterNameOf(row.path)
  const { parameter } = row
  if (parameter === undefined) {
    return violationUnless(named === undefined, `the path parameter ${named} is not described`)
  }
  if (parameter.name !== named) {
    return [`the parameter ${parameter.name} is described, but is not in the path ${row.path}`]
  }
  return [
    ...violationUnless(
      parameter.description.trim() !== '',
      `the parameter ${named} has no description`,
    ),
    ...violationUnless(parameter.example !== '', `the parameter ${named} has no example`),
    ...violationUnless(
      parameter.pattern === undefined || new RegExp(parameter.pattern).test(parameter.example),
      `the example ${parameter.example} of ${named} does not match its pattern ${parameter.pattern}`,
    ),
  ]
}

function checkMethod({ row }: NamedRow): readonly string[] {
  if (row.method === 'GET') {
    return [
      ...violationUnless(row.request === undefined, 'a GET has no request body (RFC 9110 9.3.1)'),
      ...violationUnless(
        row.success === undefined || row.success.status === 200,
        'a GET succeeds with 200; it creates nothing',
      ),
      ...violationUnless(
        row.authentication === 'none' || row.cacheClass === 'none',
        'what only a key holder may read is in the cache class none',
      ),
    ]
  }
  return [
    ...violationUnless(row.query === undefined, `a ${row.method} has no query parameters`),
    ...violationUnless(
      row.cacheClass === 'none',
      `a ${row.method} is in the cache class none, not in ${row.cacheClass}`,
    ),
    ...violationUnless(
      row.method !== 'DELETE' || row.request === undefined,
      'a DELETE has no request body (RFC 9110 9.3.5)',
    ),
    ...violationUnless(
      row.success?.status !== 201 || row.method === 'POST',
      `a ${row.method} does not succeed with 201; only a POST creates`,
    ),
    ...violationUnless(
      row.success?.envelope !== 'none',
      `a ${row.method} succeeds with an envelope; only the OpenAPI document has none`,
    ),
  ]
}

function checkBody({ row }: NamedRow): readonly string[] {
  const listed = BODY_ERRORS.filter((code) => row.errors.includes(code))
  if (row.request === undefined) {
    return [
      ...violationUnless(row.method !== 'POST', 'a POST describes its request body'),
      ...listed.map((code) => `it lists ${code}, but reads no body`),
    ]
  }
  return [
    ...violationUnless(
      Object.hasOwn(REQUEST_SCHEMAS, row.request),
      `the request schema ${row.request} is unknown`,
    ),
    ...BODY_ERRORS.filter((code) => !listed.includes(code)).map(
      (code) => `it reads a body, but does not list ${code}`,
    ),
  ]
}

function checkAuthentication({ row }: NamedRow): readonly string[] {
  const listed = row.errors.includes('KEY_REQUIRED')
  return row.authentication === 'api-key'
    ? violationUnless(listed, 'it requires an API key, but does not list KEY_REQUIRED')
    : violationUnless(!listed, 'it lists KEY_REQUIRED, but requires no API key')
}

function checkStatus({ row }: NamedRow): readonly string[] {
  if (row.status === 'preview') {
    return [
      ...violationUnless(
        row.success === undefined,
        'a preview endpoint is disabled and has no success',
      ),
      ...violationUnless(
        row.errors.includes('PREVIEW_NOT_ENABLED'),
        'a preview endpoint lists PREVIEW_NOT_ENABLED',
      ),
    ]
  }
  return [
    ...violationUnless(row.success !== undefined, `${row.status}, so it needs a success`),
    ...violationUnless(
      !row.errors.includes('PREVIEW_NOT_ENABLED'),
      'only a preview endpoint lists PREVIEW_NOT_ENABLED',
    ),
    ...violationUnless(
      row.stability !== 'experimental' || row.status !== 'active',
      'an experimental endpoint is never active (spec 9.5)',
    ),
  ]
}

function checkSuccess({ row }: NamedRow): readonly string[] {
  const { success } = row
  if (success === undefined) return []
  return [
    ...violationUnless(
      Object.hasOwn(DATA_SCHEMAS, success.data),
      `the data schema ${success.data} is unknown`,
    ),
    // Spec 2.1 and 2.2 define these two: a resource without an envelope, and one with its own envelope.
    ...violationUnless(
      (success.envelope === 'none') === (success.data === 'OpenApiDocument'),
      'the OpenAPI document, and nothing else, is sent without an envelope',
    ),
    ...violationUnless(
      (success.envelope === 'registration') === (success.data === 'RegistrationResult'),
      'the result of a registration, and nothing else, has the registration envelope',
    ),
  ]
}

function checkSnapshot({ row }: NamedRow): readonly string[] {
  const { snapshot, success } = row
  if (snapshot === undefined) return []
  if (!Object.hasOwn(SNAPSHOT_SCHEMAS, snapshot)) return [`the snapshot ${snapshot} is unknown`]
  return [
    ...violationUnless(row.method === 'GET', `a snapshot is read with GET, not with ${row.method}`),
    ...violationUnless(
      row.path === `${BASE_PATH}/${snapshot}`,
      `the path of the snapshot ${snapshot} is ${BASE_PATH}/${snapshot}, not ${row.path}`,
    ),
    ...violationUnless(
      row.cacheClass === 'static-snapshot',
      `a snapshot is in the cache class static-snapshot, not in ${row.cacheClass}`,
    ),
    ...violationUnless(
      row.failure === 'SNAPSHOT_UNAVAILABLE',
      `a snapshot fails with SNAPSHOT_UNAVAILABLE, not with ${row.failure}`,
    ),
    ...violationUnless(
      success !== undefined && dataSchemaOf(success.data) === SNAPSHOT_SCHEMAS[snapshot],
      `the success of ${row.path} does not have the schema of the snapshot ${snapshot}`,
    ),
  ]
}

function dataSchemaOf(name: DataSchemaName): JsonSchema | undefined {
  return Object.hasOwn(DATA_SCHEMAS, name) ? DATA_SCHEMAS[name] : undefined
}

function checkErrors({ row }: NamedRow): readonly string[] {
  const routeErrors: readonly ErrorCode[] = ROUTE_ERRORS
  return row.errors.flatMap((code, index) => {
    if (!Object.hasOwn(ERRORS, code)) return [`the error ${code} is not in the catalog`]
    return [
      ...violationUnless(row.errors.indexOf(code) === index, `it lists ${code} twice`),
      ...violationUnless(
        !routeErrors.includes(code),
        `${code} belongs to the router, not to an endpoint`,
      ),
      ...violationUnless(
        ERRORS[code].status >= 400 || ERRORS[code].status === row.success?.status,
        `${code} has the status ${ERRORS[code].status}, which is not that of the success`,
      ),
    ]
  })
}

function checkFailure({ row }: NamedRow): readonly string[] {
  if (!Object.hasOwn(ERRORS, row.failure)) {
    return [`the failure ${row.failure} is not in the catalog`]
  }
  if (row.success === undefined) {
    return violationUnless(
      row.errors.includes(row.failure),
      `without a success, the failure ${row.failure} is one of the errors it lists`,
    )
  }
  return violationUnless(
    ERRORS[row.failure].status === 503,
    `an unexpected failure is a 503, but ${row.failure} is a ${ERRORS[row.failure].status}`,
  )
}

function checkIssuance({ row }: NamedRow): readonly string[] {
  return violationUnless(
    (row.issuesKeys === true) === (row.success?.data === 'IssuedKey'),
    'an endpoint is marked issuesKeys if and only if its success is IssuedKey, so that the pause applies to it',
  )
}

/** Contradictions between two rows. */
function clash(one: NamedRow, other: NamedRow): readonly string[] {
  const names = `${one.name} and ${other.name}`
  if (one.row.path === other.row.path) {
    return [
      ...violationUnless(
        one.row.method !== other.row.method,
        `${names}: both are ${one.row.method} ${one.row.path}`,
      ),
      ...violationUnless(
        one.row.parameter?.mayBeEmpty === other.row.parameter?.mayBeEmpty,
        `${names}: they share ${one.row.path}, but differ in whether its parameter may be empty`,
      ),
    ]
  }
  return violationUnless(
    !covers(one.row, other.row) && !covers(other.row, one.row),
    `${names}: one request may match both ${one.row.path} and ${other.row.path}`,
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

function issuanceViolations(issuance: Issuance): readonly string[] {
  if (!issuance.enabled) {
    return violationUnless(isPresent(issuance.reason), 'issuance: paused without a reason')
  }
  return [
    ...violationUnless(isPresent(issuance.approvedBy), 'issuance: open, but approvedBy is empty'),
    ...violationUnless(
      DAY.test(issuance.approvedAt) &&
        parseInstant(`${issuance.approvedAt}T00:00:00Z`) !== undefined,
      `issuance: approvedAt is "${issuance.approvedAt}"; expected an ISO 8601 date`,
    ),
    ...violationUnless(isPresent(issuance.reference), 'issuance: open, but reference is empty'),
  ]
}
