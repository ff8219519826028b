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
import { unless } from './fault-unless.ts'
import { CACHE_CLASSES } from './headers.ts'
import { deprecationFaults } from './deprecation-rule.ts'
import { parseInstant } from './instant.ts'
import type { Issuance } from './issuance.ts'
import { DATA_SCHEMAS, REQUEST_SCHEMAS, type DataSchemaName } from './schemas.ts'
import type { JsonSchema } from './schema-type.ts'
import { SNAPSHOT_SCHEMAS } from './snapshot-schemas.ts'

/** What a registry is checked with. */
export interface RegistryCheckOptions {
  readonly issuance: Issuance
}

/** Errors that belong to no endpoint: the router answers them below the base path (spec 4.3). */
export const ROUTE_ERRORS = [
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
] as const satisfies readonly ErrorCode[]

/** What any endpoint that reads a body can answer before it looks at the body's meaning. */
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

/** Looks at one row (and the registry around it) and says what is wrong, without the row's name. */
type RowRule = (named: NamedRow, registry: Registry) => readonly string[]

const ROW_RULES: readonly RowRule[] = [
  nameIsOperationId,
  wordsAreKnown,
  textsAreWritten,
  pathIsPlain,
  parameterIsDescribed,
  methodKeepsItsMeaning,
  bodyIsDescribed,
  authenticationIsAnswered,
  statusKeepsItsMeaning,
  successIsDescribed,
  snapshotIsServedAsPublished,
  errorsAreInTheCatalog,
  failureIsHonest,
  keysAreIssuedInOnePlace,
  ({ row }, registry) => deprecationFaults(row, registry),
]

/**
 * Every rule a registry keeps, checked over all rows. Gives one readable sentence for each rule that is broken, with
 * the name of the row, and an empty list for a sound registry. The app does not start with an unsound one.
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
    ...issuanceFaults(issuance),
  ]
}

function nameIsOperationId({ name }: NamedRow): readonly string[] {
  return unless(
    OPERATION_ID.test(name),
    'the name is no operationId; expected a lower-case letter, then letters and digits',
  )
}

function known(field: string, word: string, table: object): readonly string[] {
  return unless(
    Object.hasOwn(table, word),
    `${field} ${word} is unknown; expected one of ${Object.keys(table).join(', ')}`,
  )
}

function wordsAreKnown({ row }: NamedRow): readonly string[] {
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

function textsAreWritten({ row }: NamedRow): readonly string[] {
  return [
    ...unless(row.summary.trim() !== '', 'there is no summary'),
    ...unless(row.description.trim() !== '', 'there is no description'),
  ]
}

function pathIsPlain({ row }: NamedRow): readonly string[] {
  if (row.path !== BASE_PATH && !row.path.startsWith(`${BASE_PATH}/`)) {
    return [`the path ${row.path} does not stand under ${BASE_PATH}`]
  }
  const segments = row.path.split('/').slice(1)
  const bad = segments.filter(
    (segment, index) =>
      !PATH_SEGMENT.test(segment) &&
      !(index === segments.length - 1 && PARAMETER_SEGMENT.test(segment)),
  )
  return bad.map((segment) =>
    segment.includes('{')
      ? `the parameter ${segment} stands inside the path; expected it alone at the end`
      : `the path segment "${segment}" is not plain; expected lower-case letters, digits, dots and hyphens`,
  )
}

/** Name of the parameter at the end of a path template. */
function parameterNameOf(path: string): string | undefined {
  return PARAMETER_SEGMENT.exec(path.slice(path.lastIndexOf('/') + 1))?.[1]
}

function parameterIsDescribed({ row }: NamedRow): readonly string[] {
  const named = parameterNameOf(row.path)
  const { parameter } = row
  if (parameter === undefined) {
    return unless(named === undefined, `the path parameter ${named} is not described`)
  }
  if (parameter.name !== named) {
    return [
      `the parameter ${parameter.name} is described, but the path ${row.path} has no such one`,
    ]
  }
  return [
    ...unless(parameter.description.trim() !== '', `the parameter ${named} has no description`),
    ...unless(parameter.example !== '', `the parameter ${named} has no example`),
    ...unless(
      parameter.pattern === undefined || new RegExp(parameter.pattern).test(parameter.example),
      `the example ${parameter.example} of ${named} does not match its pattern ${parameter.pattern}`,
    ),
  ]
}

function methodKeepsItsMeaning({ row }: NamedRow): readonly string[] {
  if (row.method === 'GET') {
    return [
      ...unless(row.request === undefined, 'a GET has no request body (RFC 9110 9.3.1)'),
      ...unless(
        row.success === undefined || row.success.status === 200,
        'a GET succeeds with 200; it creates nothing',
      ),
      ...unless(
        row.authentication === 'none' || row.cacheClass === 'none',
        'what only a key holder may read is in the cache class none',
      ),
    ]
  }
  return [
    ...unless(
      row.cacheClass === 'none',
      `a ${row.method} is in the cache class none, not in ${row.cacheClass}`,
    ),
    ...unless(
      row.method !== 'DELETE' || row.request === undefined,
      'a DELETE has no request body (RFC 9110 9.3.5)',
    ),
    ...unless(
      row.success?.status !== 201 || row.method === 'POST',
      `a ${row.method} does not succeed with 201; only a POST creates`,
    ),
    ...unless(
      row.success?.envelope !== 'none',
      `a ${row.method} succeeds with an envelope; only the OpenAPI document has none`,
    ),
  ]
}

function bodyIsDescribed({ row }: NamedRow): readonly string[] {
  const listed = BODY_ERRORS.filter((code) => row.errors.includes(code))
  if (row.request === undefined) {
    return [
      ...unless(row.method !== 'POST', 'a POST describes its request body'),
      ...listed.map((code) => `it lists ${code}, but reads no body`),
    ]
  }
  return [
    ...unless(
      Object.hasOwn(REQUEST_SCHEMAS, row.request),
      `the request schema ${row.request} is unknown`,
    ),
    ...BODY_ERRORS.filter((code) => !listed.includes(code)).map(
      (code) => `it reads a body, but does not list ${code}`,
    ),
  ]
}

function authenticationIsAnswered({ row }: NamedRow): readonly string[] {
  const listed = row.errors.includes('KEY_REQUIRED')
  return row.authentication === 'api-key'
    ? unless(listed, 'it requires an API key, but does not list KEY_REQUIRED')
    : unless(!listed, 'it lists KEY_REQUIRED, but requires no API key')
}

function statusKeepsItsMeaning({ row }: NamedRow): readonly string[] {
  if (row.status === 'preview') {
    return [
      ...unless(row.success === undefined, 'a preview endpoint is disabled and has no success'),
      ...unless(
        row.errors.includes('PREVIEW_NOT_ENABLED'),
        'a preview endpoint lists PREVIEW_NOT_ENABLED',
      ),
    ]
  }
  return [
    ...unless(row.success !== undefined, `${row.status}, so it needs a success`),
    ...unless(
      !row.errors.includes('PREVIEW_NOT_ENABLED'),
      'only a preview endpoint lists PREVIEW_NOT_ENABLED',
    ),
    ...unless(
      row.stability !== 'experimental' || row.status !== 'active',
      'an experimental endpoint is never active (spec 9.5)',
    ),
  ]
}

function successIsDescribed({ row }: NamedRow): readonly string[] {
  const { success } = row
  if (success === undefined) return []
  return [
    ...unless(
      Object.hasOwn(DATA_SCHEMAS, success.data),
      `the data schema ${success.data} is unknown`,
    ),
    // The two names are spec 2.1 and 2.2: one resource without an envelope, one with an envelope of its own.
    ...unless(
      (success.envelope === 'none') === (success.data === 'OpenApiDocument'),
      'the OpenAPI document, and nothing else, is sent without an envelope',
    ),
    ...unless(
      (success.envelope === 'registration') === (success.data === 'RegistrationResult'),
      'the result of a registration, and nothing else, has the registration envelope',
    ),
  ]
}

function snapshotIsServedAsPublished({ row }: NamedRow): readonly string[] {
  const { snapshot, success } = row
  if (snapshot === undefined) return []
  if (!Object.hasOwn(SNAPSHOT_SCHEMAS, snapshot)) return [`the snapshot ${snapshot} is unknown`]
  return [
    ...unless(row.method === 'GET', `a snapshot is read with GET, not with ${row.method}`),
    ...unless(
      row.path === `${BASE_PATH}/${snapshot}`,
      `the snapshot ${snapshot} stands at ${BASE_PATH}/${snapshot}, not at ${row.path}`,
    ),
    ...unless(
      row.cacheClass === 'static-snapshot',
      `a snapshot is in the cache class static-snapshot, not in ${row.cacheClass}`,
    ),
    ...unless(
      row.failure === 'SNAPSHOT_UNAVAILABLE',
      `a snapshot fails with SNAPSHOT_UNAVAILABLE, not with ${row.failure}`,
    ),
    ...unless(
      success !== undefined && dataSchemaOf(success.data) === SNAPSHOT_SCHEMAS[snapshot],
      `the success of ${row.path} does not have the schema of the snapshot ${snapshot}`,
    ),
  ]
}

function dataSchemaOf(name: DataSchemaName): JsonSchema | undefined {
  return Object.hasOwn(DATA_SCHEMAS, name) ? DATA_SCHEMAS[name] : undefined
}

function errorsAreInTheCatalog({ row }: NamedRow): readonly string[] {
  const routeErrors: readonly ErrorCode[] = ROUTE_ERRORS
  return row.errors.flatMap((code, index) => {
    if (!Object.hasOwn(ERRORS, code)) return [`the error ${code} is not in the catalog`]
    return [
      ...unless(row.errors.indexOf(code) === index, `it lists ${code} twice`),
      ...unless(!routeErrors.includes(code), `${code} belongs to the router, not to an endpoint`),
      ...unless(
        ERRORS[code].status >= 400 || ERRORS[code].status === row.success?.status,
        `${code} has the status ${ERRORS[code].status}, which is not that of the success`,
      ),
    ]
  })
}

function failureIsHonest({ row }: NamedRow): readonly string[] {
  if (!Object.hasOwn(ERRORS, row.failure)) {
    return [`the failure ${row.failure} is not in the catalog`]
  }
  if (row.success === undefined) {
    return unless(
      row.errors.includes(row.failure),
      `without a success, the failure ${row.failure} is one of the errors it lists`,
    )
  }
  return unless(
    ERRORS[row.failure].status === 503,
    `an unexpected failure is a 503, but ${row.failure} is a ${ERRORS[row.failure].status}`,
  )
}

function keysAreIssuedInOnePlace({ row }: NamedRow): readonly string[] {
  return unless(
    (row.issuesKeys === true) === (row.success?.data === 'IssuedKey'),
    'what gives out an API key, and nothing else, is marked issuesKeys, so that the pause holds it',
  )
}

/** What two rows cannot both say. */
function clash(one: NamedRow, other: NamedRow): readonly string[] {
  const names = `${one.name} and ${other.name}`
  if (one.row.path === other.row.path) {
    return [
      ...unless(
        one.row.method !== other.row.method,
        `${names}: both are ${one.row.method} ${one.row.path}`,
      ),
      ...unless(
        one.row.parameter?.mayBeEmpty === other.row.parameter?.mayBeEmpty,
        `${names}: they share ${one.row.path}, but differ in whether its parameter may be empty`,
      ),
    ]
  }
  return unless(
    !covers(one.row, other.row) && !covers(other.row, one.row),
    `${names}: one request may match both ${one.row.path} and ${other.row.path}`,
  )
}

/** Whether the parameter of one row takes requests that are meant for the path of the other. */
function covers({ path, parameter }: Endpoint, other: Endpoint): boolean {
  if (parameter === undefined) return false
  const prefix = path.slice(0, path.lastIndexOf('/') + 1)
  return (
    other.path.startsWith(prefix) || (parameter.mayBeEmpty && other.path === prefix.slice(0, -1))
  )
}

/** Whether something is said. The type promises a text, but a record that is short of one must be told of in words. */
function isSaid(text: string | undefined): boolean {
  return typeof text === 'string' && text.trim() !== ''
}

function issuanceFaults(issuance: Issuance): readonly string[] {
  if (!issuance.enabled) {
    return unless(isSaid(issuance.reason), 'issuance: paused without a reason')
  }
  return [
    ...unless(isSaid(issuance.approvedBy), 'issuance: open, but approvedBy names nobody'),
    ...unless(
      DAY.test(issuance.approvedAt) &&
        parseInstant(`${issuance.approvedAt}T00:00:00Z`) !== undefined,
      `issuance: approvedAt is "${issuance.approvedAt}"; expected an ISO 8601 date`,
    ),
    ...unless(isSaid(issuance.reference), 'issuance: open, but reference names no decision'),
  ]
}
