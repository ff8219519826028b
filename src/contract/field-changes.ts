import type { JsonValue } from './canonical-json.ts'
import type { JsonSchema } from './schema-type.ts'
import { itemKeyName, itemKeyOf } from './translations.ts'

/** One field that differs between two versions of a resource. */
export interface FieldChange {
  /** Such as `components[read-api].state`: list items by their id, version or time, else by position. */
  readonly path: string
  /** `reordered` is a list with the same items in another order. */
  readonly kind: 'added' | 'changed' | 'removed' | 'reordered'
  readonly before?: JsonValue
  readonly after?: JsonValue
}

function isMembers(value: JsonValue): value is { readonly [name: string]: JsonValue | undefined } {
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

/**
 * How the data of a resource changed, field by field, in the order of the new data. `schema` says which lists have
 * keys; without one, items are compared by position. A group of fields that was added or removed is one change.
 */
export function fieldChangesBetween(
  before: JsonValue,
  after: JsonValue,
  schema: JsonSchema = {},
): readonly FieldChange[] {
  const changes: FieldChange[] = []

  function compare(
    old: JsonValue | undefined,
    now: JsonValue | undefined,
    shape: JsonSchema,
    path: string,
  ): void {
    if (old === undefined && now === undefined) return
    if (old === undefined)
      changes.push({ path, kind: 'added', ...(now === undefined ? {} : { after: now }) })
    else if (now === undefined) changes.push({ path, kind: 'removed', before: old })
    else if (Array.isArray(old) && Array.isArray(now))
      compareLists(old, now, shape.items ?? {}, path)
    else if (isMembers(old) && isMembers(now)) {
      for (const name of new Set([...Object.keys(now), ...Object.keys(old)])) {
        const at = path === '' ? name : `${path}.${name}`
        compare(old[name], now[name], shape.properties?.[name] ?? {}, at)
      }
    } else if (old !== now) changes.push({ path, kind: 'changed', before: old, after: now })
  }

  function compareLists(
    old: readonly JsonValue[],
    now: readonly JsonValue[],
    items: JsonSchema,
    path: string,
  ): void {
    const [oldItems, nowItems] = [byKey(old, items), byKey(now, items)]
    for (const key of new Set([...nowItems.keys(), ...oldItems.keys()])) {
      compare(oldItems.get(key), nowItems.get(key), items, `${path}[${key}]`)
    }
    if (itemKeyName(items) === undefined) return
    const oldOrder = [...oldItems.keys()].filter((key) => nowItems.has(key))
    const nowOrder = [...nowItems.keys()].filter((key) => oldItems.has(key))
    if (oldOrder.join('\n') === nowOrder.join('\n')) return
    changes.push({ path, kind: 'reordered', before: oldOrder, after: nowOrder })
  }

  compare(before, after, schema, '')
  return changes
}
