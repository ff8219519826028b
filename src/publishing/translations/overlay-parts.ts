import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { isTranslatable, itemKeyName, itemKeyOf } from '@public-api/contract/snapshots/translations'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { expectedName } from '@public-api/contract/text/nearest-name'
import { describeValue, type FieldPath } from '../rules/content-mistake.ts'
import { isAllPending } from './translatable-texts.ts'

export type Members = { readonly [name: string]: JsonValue | undefined }

function isMembers(value: JsonValue): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a schema has texts to translate, at any depth. */
export function hasTranslatable(schema: JsonSchema): boolean {
  return (
    isTranslatable(schema) ||
    (schema.items !== undefined && hasTranslatable(schema.items)) ||
    Object.values(schema.properties ?? {}).some((each) => hasTranslatable(each))
  )
}

const namesOf = new WeakMap<object, readonly string[]>()

/** The names of the properties with texts to translate: asked for each item of a list. */
function translatableNames(properties: NonNullable<JsonSchema['properties']>): readonly string[] {
  const known = namesOf.get(properties)
  if (known !== undefined) return known
  const names = Object.keys(properties).filter((name) => hasTranslatable(properties[name] ?? {}))
  namesOf.set(properties, names)
  return names
}

/** One value of an overlay file, with the part of the content that it translates. */
export interface Translation {
  readonly value: JsonValue
  readonly schema: JsonSchema
  readonly original: JsonValue
  readonly path: FieldPath
  /** As in `components[read-api].name`. */
  readonly field: string
  /** The member of `value` that identifies it in its list. */
  readonly keyName?: string | undefined
}

/** Takes a mistake. */
export type Refuse = (path: FieldPath, found: string, expected: string) => void

type Part = readonly [key: string, part: Translation]

function* membersOf(
  { value, schema, original, path, field, keyName }: Translation,
  refuse: Refuse,
): Generator<Part, void> {
  if (!isMembers(value)) return refuse(path, describeValue(value), 'a group of translated fields')
  const { properties = {} } = schema
  const known = translatableNames(properties)
  for (const [name, member = null] of Object.entries(value)) {
    if (name === keyName || isAllPending(member)) continue
    const described = known.includes(name) ? properties[name] : undefined
    const source = isMembers(original) ? original[name] : undefined
    const at = [...path, name]
    if (described === undefined) {
      const otherwise = `only fields that are translated: ${known.join(', ')}`
      const expected = expectedName(name, known, 'a known name', otherwise)
      refuse(at, `the field ${JSON.stringify(name)}`, expected)
    } else if (source === undefined) {
      refuse(at, 'a translation', `no ${name}, because the content has none here`)
    } else
      yield [
        name,
        {
          value: member,
          schema: described,
          original: source,
          path: at,
          field: field === '' ? name : `${field}.${name}`,
        },
      ] as const
  }
}

/** The items of a list or a map with their keys, as far as they are known, and the paths of both. */
function listItems(
  refuse: Refuse,
  each: JsonValue,
  keyName: string | undefined,
  length: number,
  path: FieldPath,
) {
  if (isMembers(each)) {
    return Object.entries(each).map(([key, item = null]) => {
      const at = [...path, key]
      return { key, item, at, keyAt: at }
    })
  }
  if (!Array.isArray(each)) {
    const expected = keyName === undefined ? 'a list' : `a list, or a map by ${keyName}`
    refuse(path, describeValue(each), expected)
    return []
  }
  const list = each as readonly JsonValue[]
  if (keyName === undefined && list.length !== length) {
    const expected = `${length}, as in the content: these items have no id and are matched in order`
    refuse(path, `${list.length} items`, expected)
    return []
  }
  return list.map((item, index) => {
    const at = [...path, index]
    return keyName === undefined
      ? { key: String(index), item, at, keyAt: at }
      : { key: isMembers(item) ? item[keyName] : undefined, item, at, keyAt: [...at, keyName] }
  })
}

function* itemsOf(
  { value, schema: { items = {} }, original, path, field }: Translation,
  refuse: Refuse,
): Generator<Part, void> {
  const keyName = itemKeyName(items)
  const originals = original as readonly JsonValue[]
  const byKey = new Map(originals.map((item, index) => [itemKeyOf(items, item, index), item]))
  const known = [...byKey.keys()]
  const seen = new Set<string>()
  for (const { key, item, at, keyAt } of listItems(
    refuse,
    value,
    keyName,
    originals.length,
    path,
  )) {
    const source = typeof key === 'string' ? byKey.get(key) : undefined
    if (typeof key !== 'string') {
      refuse(keyAt, describeValue(key), `the ${keyName} of the item that is translated`)
    } else if (source === undefined) {
      const otherwise = `one of ${known.join(', ') || 'its items, but it has none'}`
      const expected = expectedName(key, known, 'a known name', otherwise)
      refuse(keyAt, `${JSON.stringify(key)}, which the content does not have`, expected)
    } else if (seen.has(key)) refuse(keyAt, `${JSON.stringify(key)} again`, 'each item once')
    else {
      seen.add(key)
      const part = { value: item, schema: items, original: source, path: at, keyName }
      yield [key, { ...part, field: `${field}[${key}]` }] as const
    }
  }
}

/** The parts of a group or a list, by their keys. What translates nothing of the content is refused. */
export const partsOf = (translation: Translation, refuse: Refuse): Generator<Part, void> =>
  (translation.schema.items === undefined ? membersOf : itemsOf)(translation, refuse)
