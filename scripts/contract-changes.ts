import type { Issuance } from '@public-api/contract/keys/issuance'
import { parseInstant } from '@public-api/contract/text/instant'
import type { ContractOutline, EndpointOutline, Rate } from './contract-outline.ts'
import { show, type Statements, statementsOf } from './contract-statements.ts'

/** Effect of a change on existing clients. */
type Impact = 'text' | 'additive' | 'breaking'

/** The class of a change (contract decisions section 11). */
export type ChangeClass = Impact | 'beta'

/** One change of the contract. */
export interface ContractChange {
  readonly class: ChangeClass
  /** Place of the change, such as `GET /api/v1/status 200 data.components[].state`. */
  readonly place: string
  readonly change: string
  /** The rows that the change affects. */
  readonly rows: readonly string[]
}

/** The impact of a changed value, or whether it is additive, else breaking. A missing value is undefined. */
type Rule = Impact | ((from: unknown, to: unknown) => Impact | boolean)

const isAdded = (from: unknown): boolean => from === undefined
const isTrue: Rule = (_, to) => to === true
const isNotTrue: Rule = (_, to) => to !== true

const isAbsent = (value: unknown): boolean => value === undefined || value === false

/** Whether a pattern has further alternatives, and so accepts what the old one accepts. */
const acceptsMore = (from: unknown, to: unknown): boolean =>
  String(to).startsWith(`${String(from)}|`)

const STABILITY_ORDER: readonly unknown[] = ['experimental', 'beta', 'stable']

type Deprecation = NonNullable<EndpointOutline['deprecation']>

const sunsetMs = ({ sunsetAt }: Deprecation): number => parseInstant(sunsetAt) ?? NaN
const noticeMs = (deprecation: Deprecation): number =>
  sunsetMs(deprecation) - (parseInstant(deprecation.deprecatedAt) ?? NaN)

/** A deprecation may be announced and revoked, and its notice becomes no shorter. */
function keepsNotice(before: unknown, after: unknown): boolean {
  const [from, to] = [before, after] as (Deprecation | undefined)[]
  if (from === undefined || to === undefined) return true
  return noticeMs(to) >= noticeMs(from) && sunsetMs(to) >= sunsetMs(from)
}

/** Another record of the approval changes nothing for clients. */
const issuanceImpact: Rule = (from, to) => {
  const [was, is] = [from, to] as readonly [Issuance, Issuance]
  return is.enabled && (was.enabled ? 'text' : 'additive')
}

/** Whether a list of field names, as Vary has it, gained names and lost none. A cache then stores more variants. */
const isLongerList: Rule = (from, to) =>
  new Set(String(from).split(', ')).isSubsetOf(new Set(String(to).split(', ')))

/** Whether everything that a limit allowed is still allowed. */
const isWider: Rule = (from, to) => {
  if (typeof from !== 'object' || typeof to !== 'object') return Number(to) > Number(from)
  const [old, now] = [from, to] as readonly [Rate, Rate]
  // As many requests as the old limit allowed in each of its windows that one new window may overlap.
  return now.requests >= old.requests * Math.ceil(now.windowSeconds / old.windowSeconds)
}

type Directed = readonly [request: Rule, response: Rule]

// A missing bound accepts all. Lower bounds of a response are guarantees, and upper bounds are limits, which may widen.
const LOWER_BOUND: Directed = [
  (from = -Infinity, to = -Infinity) => Number(to) < Number(from),
  (from = -Infinity, to = -Infinity) => Number(to) > Number(from),
]
const UPPER_BOUND: Directed = [
  (from = Infinity, to = Infinity) => Number(to) > Number(from),
  'additive',
]

/** Values that clients send. All others they read. */
const SENT = /^request header |^[A-Z]+ \/\S* (?:body|query|\{)/

const necessityOf = (field: unknown): unknown => (field as Statements).get(': field')
const fieldWords = (_: unknown, to: unknown): string =>
  to === undefined ? 'field removed' : `${String(necessityOf(to))} field added`

const valuesOf = (values: unknown): string => [...(values as Statements).keys()].join(',')
const valueWords = (from: unknown, to: unknown): string =>
  to === undefined ? `no longer limited to${valuesOf(from)}` : `limited to${valuesOf(to)}`

const deprecationWords = (from: unknown, to: unknown): string => {
  if (to === undefined) return 'deprecation revoked'
  const { sunsetAt } = to as Deprecation
  return from === undefined
    ? `deprecated, sunset ${sunsetAt}`
    : `changed from ${show(from)} to ${show(to)}`
}

/** The name of what was added or removed, or the whole sentence. */
type Words = string | ((from: unknown, to: unknown) => string)

/**
 * What a change means, by the statement that changed; the first row that matches counts. The rules of schemas are those
 * of oasdiff's checks (https://www.oasdiff.com), with three exceptions, which contract decisions section 11 states: a
 * new value of a response's enumeration is additive (spec 9.2: clients must tolerate additions), and so is a further
 * alternative of its pattern; a higher upper bound in a response is a wider limit and additive; removing an optional
 * response field is breaking (oasdiff only warns).
 */
const RULES: readonly (readonly [statement: RegExp, rule: Rule | Directed, words?: Words])[] = [
  // Rows and their parts
  [/^[A-Z]+ \/\S*$/, isAdded, 'endpoint'],
  [/^[A-Z]+ \/\S*: (?:summary|description|tag)$/, 'text'],
  [
    /^[A-Z]+ \/\S*: stability$/,
    (from, to) => STABILITY_ORDER.indexOf(to) > STABILITY_ORDER.indexOf(from),
  ],
  [/^[A-Z]+ \/\S*: status$/, (_, to) => to !== 'preview'],
  [/^[A-Z]+ \/\S*: runtime$/, (_, to) => to === 'all'],
  [/^[A-Z]+ \/\S*: authentication$/, (_, to) => to === 'none'],
  [/^[A-Z]+ \/\S* \{.*\}$/, 'breaking', 'parameter'],
  [/^[A-Z]+ \/\S* body$/, 'breaking', 'body'],
  [/^[A-Z]+ \/\S* deprecation$/, keepsNotice, deprecationWords],
  [/^[A-Z]+ \/\S* 304$/, isAdded, 'status'],
  // The status of a success is additive where the row had none.
  [
    /^[A-Z]+ \/\S* \d+$/,
    (from, to) => from === undefined && (to as Statements).has(': name of the schema'),
    'status',
  ],
  [/^[A-Z]+ \/\S* \d+: name of the schema$/, 'additive'],
  [/^[A-Z]+ \/\S* \d+ data$/, isAdded, 'schema of data'],
  // An error with the status of a success changes the body that clients expect of it.
  [/^[A-Z]+ \/\S* 2\d+: error code /, 'breaking'],
  // Schemas
  [/: (?:title|description|example)$/, 'text'],
  [/: (?:minLength|minItems|minimum)$/, LOWER_BOUND],
  [/: (?:maxLength|maxItems|maximum)$/, UPPER_BOUND],
  [
    /: (?:pattern|uniqueItems)$/,
    [
      (from, to) => isAbsent(to) || acceptsMore(from, to),
      (from, to) => isAbsent(from) || acceptsMore(from, to),
    ],
  ],
  [/: (?:nullable|mayBeEmpty)$/, [isTrue, isNotTrue]],
  // An omitted field of a request now means something else. That of a response is always sent or not.
  [/: default$/, ['breaking', 'text']],
  [/: value$/, [(_, to) => to === undefined, isAdded], valueWords],
  // A request that is open to more fields accepts more; a response with fewer other fields promises more.
  [/: other fields$/, [isTrue, (from) => from === true]],
  [/^[^:]*\.\*$/, 'additive', 'schema of other fields'],
  [/^[^:]*\[\]$/, 'breaking', 'schema'],
  [
    /: field$/,
    [(_, to) => to === 'optional', (_, to) => to === 'required'],
    (_, to) => `field is now ${String(to)}`,
  ],
  [
    /(?:^error| data| body| query)(?:\S*\.)[^.\s:]+$/,
    [(from, to) => from === undefined && necessityOf(to) === 'optional', isAdded],
    fieldWords,
  ],
  // Headers
  [/^\S+ header \S+$/, isAdded, 'header'],
  [
    / header \S+: header$/,
    (_, to) => to === 'always',
    (_, to) => `header is ${to === 'always' ? 'now' : 'no longer'} always sent`,
  ],
  [/ header \S+: meaning$/, 'text'],
  // Errors, limits and terms
  [/^error \S+$/, isAdded, 'error code'],
  [/^error \S+: (?:meaning|message)$/, 'text'],
  [/^error \S+: retryAfterSeconds$/, (from, to) => from === undefined || Number(to) < Number(from)],
  [
    /^limit (?:minTtlDays|maxTimeDistanceMs|timeSilenceSeconds)$/,
    (from, to) => Number(to) < Number(from),
    'limit',
  ],
  // Callers that omit the lifetime of a key get another one. Verifiers reject by the age that they know.
  [/^limit (?:defaultTtlDays|signatureMaxAgeSeconds)$/, 'breaking', 'limit'],
  [/^limit /, isWider, 'limit'],
  [/^issuance$/, issuanceImpact],
  // The reference page is not part of the contract (spec section 1).
  [
    /^(?:(?:tags|stability|statuses|runtimes|authentications)\..*|cacheClasses\..*\.meaning|links\.docs)$/,
    (from, to) => isAdded(from) || (to !== undefined && 'text'),
    'term',
  ],
  [/^vary$/, isLongerList],
  // Names of lists
  [/: (?:value|header|error code) /, isAdded],
  [/^\S+$/, isAdded, 'term'],
]

type Affects = (row: EndpointOutline, name: string) => boolean

const usesSchema =
  (schema: string): Affects =>
  ({ request, success }) =>
    request === schema || success?.data === schema

/** The rows that a change affects, by statement. Any other change affects all. */
const AFFECTED: readonly (readonly [statement: RegExp, affects: Affects])[] = [
  [/^[A-Z]+ \/[^\s:]*/, (row, key) => key === `${row.method} ${row.path}`],
  [
    /(?<=^error )\w+/,
    ({ responses }, code) =>
      Object.values(responses).some(({ codes }) => codes.some((each) => each === code)),
  ],
  [
    /^limit (?:maxUseCaseCodePoints|maxEmailLength|maxInterests|registration(?:Global|PerActor))$/,
    usesSchema('Registration'),
  ],
  [
    /^limit (?:maxLabelLength|(?:min|default|max)TtlDays|keyIssuance|maxActiveKeys)$/,
    usesSchema('KeyRequest'),
  ],
  [/^limit (?:maxTimeDistanceMs|timeSilenceSeconds)$/, usesSchema('Time')],
  [/^issuance$/, (row) => row.issuesKeys === true],
]

interface Change {
  readonly statement: string
  readonly from: unknown
  readonly to: unknown
}

/** Every changed value, and every table of statements that only one contract has. */
function changesOf(from: unknown, to: unknown, statement = ''): readonly Change[] {
  if (from instanceof Map && to instanceof Map) {
    const keys = [...new Map<string, unknown>([...from, ...to]).keys()]
    return keys.flatMap((key) => changesOf(from.get(key), to.get(key), statement + key))
  }
  return show(from) === show(to) ? [] : [{ statement, from, to }]
}

function impactOf(rule: Rule, { from, to }: Change): Impact {
  const result = typeof rule === 'string' ? rule : rule(from, to)
  if (typeof result === 'string') return result
  return result ? 'additive' : 'breaking'
}

function sentenceOf(subject: string, { from, to }: Change, words: Words | undefined): string {
  if (typeof words === 'function') return words(from, to)
  const isNamed =
    words !== undefined || [from, to].some((value) => value === true || value instanceof Map)
  if (isNamed && from === undefined) return `${words ?? subject} added`
  if (isNamed && to === undefined) return `${words ?? subject} removed`
  return `${subject} changed from ${show(from)} to ${show(to)}`.trimStart()
}

/** Every change from one contract to another, with its class. The registry version and the changelog are not compared. */
export function compareContracts(
  before: ContractOutline,
  after: ContractOutline,
): readonly ContractChange[] {
  const changes = changesOf(statementsOf(before, after), statementsOf(after))
  // The codes of the error schema are those of the catalog, which knows the rows of each.
  return changes
    .filter(({ statement }) => !statement.startsWith('error.code: value '))
    .map((change) => {
      const { statement } = change
      const [place = '', subject = ''] = statement.split(/: (.*)/s)
      const [, found = 'breaking', words] = RULES.find(([pattern]) => pattern.test(statement)) ?? []
      const [request, response] = typeof found === 'object' ? found : [found, found]
      const impact = impactOf(SENT.test(place) ? request : response, change)
      const rows = affectedRows(statement, before)
      const isStable = rows.some(
        (key) => (before.endpoints[key]?.stability ?? 'stable') === 'stable',
      )
      return {
        class: impact === 'breaking' && !isStable ? 'beta' : impact,
        place,
        change: sentenceOf(subject, change, words),
        rows,
      }
    })
}

/** All rows where it affects none that the contract has. */
function affectedRows(statement: string, { endpoints }: ContractOutline): readonly string[] {
  const [pattern, affects] = AFFECTED.find(([each]) => each.test(statement)) ?? [/^/, () => true]
  const [name = ''] = pattern.exec(statement) ?? []
  const rows = Object.entries(endpoints)
  const affected = rows.filter(([, row]) => affects(row, name))
  return (affected.length > 0 ? affected : rows).map(([key]) => key)
}
