import type { JsonSchema } from '@public-api/contract/schemas/schema-type'
import type { ContractOutline, EndpointOutline, Limits, Rate } from './contract-outline.ts'
import { compareEndpoint } from './endpoint-changes.ts'
import { compareSchemas, type Difference, type Impact } from './schema-changes.ts'
import { compareNames, isObject, keysOf, show, type Values } from './value-changes.ts'

/** The class of a change (contract decisions section 11). */
export type ChangeClass = 'text' | 'additive' | 'beta' | 'breaking'

/** One change of the contract. */
export interface ContractChange {
  readonly class: ChangeClass
  /** Place of the change, such as `GET /api/v1/status 200 data.components[].state`. */
  readonly place: string
  readonly change: string
  /** The rows that the change affects. */
  readonly rows: readonly string[]
  /** Set on the removal of a row, and on a change that ends its availability. */
  readonly removedRow?: EndpointOutline
}

/** Rows by `METHOD path`. */
type Rows = ContractOutline['endpoints']

/** The rows of a limit that does not apply to every request. */
const LIMIT_USERS: { readonly [limit: string]: (row: EndpointOutline) => boolean } = {
  maxBodyBytes: (row) => row.request !== undefined,
  maxUseCaseCodePoints: (row) => row.request === 'Registration',
  maxEmailLength: (row) => row.request === 'Registration',
  maxInterests: (row) => row.request === 'Registration',
  registrationGlobal: (row) => row.request === 'Registration',
  registrationPerActor: (row) => row.request === 'Registration',
  maxLabelLength: (row) => row.request === 'KeyRequest',
  minTtlDays: (row) => row.request === 'KeyRequest',
  defaultTtlDays: (row) => row.request === 'KeyRequest',
  maxTtlDays: (row) => row.request === 'KeyRequest',
  keyIssuance: (row) => row.request === 'KeyRequest',
  maxActiveKeys: (row) => row.request === 'KeyRequest',
  maxTimeDistanceMs: (row) => row.success?.data === 'Time',
  timeSilenceSeconds: (row) => row.success?.data === 'Time',
}

/** Limits whose higher value accepts or promises less. */
const LOWER_LIMITS: ReadonlySet<string> = new Set([
  'minTtlDays',
  'maxTimeDistanceMs',
  'timeSilenceSeconds',
])

/**
 * Limits that no change widens: callers that omit the lifetime of a key get another one, and verifiers reject what an
 * older or younger signature may be by the age that they know.
 */
const NEITHER_WIDER: ReadonlySet<string> = new Set(['defaultTtlDays', 'signatureMaxAgeSeconds'])

/** Every change from one contract to another, with its class. The registry version and the changelog are not compared. */
export function compareContracts(
  before: ContractOutline,
  after: ContractOutline,
): readonly ContractChange[] {
  const rows = Object.keys(before.endpoints)
  /** Differences that affect all of these rows; they count as breaking if one of the rows is stable. */
  const of = (affected: readonly string[], differences: readonly Difference[]) =>
    differences.map(({ impact, place, change }) => ({
      class: classOf(impact, affected, before.endpoints),
      place,
      change,
      rows: affected,
    }))
  const rowsWhere = (holds: (row: EndpointOutline) => boolean): readonly string[] => {
    const found = rows.filter((key) => {
      const row = before.endpoints[key]
      return row !== undefined && holds(row)
    })
    return found.length === 0 ? rows : found
  }
  return [
    ...[...new Set([...rows, ...Object.keys(after.endpoints)])].flatMap((key) =>
      compareRows(key, before, after, of),
    ),
    ...keysOf(before.errors, after.errors).flatMap((code) =>
      of(codeRows(code, before), compareError(code, before.errors[code], after.errors[code])),
    ),
    ...of(rows, compareNames(before.routeErrors, after.routeErrors, 'routing', 'error code')),
    ...keysOf(before.limits, after.limits).flatMap((name) =>
      of(
        rowsWhere(LIMIT_USERS[name] ?? (() => true)),
        compareLimit(name, before.limits, after.limits),
      ),
    ),
    ...of(
      rowsWhere((row) => row.issuesKeys === true),
      compareIssuance(before, after),
    ),
    ...of(rows, compareErrorSchemas(before.errorSchema, after.errorSchema)),
    ...(['request', 'response'] as const).flatMap((direction) =>
      of(rows, compareHeaders(before.headers[direction], after.headers[direction], direction)),
    ),
    ...of(rows, compareCors(before.cors, after.cors)),
    ...of(rows, compareTerms(before.terms, after.terms, '')),
  ]
}

/** Rows that may respond with a code, or all rows for a code of the router. */
function codeRows(code: string, { endpoints }: ContractOutline): readonly string[] {
  const found = Object.entries(endpoints).flatMap(([key, { responses }]) =>
    Object.values(responses).some(({ codes }) => codes.includes(code)) ? [key] : [],
  )
  return found.length === 0 ? Object.keys(endpoints) : found
}

function classOf(impact: Impact, affected: readonly string[], rows: Rows): ChangeClass {
  if (impact !== 'breaking') return impact
  const isStable = affected.some((key) => (rows[key]?.stability ?? 'stable') === 'stable')
  return isStable ? 'breaking' : 'beta'
}

type ToChanges = (
  affected: readonly string[],
  differences: readonly Difference[],
) => readonly ContractChange[]

function compareRows(
  key: string,
  before: ContractOutline,
  after: ContractOutline,
  of: ToChanges,
): readonly ContractChange[] {
  const [from, to] = [before.endpoints[key], after.endpoints[key]]
  if (from === undefined) {
    return [{ class: 'additive', place: key, change: 'endpoint added', rows: [key] }]
  }
  if (to === undefined) {
    return of([key], [{ impact: 'breaking', place: key, change: 'endpoint removed' }]).map(
      (change) => ({ ...change, removedRow: from }),
    )
  }
  return of([key], compareEndpoint(key, before, after))
}

function compareError(
  code: string,
  from: ContractOutline['errors'][string] | undefined,
  to: ContractOutline['errors'][string] | undefined,
): readonly Difference[] {
  const place = `error ${code}`
  if (from === undefined) return [{ impact: 'additive', place, change: 'error code added' }]
  if (to === undefined) return [{ impact: 'breaking', place, change: 'error code removed' }]
  return keysOf(from, to).flatMap((field) => {
    const [old, now] = [from, to].map((error) => (error as unknown as Values)[field])
    if (show(old) === show(now)) return []
    const isText = field === 'meaning' || field === 'message'
    const isShorterWait =
      field === 'retryAfterSeconds' && (old === undefined || Number(now) < Number(old))
    const impact = isText ? 'text' : isShorterWait ? 'additive' : 'breaking'
    return [{ impact, place, change: `${field} changed from ${show(old)} to ${show(now)}` }]
  })
}

/** The codes are compared with the catalog, which knows the rows of each. */
function compareErrorSchemas(before: JsonSchema, after: JsonSchema): readonly Difference[] {
  return compareSchemas(before, after, 'response', 'error').filter(
    ({ place, change }) => place !== 'error.code' || !change.startsWith('value '),
  )
}

function compareLimit(name: string, before: Limits, after: Limits): readonly Difference[] {
  const place = `limit ${name}`
  const [from, to] = [before[name], after[name]]
  if (show(from) === show(to)) return []
  if (from === undefined) return [{ impact: 'breaking', place, change: 'limit added' }]
  if (to === undefined) return [{ impact: 'breaking', place, change: 'limit removed' }]
  const change = `changed from ${show(from)} to ${show(to)}`
  return [{ impact: isWiderLimit(name, from, to) ? 'additive' : 'breaking', place, change }]
}

/** Whether everything that a limit allowed is still allowed. */
function isWiderLimit(name: string, from: number | Rate, to: number | Rate): boolean {
  if (typeof from === 'number' && typeof to === 'number') {
    if (NEITHER_WIDER.has(name)) return false
    return LOWER_LIMITS.has(name) ? to < from : to > from
  }
  if (typeof from === 'number' || typeof to === 'number') return false
  // As many requests as the old limit allowed in each of its windows that one new window may overlap.
  return to.requests >= from.requests * Math.ceil(to.windowSeconds / from.windowSeconds)
}

function compareIssuance(before: ContractOutline, after: ContractOutline): readonly Difference[] {
  const [from, to] = [before.issuance, after.issuance]
  if (show(from) === show(to)) return []
  // Another record of the approval changes nothing for clients.
  const reopened = from.enabled ? 'text' : 'additive'
  const impact = to.enabled ? reopened : 'breaking'
  return [{ impact, place: 'issuance', change: `changed from ${show(from)} to ${show(to)}` }]
}

/** Whether a list of field names, as Vary has it, gained names and lost none. A cache then stores more variants. */
function isLongerList(from: unknown, to: unknown): boolean {
  if (typeof from !== 'string' || typeof to !== 'string') return false
  const names = to.split(', ')
  return from.split(', ').every((name) => names.includes(name))
}

/** A header whose only value is a list of field names that grew is additive. */
function compareHeaderSchemas(
  before: JsonSchema,
  after: JsonSchema,
  direction: 'request' | 'response',
  place: string,
): readonly Difference[] {
  const [from, to] = [before.enum, after.enum]
  const isOne = from?.length === 1 && to?.length === 1
  if (!isOne || from[0] === to[0] || !isLongerList(from[0], to[0])) {
    return compareSchemas(before, after, direction, place)
  }
  return [
    { impact: 'additive', place, change: `value grew from ${show(from[0])} to ${show(to[0])}` },
    ...compareSchemas({ ...before, enum: to }, after, direction, place),
  ]
}

type HeaderTable = ContractOutline['headers']['request']

function compareHeaders(
  before: HeaderTable,
  after: HeaderTable,
  direction: 'request' | 'response',
): readonly Difference[] {
  return keysOf(before, after).flatMap((name): readonly Difference[] => {
    const place = `${direction} header ${name}`
    const [from, to] = [before[name], after[name]]
    if (from === undefined) return [{ impact: 'additive', place, change: 'header added' }]
    if (to === undefined) return [{ impact: 'breaking', place, change: 'header removed' }]
    const change = `meaning changed from ${show(from.meaning)} to ${show(to.meaning)}`
    const wasAlways = from.isAlwaysSent === true
    const isAlways = to.isAlwaysSent === true
    return [
      ...(wasAlways === isAlways
        ? []
        : [
            {
              impact: isAlways ? ('additive' as const) : ('breaking' as const),
              place,
              change: isAlways ? 'header is now always sent' : 'header is no longer always sent',
            },
          ]),
      ...(from.meaning === to.meaning ? [] : [{ impact: 'text' as const, place, change }]),
      ...compareHeaderSchemas(from.schema, to.schema, direction, place),
    ]
  })
}

/** Lists may grow; any other change is breaking. */
function compareCors(before: Values, after: Values): readonly Difference[] {
  return keysOf(before, after).flatMap((rule) => {
    const [from, to] = [before[rule], after[rule]]
    if (show(from) === show(to)) return []
    if (Array.isArray(from) && Array.isArray(to)) {
      return compareNames(from.map(String), to.map(String), `CORS ${rule}`, 'value')
    }
    const change = `changed from ${show(from)} to ${show(to)}`
    return [{ impact: 'breaking', place: `CORS ${rule}`, change }]
  })
}

/** Tables whose values are texts: a new name is additive. */
const TEXT_TABLES: ReadonlySet<string> = new Set([
  'tags',
  'stability',
  'statuses',
  'runtimes',
  'authentications',
])

function compareTerms(before: Values, after: Values, prefix: string): readonly Difference[] {
  return keysOf(before, after).flatMap((name): readonly Difference[] => {
    const place = `${prefix}${name}`
    const [from, to] = [before[name], after[name]]
    if (show(from) === show(to)) return []
    if (isObject(from) && isObject(to)) return compareTerms(from, to, `${place}.`)
    if (from === undefined) return [{ impact: 'additive', place, change: 'added' }]
    if (to === undefined) return [{ impact: 'breaking', place, change: 'removed' }]
    const table = place.split('.')[0] ?? ''
    // The reference page is not part of the contract (spec section 1).
    const isText = TEXT_TABLES.has(table) || name === 'meaning' || place === 'links.docs'
    const change = `changed from ${show(from)} to ${show(to)}`
    if (place === 'vary' && isLongerList(from, to)) return [{ impact: 'additive', place, change }]
    return [{ impact: isText ? 'text' : 'breaking', place, change }]
  })
}
