import { canonicalJson, type JsonObject, type JsonValue } from '../json/canonical-json.ts'
import type { JsonSchema } from '../terms/schema-type.ts'
import { commonPairs } from '../text/common-pairs.ts'
import { itemKeyName, itemKeyOf } from './translations.ts'

/** One field that differs between two versions of a resource. */
export interface FieldChange {
  /**
   * Such as `components[read-api].state`: list items by their id, version or time, else by position: of the new list, and
   * of the old one if the item was removed.
   */
  readonly path: string
  /** `reordered` is a list with the same items in another order. */
  readonly kind: 'added' | 'changed' | 'removed' | 'reordered'
  readonly before?: JsonValue
  readonly after?: JsonValue
}

/** Longer lists without keys are compared position by position. */
const MAX_PAIRS = 400_000

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The items of a list by key, in order; the position distinguishes repeated keys. */
function byKey(list: readonly JsonValue[], items: JsonSchema): ReadonlyMap<string, JsonValue> {
  const keyed = new Map<string, JsonValue>()
  for (const [index, item] of list.entries()) {
    const key = itemKeyOf(items, item, index)
    keyed.set(keyed.has(key) ? `${key}#${index}` : key, item)
  }
  return keyed
}

/** Lists without keys: items that both have are the same, and those between them were changed, added or removed. */
function* compareInOrder(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  items: JsonSchema,
  path: string,
): Generator<FieldChange, void> {
  const same = commonPairs(before.map(canonicalJson), after.map(canonicalJson), MAX_PAIRS) ?? []
  let [old, now] = [0, 0]
  for (const [oldEnd, nowEnd] of [...same, [before.length, after.length] as const]) {
    while (now < nowEnd) {
      const earlier = old < oldEnd ? before[old++] : undefined
      yield* compare(earlier, after[now], items, `${path}[${now++}]`)
    }
    while (old < oldEnd) yield* compare(before[old], undefined, items, `${path}[${old++}]`)
    ;[old, now] = [oldEnd + 1, nowEnd + 1]
  }
}

function* compare(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  schema: JsonSchema,
  path: string,
): Generator<FieldChange, void> {
  // Most items are the same, and comparing their fields takes far longer than writing them.
  if (JSON.stringify(before) === JSON.stringify(after)) return
  if (before === undefined || after === undefined) {
    if (after !== undefined) yield { path, kind: 'added', after }
    if (before !== undefined) yield { path, kind: 'removed', before }
  } else if (Array.isArray(before) && Array.isArray(after)) {
    const { items = {} } = schema
    if (itemKeyName(items) === undefined) {
      yield* compareInOrder(before, after, items, path)
      return
    }
    const [old, now] = [byKey(before, items), byKey(after, items)]
    for (const key of new Set([...now.keys(), ...old.keys()])) {
      yield* compare(old.get(key), now.get(key), items, `${path}[${key}]`)
    }
    const oldOrder = [...old.keys()].filter((key) => now.has(key))
    const nowOrder = [...now.keys()].filter((key) => old.has(key))
    if (oldOrder.join('\n') !== nowOrder.join('\n'))
      yield { path, kind: 'reordered', before: oldOrder, after: nowOrder }
  } else if (isObject(before) && isObject(after)) {
    for (const name of new Set([...Object.keys(after), ...Object.keys(before)])) {
      const at = path === '' ? name : `${path}.${name}`
      yield* compare(before[name], after[name], schema.properties?.[name] ?? {}, at)
    }
  } else if (before !== after) yield { path, kind: 'changed', before, after }
}

/**
 * How the data of a resource changed, field by field, in the order of the new data. `schema` says which lists have
 * keys; without one, items are compared in order. A group of fields that was added or removed is one change.
 */
export function fieldChangesBetween(
  before: JsonValue,
  after: JsonValue,
  schema: JsonSchema = {},
): readonly FieldChange[] {
  return [...compare(before, after, schema, '')]
}
