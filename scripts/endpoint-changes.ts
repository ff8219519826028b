import type { STABILITY_LEVELS } from '@public-api/contract/registry/endpoint-terms'
import { parseInstant } from '@public-api/contract/text/instant'
import type { ContractOutline, EndpointOutline } from './contract-outline.ts'
import { compareSchemas, type Difference, type Impact } from './schema-changes.ts'
import { compareNames, isObject, keysOf, show, type Values } from './value-changes.ts'

/** Every difference between two versions of one row. */
export function compareEndpoint(
  key: string,
  before: ContractOutline,
  after: ContractOutline,
): readonly Difference[] {
  const [from, to] = [before.endpoints[key], after.endpoints[key]]
  if (from === undefined || to === undefined) return []
  return [
    ...compareRowFields(key, from, to),
    ...compareDeprecation(key, from, to),
    ...compareQuery(key, from, to),
    ...compareResponses(key, from, to),
    ...compareSuccess(key, before, after),
    ...compareRequest(key, before, after),
  ]
}

/** Fields of a row that are compared by a separate rule. */
const ROW_PARTS: ReadonlySet<string> = new Set([
  'deprecation',
  'query',
  'responses',
  'success',
  'request',
])

type Stability = keyof typeof STABILITY_LEVELS
const STABILITY_ORDER: readonly Stability[] = ['experimental', 'beta', 'stable']

/** Whether a field of a row may change from one value to another without breaking a client. */
const ROW_RULES: {
  readonly [field: string]: (from: unknown, to: unknown) => Impact
} = {
  summary: () => 'text',
  description: () => 'text',
  tag: () => 'text',
  stability: (from, to) =>
    STABILITY_ORDER.indexOf(to as Stability) > STABILITY_ORDER.indexOf(from as Stability)
      ? 'additive'
      : 'breaking',
  status: (_from, to) => (to === 'preview' ? 'breaking' : 'additive'),
  runtime: (_from, to) => (to === 'all' ? 'additive' : 'breaking'),
  authentication: (_from, to) => (to === 'none' ? 'additive' : 'breaking'),
}

function compareRowFields(
  key: string,
  from: EndpointOutline,
  to: EndpointOutline,
): readonly Difference[] {
  return keysOf(from, to).flatMap((field) => {
    if (ROW_PARTS.has(field)) return []
    const [old, now] = [from, to].map((row) => (row as unknown as Values)[field])
    if (show(old) === show(now)) return []
    if (field === 'parameter' && isObject(old) && isObject(now)) {
      return compareParameter(`${key} {${String(old['name'])}}`, old, now)
    }
    const impact = ROW_RULES[field]?.(old, now) ?? 'breaking'
    return [{ impact, place: key, change: `${field} changed from ${show(old)} to ${show(now)}` }]
  })
}

function compareParameter(place: string, from: Values, to: Values): readonly Difference[] {
  const { description, example, pattern, mayBeEmpty, ...rest } = from
  const { description: _d, example: _e, pattern: _p, mayBeEmpty: _m, ...restNow } = to
  const rules: readonly (readonly [string, unknown, Impact])[] = [
    ['description', description, 'text'],
    ['example', example, 'text'],
    ['pattern', pattern, to['pattern'] === undefined ? 'additive' : 'breaking'],
    ['mayBeEmpty', mayBeEmpty, to['mayBeEmpty'] === true ? 'additive' : 'breaking'],
  ]
  return [
    ...rules.flatMap(([field, old, impact]) =>
      show(old) === show(to[field])
        ? []
        : [{ impact, place, change: `${field} changed from ${show(old)} to ${show(to[field])}` }],
    ),
    ...(show(rest) === show(restNow)
      ? []
      : [{ impact: 'breaking' as const, place, change: 'parameter changed' }]),
  ]
}

/** Query parameters are compared like the optional fields of a request body. */
function compareQuery(
  key: string,
  { query: from = {} }: EndpointOutline,
  { query: to = {} }: EndpointOutline,
): readonly Difference[] {
  return compareSchemas({ properties: from }, { properties: to }, 'request', `${key} query`)
}

function compareDeprecation(
  key: string,
  { deprecation: from }: EndpointOutline,
  { deprecation: to }: EndpointOutline,
): readonly Difference[] {
  if (show(from) === show(to)) return []
  if (from === undefined || to === undefined) {
    const change = from === undefined ? `deprecated, sunset ${to?.sunsetAt}` : 'deprecation revoked'
    return [{ impact: 'additive', place: `${key} deprecation`, change }]
  }
  const notice = ({ deprecatedAt, sunsetAt }: typeof from): number =>
    (parseInstant(sunsetAt) ?? NaN) - (parseInstant(deprecatedAt) ?? NaN)
  const isShorter =
    !(notice(to) >= notice(from)) ||
    !((parseInstant(to.sunsetAt) ?? NaN) >= (parseInstant(from.sunsetAt) ?? NaN))
  return [
    {
      impact: isShorter ? 'breaking' : 'additive',
      place: `${key} deprecation`,
      change: `changed from ${show(from)} to ${show(to)}`,
    },
  ]
}

const DEPRECATION_HEADERS: readonly string[] = ['Deprecation', 'Sunset', 'Link']

function compareResponses(
  key: string,
  from: EndpointOutline,
  to: EndpointOutline,
): readonly Difference[] {
  const isRevoked = from.deprecation !== undefined && to.deprecation === undefined
  return keysOf(from.responses, to.responses).flatMap((status) => {
    const [old, now] = [from.responses[status], to.responses[status]]
    const place = `${key} ${status}`
    // A successful status is compared with the success of the row.
    if (old === undefined) {
      if (Number(status) === to.success?.status) return []
      const impact = Number(status) === 304 ? 'additive' : 'breaking'
      return [{ impact, place, change: 'status added' }]
    }
    if (now === undefined) {
      if (Number(status) === from.success?.status) return []
      return [{ impact: 'breaking', place, change: 'status removed' }]
    }
    return [
      // An error with the status of a success changes the body that clients expect of it.
      ...compareNames(old.codes, now.codes, place, 'error code').map((difference) =>
        Number(status) === from.success?.status
          ? { ...difference, impact: 'breaking' as const }
          : difference,
      ),
      ...compareNames(old.headers, now.headers, place, 'header').map((difference) =>
        isRevoked && DEPRECATION_HEADERS.some((name) => difference.change.includes(`${name} `))
          ? { ...difference, impact: 'additive' as const }
          : difference,
      ),
    ]
  })
}

function compareSuccess(
  key: string,
  before: ContractOutline,
  after: ContractOutline,
): readonly Difference[] {
  const [from, to] = [before.endpoints[key]?.success, after.endpoints[key]?.success]
  if (from === undefined && to === undefined) return []
  if (from === undefined || to === undefined) {
    const isAdded = from === undefined
    const change = isAdded ? 'success added' : 'success removed'
    return [{ impact: isAdded ? 'additive' : 'breaking', place: key, change }]
  }
  const place = `${key} ${from.status}`
  const fields = (['status', 'envelope'] as const).flatMap((field) =>
    from[field] === to[field]
      ? []
      : [
          {
            impact: 'breaking' as const,
            place,
            change: `${field} changed from ${from[field]} to ${to[field]}`,
          },
        ],
  )
  const renamed =
    from.data === to.data
      ? []
      : [
          {
            impact: 'additive' as const,
            place,
            change: `schema renamed from ${from.data} to ${to.data}`,
          },
        ]
  const [old, now] = [before.dataSchemas[from.data], after.dataSchemas[to.data]]
  if (old === undefined || now === undefined) {
    return [...fields, { impact: 'breaking', place, change: 'schema of data missing' }]
  }
  return [...fields, ...renamed, ...compareSchemas(old, now, 'response', `${place} data`)]
}

function compareRequest(
  key: string,
  before: ContractOutline,
  after: ContractOutline,
): readonly Difference[] {
  const place = `${key} body`
  const [from, to] = [before.endpoints[key]?.request, after.endpoints[key]?.request]
  const old = from === undefined ? undefined : before.requestSchemas[from]
  const now = to === undefined ? undefined : after.requestSchemas[to]
  if (old === undefined && now === undefined) return []
  if (old === undefined || now === undefined) {
    return [
      { impact: 'breaking', place, change: old === undefined ? 'body added' : 'body removed' },
    ]
  }
  return compareSchemas(old, now, 'request', place)
}
