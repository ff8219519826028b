import type { JsonSchema } from '@public-api/contract/schemas/schema-type'
import {
  additiveIf,
  type Compare,
  type Difference,
  type Impact,
  isObject,
  keysOf,
  names,
  optional,
  show,
  type Values,
  type Verdict,
  whole,
} from './compare-values.ts'

/** Whether clients send values of a schema or read them. */
type Direction = 'request' | 'response'

const numberOr =
  (none: number) =>
  (bound: unknown): number =>
    typeof bound === 'number' ? bound : none

/** Whether a bound accepts fewer values than before. No bound accepts all. */
const isHigher = (from: unknown, to: unknown): boolean =>
  numberOr(-Infinity)(to) > numberOr(-Infinity)(from)
const isLower = (from: unknown, to: unknown): boolean =>
  numberOr(Infinity)(to) < numberOr(Infinity)(from)

const isAbsent = (value: unknown): boolean => value === undefined || value === false

/** Lower bounds are guarantees for readers. */
const LOWER_BOUND = {
  request: additiveIf((from, to) => !isHigher(from, to)),
  response: additiveIf(isHigher),
}
/** Upper bounds are limits, which may widen for readers. */
const UPPER_BOUND = {
  request: additiveIf((from, to) => !isLower(from, to)),
  response: 'additive',
} as const
const RESTRICTION = {
  request: additiveIf((_, to) => isAbsent(to)),
  response: additiveIf((from) => isAbsent(from)),
}
const TEXT = { request: 'text', response: 'text' } as const

/**
 * What a changed keyword means to clients that send the value, and to those that read it. What is not listed is
 * breaking. The rules are those of oasdiff's checks (https://www.oasdiff.com), with three exceptions, which contract
 * decisions section 11 states: a new value of a response's enumeration is additive (spec 9.2: clients must tolerate
 * additions), a higher upper bound in a response is a wider limit and additive, and removing an optional response field
 * is breaking (oasdiff only warns).
 */
const KEYWORDS: { readonly [keyword: string]: { readonly [Way in Direction]: Verdict } } = {
  title: TEXT,
  description: TEXT,
  example: TEXT,
  // An omitted field of a request now means something else; in a response the value is always sent or not.
  default: { request: 'breaking', response: 'text' },
  nullable: {
    request: additiveIf((_, to) => to === true),
    response: additiveIf((_, to) => to !== true),
  },
  minLength: LOWER_BOUND,
  minItems: LOWER_BOUND,
  minimum: LOWER_BOUND,
  maxLength: UPPER_BOUND,
  maxItems: UPPER_BOUND,
  maximum: UPPER_BOUND,
  pattern: RESTRICTION,
  uniqueItems: RESTRICTION,
}

/** Compares two schemas of values that clients send or read. */
export function schemas(direction: Direction): Compare {
  const isRequest = direction === 'request'
  const impactIf = (isAdditive: boolean): Impact => (isAdditive ? 'additive' : 'breaking')

  function compareEnums(from: unknown, to: unknown, place: string): readonly Difference[] {
    if (Array.isArray(from) && Array.isArray(to)) {
      return names('value')(from.map(show), to.map(show), place)
    }
    const isAdded = from === undefined
    const change = isAdded ? `limited to ${show(to)}` : `no longer limited to ${show(from)}`
    return [{ impact: impactIf(isAdded !== isRequest), place, change }]
  }

  function compareProperties(
    from: JsonSchema,
    to: JsonSchema,
    place: string,
  ): readonly Difference[] {
    const [old = {}, now = {}] = [from.properties, to.properties]
    return keysOf(old, now).flatMap((name) => {
      const where = `${place}.${name}`
      const [wasRequired, isRequired] = [from, to].map(
        ({ required }) => required?.includes(name) === true,
      )
      if (!Object.hasOwn(now, name))
        return [{ impact: 'breaking', place: where, change: 'field removed' }]
      if (!Object.hasOwn(old, name)) {
        const change = `${isRequired === true ? 'required' : 'optional'} field added`
        return [{ impact: impactIf(!(isRequest && isRequired === true)), place: where, change }]
      }
      const change = `field is now ${isRequired === true ? 'required' : 'optional'}`
      const impact = impactIf(isRequired !== isRequest)
      return [
        ...(wasRequired === isRequired ? [] : [{ impact, place: where, change }]),
        ...compare(old[name], now[name], where),
      ]
    })
  }

  function compareAdditional(from: unknown, to: unknown, place: string): readonly Difference[] {
    if (isObject(from) && isObject(to)) return compare(from, to, `${place}.*`)
    // A request that is open to more fields accepts more; a response with fewer other fields promises more.
    const verdict = impactIf(isRequest ? to === true : from === true)
    return whole(verdict, 'other fields')(from, to, place)
  }

  const compareItems = optional('schema', 'breaking', (from, to, place) => compare(from, to, place))

  const compare: Compare = (from, to, place) =>
    keysOf(from as JsonSchema, to as JsonSchema).flatMap((keyword): readonly Difference[] => {
      const [old, now] = [from, to].map((schema) => (schema as Values)[keyword])
      switch (keyword) {
        case 'required':
          return []
        case 'properties':
          return compareProperties(from as JsonSchema, to as JsonSchema, place)
        case 'enum':
          return compareEnums(old, now, place)
        case 'items':
          return compareItems(old, now, `${place}[]`)
        case 'additionalProperties':
          return compareAdditional(old ?? true, now ?? true, place)
        default:
          return whole(KEYWORDS[keyword]?.[direction] ?? 'breaking', keyword)(old, now, place)
      }
    })
  return compare
}
