import { parseInstant } from '@public-api/contract/text/instant'
import {
  additiveIf,
  type Compare,
  type Difference,
  type Impact,
  isObject,
  keysOf,
  members,
  names,
  optional,
  show,
  type Values,
  type Verdict,
  whole,
} from './compare-values.ts'
import type { ContractOutline, EndpointOutline, Rate } from './contract-outline.ts'
import { schemas } from './schema-changes.ts'

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

const STABILITY_ORDER: readonly unknown[] = ['experimental', 'beta', 'stable']

/** Fields of a row that are compared as a whole. What no table lists is breaking. */
const ROW_FIELDS: { readonly [field: string]: Verdict } = {
  summary: 'text',
  description: 'text',
  tag: 'text',
  stability: additiveIf((from, to) => STABILITY_ORDER.indexOf(to) > STABILITY_ORDER.indexOf(from)),
  status: additiveIf((_, to) => to !== 'preview'),
  runtime: additiveIf((_, to) => to === 'all'),
  authentication: additiveIf((_, to) => to === 'none'),
}

const PARAMETER_FIELDS: { readonly [field: string]: Verdict } = {
  description: 'text',
  example: 'text',
  pattern: additiveIf((_, to) => to === undefined),
  mayBeEmpty: additiveIf((_, to) => to === true),
}

const ERROR_FIELDS: { readonly [field: string]: Verdict } = {
  meaning: 'text',
  message: 'text',
  retryAfterSeconds: additiveIf((from, to) => from === undefined || Number(to) < Number(from)),
}

const takesRegistration = (row: EndpointOutline): boolean => row.request === 'Registration'
const takesKeyRequest = (row: EndpointOutline): boolean => row.request === 'KeyRequest'
const sendsTime = (row: EndpointOutline): boolean => row.success?.data === 'Time'

type LimitRule = {
  /** Limits every row unless given. */
  readonly rows?: (row: EndpointOutline) => boolean
  /** The value that accepts or promises more: a higher one unless given, or none. */
  readonly wider?: 'lower' | 'none'
}

const LIMITS: { readonly [limit: string]: LimitRule } = {
  maxBodyBytes: { rows: (row) => row.request !== undefined },
  maxUseCaseCodePoints: { rows: takesRegistration },
  maxEmailLength: { rows: takesRegistration },
  maxInterests: { rows: takesRegistration },
  registrationGlobal: { rows: takesRegistration },
  registrationPerActor: { rows: takesRegistration },
  maxLabelLength: { rows: takesKeyRequest },
  minTtlDays: { rows: takesKeyRequest, wider: 'lower' },
  // Callers that omit the lifetime of a key get another one.
  defaultTtlDays: { rows: takesKeyRequest, wider: 'none' },
  maxTtlDays: { rows: takesKeyRequest },
  keyIssuance: { rows: takesKeyRequest },
  maxActiveKeys: { rows: takesKeyRequest },
  maxTimeDistanceMs: { rows: sendsTime, wider: 'lower' },
  timeSilenceSeconds: { rows: sendsTime, wider: 'lower' },
  // Verifiers reject what an older or younger signature may be by the age that they know.
  signatureMaxAgeSeconds: { wider: 'none' },
}

/** Tables of texts: a new text of a name changes nothing for clients. The reference page is not part of the contract (spec section 1). */
const TEXT_TERMS =
  /^(tags|stability|statuses|runtimes|authentications)\.|(^|\.)meaning$|^links\.docs$/

/** One part of a contract. */
interface Part {
  /** Its entries by name. The place of a change is the prefix and the name. */
  readonly entries: (contract: ContractOutline) => object
  readonly prefix?: string
  /** The rows that an entry affects. Default: every row. */
  readonly rows?: (name: string, contract: ContractOutline) => readonly string[]
  readonly compare: (name: string) => Compare
}

const PARTS: readonly Part[] = [
  {
    entries: resolvedRows,
    rows: (row) => [row],
    compare: () => optional('endpoint', 'additive', compareRow),
  },
  {
    entries: ({ errors }) => errors,
    prefix: 'error ',
    rows: codeRows,
    compare: () => optional('error code', 'additive', members(ERROR_FIELDS, 'breaking')),
  },
  {
    entries: ({ routeErrors }) => ({ routing: routeErrors }),
    compare: () => names('error code'),
  },
  {
    entries: ({ limits }) => limits,
    prefix: 'limit ',
    rows: (limit, contract) => rowsWhere(LIMITS[limit]?.rows, contract),
    compare: (limit) => optional('limit', 'breaking', whole(isWider(limit))),
  },
  {
    entries: ({ issuance }) => ({ issuance }),
    rows: (_, contract) => rowsWhere((row) => row.issuesKeys === true, contract),
    compare: () => whole({ by: issuanceImpact }),
  },
  {
    entries: ({ errorSchema }) => ({ error: errorSchema }),
    compare: () => compareErrorSchema,
  },
  {
    entries: ({ headers }) => headers.request,
    prefix: 'request header ',
    compare: () => optional('header', 'additive', compareHeader('request')),
  },
  {
    entries: ({ headers }) => headers.response,
    prefix: 'response header ',
    compare: () => optional('header', 'additive', compareHeader('response')),
  },
  {
    entries: ({ cors }) => cors,
    prefix: 'CORS ',
    compare: () => compareCors,
  },
  {
    entries: ({ terms }) => terms,
    compare: () => compareTerm,
  },
]

/** Every change from one contract to another, with its class. The registry version and the changelog are not compared. */
export function compareContracts(
  before: ContractOutline,
  after: ContractOutline,
): readonly ContractChange[] {
  return PARTS.flatMap(({ entries, prefix = '', rows, compare }) => {
    const [from, to] = [entries(before) as Values, entries(after) as Values]
    return keysOf(from, to).flatMap((name) => {
      const affected = rows?.(name, before) ?? Object.keys(before.endpoints)
      const removedRow = to[name] === undefined ? before.endpoints[prefix + name] : undefined
      return compare(name)(from[name], to[name], prefix + name).map(
        ({ impact, place, change }) => ({
          class: classOf(impact, affected, before),
          place,
          change,
          rows: affected,
          ...(removedRow && { removedRow }),
        }),
      )
    })
  })
}

/** A breaking change of rows counts as breaking if one of them is stable. */
function classOf(
  impact: Impact,
  affected: readonly string[],
  { endpoints }: ContractOutline,
): ChangeClass {
  if (impact !== 'breaking') return impact
  const isStable = affected.some((key) => (endpoints[key]?.stability ?? 'stable') === 'stable')
  return isStable ? 'breaking' : 'beta'
}

/** The rows for which a condition holds; all rows without a condition. */
function rowsWhere(
  holds: (row: EndpointOutline) => boolean = () => true,
  { endpoints }: ContractOutline,
): readonly string[] {
  const found = Object.entries(endpoints).filter(([, row]) => holds(row))
  return (found.length === 0 ? Object.entries(endpoints) : found).map(([key]) => key)
}

/** Rows that may respond with a code, or all rows for a code of the router. */
function codeRows(code: string, contract: ContractOutline): readonly string[] {
  return rowsWhere(
    ({ responses }) => Object.values(responses).some(({ codes }) => codes.includes(code)),
    contract,
  )
}

/** A row with the schemas that it names. */
interface ResolvedRow extends Omit<EndpointOutline, 'request' | 'success'> {
  readonly request: unknown
  readonly success: { readonly status: number; readonly schema: unknown } | undefined
}

function resolvedRows({ endpoints, dataSchemas, requestSchemas }: ContractOutline): {
  readonly [row: string]: ResolvedRow
} {
  return Object.fromEntries(
    Object.entries(endpoints).map(([key, { request, success, ...row }]) => [
      key,
      {
        ...row,
        request: request && requestSchemas[request],
        success: success && { ...success, schema: dataSchemas[success.data] },
      },
    ]),
  )
}

function compareRow(before: unknown, after: unknown, key: string): readonly Difference[] {
  const [from, to] = [before as ResolvedRow, after as ResolvedRow]
  const query = ({ query: properties = {} }: ResolvedRow) => ({ properties })
  return members(
    {
      ...ROW_FIELDS,
      parameter: compareParameter,
      // Query parameters are compared like the optional fields of a request body.
      query: () => schemas('request')(query(from), query(to), `${key} query`),
      deprecation: compareDeprecation,
      responses: () => compareResponses(from, to, key),
      success: compareSuccess,
      request: (old, now) =>
        optional('body', 'breaking', schemas('request'))(old, now, `${key} body`),
    },
    'breaking',
  )(from, to, key)
}

function compareParameter(from: unknown, to: unknown, key: string): readonly Difference[] {
  return isObject(from) && isObject(to)
    ? members(PARAMETER_FIELDS, 'breaking')(from, to, `${key} {${String(from['name'])}}`)
    : whole('breaking', 'parameter')(from, to, key)
}

type Deprecation = NonNullable<EndpointOutline['deprecation']>

function compareDeprecation(before: unknown, after: unknown, key: string): readonly Difference[] {
  const [from, to] = [before, after] as (Deprecation | undefined)[]
  const place = `${key} deprecation`
  if (from === undefined || to === undefined) {
    const change = to === undefined ? 'deprecation revoked' : `deprecated, sunset ${to.sunsetAt}`
    return [{ impact: 'additive', place, change }]
  }
  const sunsetMs = ({ sunsetAt }: Deprecation) => parseInstant(sunsetAt) ?? NaN
  const noticeMs = (deprecation: Deprecation) =>
    sunsetMs(deprecation) - (parseInstant(deprecation.deprecatedAt) ?? NaN)
  const keepsNotice = noticeMs(to) >= noticeMs(from) && sunsetMs(to) >= sunsetMs(from)
  return whole(keepsNotice ? 'additive' : 'breaking')(from, to, place)
}

const DEPRECATION_HEADERS: ReadonlySet<string> = new Set(['Deprecation', 'Sunset', 'Link'])

function compareResponses(from: ResolvedRow, to: ResolvedRow, key: string): readonly Difference[] {
  const isRevoked = from.deprecation !== undefined && to.deprecation === undefined
  const lasts = (header: string): boolean => !isRevoked || !DEPRECATION_HEADERS.has(header)
  return keysOf(from.responses, to.responses).flatMap((status): readonly Difference[] => {
    const [old, now] = [from.responses[status], to.responses[status]]
    const place = `${key} ${status}`
    const [wasSuccess, isSuccess] = [from, to].map((row) => `${row.success?.status}` === status)
    // A successful status is compared with the success of the row.
    if (old === undefined) {
      const impact = status === '304' ? 'additive' : 'breaking'
      return isSuccess === true ? [] : [{ impact, place, change: 'status added' }]
    }
    if (now === undefined) {
      return wasSuccess === true ? [] : [{ impact: 'breaking', place, change: 'status removed' }]
    }
    // An error with the status of a success changes the body that clients expect of it.
    const codes = names('error code', wasSuccess === true ? 'breaking' : 'additive')
    return [
      ...codes(old.codes, now.codes, place),
      ...names('header')(old.headers.filter(lasts), now.headers, place),
    ]
  })
}

function compareSuccess(before: unknown, after: unknown, key: string): readonly Difference[] {
  const compareData = optional('schema of data', 'breaking', schemas('response'))
  return optional('success', 'additive', (from, to) =>
    members(
      {
        data: whole('additive', 'name of the schema'),
        schema: (old, now, place) => compareData(old, now, `${place} data`),
      },
      'breaking',
    )(from, to, `${key} ${(from as { readonly status: number }).status}`),
  )(before, after, key)
}

/** The codes are compared with the catalog, which knows the rows of each. */
function compareErrorSchema(from: unknown, to: unknown, place: string): readonly Difference[] {
  return schemas('response')(from, to, place).filter(
    (difference) => difference.place !== 'error.code' || !difference.change.startsWith('value '),
  )
}

/** Whether everything that a limit allowed is still allowed. */
function isWider(limit: string): Verdict {
  const { wider } = LIMITS[limit] ?? {}
  return additiveIf((from, to) => {
    if (typeof from === 'number' && typeof to === 'number') {
      return wider !== 'none' && (wider === 'lower' ? to < from : to > from)
    }
    if (!isObject(from) || !isObject(to)) return false
    const [old, now] = [from, to] as unknown as readonly [Rate, Rate]
    // As many requests as the old limit allowed in each of its windows that one new window may overlap.
    return now.requests >= old.requests * Math.ceil(now.windowSeconds / old.windowSeconds)
  })
}

/** Another record of the approval changes nothing for clients. */
function issuanceImpact(from: unknown, to: unknown): Impact {
  const [wasEnabled, isEnabled] = [from, to].map((value) => isObject(value) && value['enabled'])
  return isEnabled !== true ? 'breaking' : wasEnabled === true ? 'text' : 'additive'
}

/** Whether a list of field names, as Vary has it, gained names and lost none. A cache then stores more variants. */
function isLongerList(from: unknown, to: unknown): boolean {
  if (typeof from !== 'string' || typeof to !== 'string') return false
  const now = to.split(', ')
  return from.split(', ').every((name) => now.includes(name))
}

function compareHeader(direction: 'request' | 'response'): Compare {
  return members(
    {
      meaning: 'text',
      isAlwaysSent: (from, to, place) =>
        from === to
          ? []
          : [
              {
                impact: to === true ? 'additive' : 'breaking',
                place,
                change: `header is ${to === true ? 'now' : 'no longer'} always sent`,
              },
            ],
      schema: (from, to, place) => compareHeaderSchema(from as Values, to as Values, place),
    },
    'breaking',
  )

  /** A header whose only value is a list of field names may grow. */
  function compareHeaderSchema(from: Values, to: Values, place: string): readonly Difference[] {
    const [[old, ...more], [now, ...others]] = [from, to].map(({ enum: values }) =>
      Array.isArray(values) ? (values as readonly unknown[]) : [],
    ) as [readonly unknown[], readonly unknown[]]
    const isGrown = more.length + others.length === 0 && old !== now && isLongerList(old, now)
    if (!isGrown) return schemas(direction)(from, to, place)
    return [
      { impact: 'additive', place, change: `value grew from ${show(old)} to ${show(now)}` },
      ...schemas(direction)({ ...from, enum: to['enum'] }, to, place),
    ]
  }
}

/** Lists may grow; any other change is breaking. */
function compareCors(from: unknown, to: unknown, place: string): readonly Difference[] {
  const areLists = Array.isArray(from) && Array.isArray(to)
  return (areLists ? names('value') : whole('breaking'))(from, to, place)
}

function compareTerm(before: unknown, after: unknown, place: string): readonly Difference[] {
  if (isObject(before) && isObject(after)) {
    return keysOf(before, after).flatMap((name) =>
      compareTerm(before[name], after[name], `${place}.${name}`),
    )
  }
  if (before === undefined) return [{ impact: 'additive', place, change: 'added' }]
  if (after === undefined) return [{ impact: 'breaking', place, change: 'removed' }]
  const isLonger = place === 'vary' && isLongerList(before, after)
  return whole(TEXT_TERMS.test(place) ? 'text' : isLonger ? 'additive' : 'breaking')(
    before,
    after,
    place,
  )
}
