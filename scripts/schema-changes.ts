import type { JsonSchema } from '@public-api/contract/schemas/schema-type'

/** Effect of a change on existing clients. */
export type Impact = 'text' | 'additive' | 'breaking'

/** One difference, without the row it belongs to. */
export interface Difference {
  readonly impact: Impact
  readonly place: string
  readonly change: string
}

/** Whether clients send values of a schema or read them. */
export type Direction = 'request' | 'response'

const show = (value: unknown): string => JSON.stringify(value) ?? 'nothing'

/** Keywords of a schema that are compared by a separate rule. */
const STRUCTURAL = ['items', 'properties', 'required', 'additionalProperties', 'enum'] as const

/** Keywords for people. */
const TEXTS: ReadonlySet<string> = new Set(['title', 'description', 'example'])

/** Bounds, and whether a higher value accepts more values. */
const BOUNDS: { readonly [keyword: string]: 'lower' | 'upper' } = {
  minLength: 'lower',
  minItems: 'lower',
  minimum: 'lower',
  maxLength: 'upper',
  maxItems: 'upper',
  maximum: 'upper',
}

/**
 * Compares two schemas. The rules are those of oasdiff's checks (https://www.oasdiff.com), with three exceptions, which
 * contract decisions section 11 states: a new value of a response's enumeration is additive (spec 9.2: clients must
 * tolerate additions), a higher upper bound in a response is a wider limit and additive, and removing an optional
 * response field is breaking (oasdiff only warns). What no rule knows is breaking.
 */
export function compareSchemas(
  before: JsonSchema,
  after: JsonSchema,
  direction: Direction,
  place: string,
): readonly Difference[] {
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)])
  const found: Difference[] = []
  for (const keyword of keywords) {
    if (STRUCTURAL.some((each) => each === keyword)) continue
    const [from, to] = [valueOf(before, keyword), valueOf(after, keyword)]
    if (show(from) === show(to)) continue
    found.push({
      impact: keywordImpact(keyword, from, to, direction),
      place,
      change: `${keyword} changed from ${show(from)} to ${show(to)}`,
    })
  }
  return [
    ...found,
    ...compareEnums(before.enum, after.enum, direction, place),
    ...compareProperties(before, after, direction, place),
    ...compareMembers(before.items, after.items, direction, `${place}[]`),
    ...compareAdditional(before, after, direction, place),
  ]
}

function valueOf(schema: JsonSchema, keyword: string): unknown {
  return (schema as { readonly [keyword: string]: unknown })[keyword]
}

function keywordImpact(keyword: string, from: unknown, to: unknown, direction: Direction): Impact {
  if (TEXTS.has(keyword)) return 'text'
  const isRequest = direction === 'request'
  // An omitted field of a request now means something else; in a response the value is always sent or not.
  if (keyword === 'default') return isRequest ? 'breaking' : 'text'
  if (keyword === 'nullable') return (to === true) === isRequest ? 'additive' : 'breaking'
  const bound = BOUNDS[keyword]
  if (bound !== undefined) {
    const isTighter = isTighterBound(bound, from, to)
    if (isRequest) return isTighter ? 'breaking' : 'additive'
    // Lower bounds are guarantees for readers, upper bounds are limits, which may widen.
    return isTighter || bound === 'upper' ? 'additive' : 'breaking'
  }
  if (keyword === 'pattern' || keyword === 'uniqueItems') {
    const isAdded = from === undefined || from === false
    const isRemoved = to === undefined || to === false
    return (isRequest ? isRemoved : isAdded) ? 'additive' : 'breaking'
  }
  return 'breaking'
}

/** Whether the new bound accepts fewer values than the old one. No bound accepts all. */
function isTighterBound(bound: 'lower' | 'upper', from: unknown, to: unknown): boolean {
  const none = bound === 'lower' ? -Infinity : Infinity
  const [old, now] = [from, to].map((value) => (typeof value === 'number' ? value : none)) as [
    number,
    number,
  ]
  return bound === 'lower' ? now > old : now < old
}

function compareEnums(
  before: readonly unknown[] | undefined,
  after: readonly unknown[] | undefined,
  direction: Direction,
  place: string,
): readonly Difference[] {
  if (before === undefined && after === undefined) return []
  if (before === undefined || after === undefined) {
    const isAdded = before === undefined
    return [
      {
        impact: isAdded === (direction === 'response') ? 'additive' : 'breaking',
        place,
        change: isAdded ? `limited to ${show(after)}` : `no longer limited to ${show(before)}`,
      },
    ]
  }
  const known = new Set(before.map(show))
  const kept = new Set(after.map(show))
  return [
    ...[...known]
      .filter((value) => !kept.has(value))
      .map((value) => ({
        impact: 'breaking' as const,
        place,
        change: `value ${value} removed`,
      })),
    ...[...kept]
      .filter((value) => !known.has(value))
      .map((value) => ({
        impact: 'additive' as const,
        place,
        change: `value ${value} added`,
      })),
  ]
}

function compareProperties(
  before: JsonSchema,
  after: JsonSchema,
  direction: Direction,
  place: string,
): readonly Difference[] {
  const [old, now] = [before.properties ?? {}, after.properties ?? {}]
  const isRequest = direction === 'request'
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name) => {
    const where = `${place}.${name}`
    const [from, to] = [own(old, name), own(now, name)]
    const wasRequired = before.required?.includes(name) === true
    const isRequired = after.required?.includes(name) === true
    if (to === undefined) return [{ impact: 'breaking', place: where, change: 'field removed' }]
    if (from === undefined) {
      const kind = isRequired ? 'required' : 'optional'
      const impact = isRequest && isRequired ? 'breaking' : 'additive'
      return [{ impact, place: where, change: `${kind} field added` }]
    }
    const requirement: readonly Difference[] =
      wasRequired === isRequired
        ? []
        : [
            {
              impact: isRequired === isRequest ? 'breaking' : 'additive',
              place: where,
              change: isRequired ? 'field is now required' : 'field is now optional',
            },
          ]
    return [...requirement, ...compareSchemas(from, to, direction, where)]
  })
}

function own(table: { readonly [name: string]: JsonSchema }, name: string): JsonSchema | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

function compareMembers(
  before: JsonSchema | undefined,
  after: JsonSchema | undefined,
  direction: Direction,
  place: string,
): readonly Difference[] {
  if (before === undefined && after === undefined) return []
  if (before !== undefined && after !== undefined) {
    return compareSchemas(before, after, direction, place)
  }
  const change = before === undefined ? 'schema added' : 'schema removed'
  return [{ impact: 'breaking', place, change }]
}

function compareAdditional(
  before: JsonSchema,
  after: JsonSchema,
  direction: Direction,
  place: string,
): readonly Difference[] {
  const [from, to] = [before.additionalProperties ?? true, after.additionalProperties ?? true]
  if (typeof from === 'object' && typeof to === 'object') {
    return compareSchemas(from, to, direction, `${place}.*`)
  }
  if (show(from) === show(to)) return []
  // A request that is open to more fields accepts more; a response with fewer other fields promises more.
  const isAdditive = direction === 'request' ? to === true : from === true
  const change = `other fields changed from ${show(from)} to ${show(to)}`
  return [{ impact: isAdditive ? 'additive' : 'breaking', place, change }]
}
