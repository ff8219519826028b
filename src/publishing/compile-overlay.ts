import type { JsonValue } from '../contract/canonical-json.ts'
import { expectedName } from '../contract/nearest-name.ts'
import type { JsonSchema } from '../contract/schema-type.ts'
import { isTranslatable, itemKeyName, itemKeyOf, type Overlay } from '../contract/translations.ts'
import { describeValue, type FieldPath, type Report } from './content-mistake.ts'
import { checkText } from './value-rules.ts'

type Members = { readonly [name: string]: JsonValue | undefined }

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

/**
 * Converts an overlay file to the published overlay, with list items by their key. A list in the file may be a list
 * (each item with its key) or a map from keys. Every text must translate one of `data`; others are reported.
 */
export function compileOverlay(
  value: JsonValue,
  schema: JsonSchema,
  data: JsonValue,
  report: Report,
): Overlay {
  /** `keyName` is the member that identifies `each` in its list. */
  function compileNode(
    each: JsonValue,
    shape: JsonSchema,
    original: JsonValue,
    path: FieldPath,
    keyName?: string,
  ): string | Overlay | undefined {
    if (isTranslatable(shape)) return compileText(each, shape, path)
    if (shape.items !== undefined) {
      return compileList(each, shape.items, Array.isArray(original) ? original : [], path)
    }
    if (!isMembers(each)) {
      report(path, describeValue(each), 'a group of translated fields')
      return undefined
    }
    return compileMembers(each, shape, isMembers(original) ? original : {}, path, keyName)
  }

  function compileText(each: JsonValue, shape: JsonSchema, path: FieldPath): string | undefined {
    const { maxLength = Number.POSITIVE_INFINITY } = shape
    if (typeof each !== 'string' || each === '') {
      report(path, describeValue(each), 'the translated text')
      return undefined
    }
    if (Array.from(each).length > maxLength) {
      report(path, describeValue(each), `text of at most ${maxLength} characters`)
    }
    checkText(each, path, report)
    return each
  }

  function compileMembers(
    each: Members,
    { properties = {} }: JsonSchema,
    original: Members,
    path: FieldPath,
    keyName: string | undefined,
  ): Overlay {
    const known = Object.keys(properties).filter((name) => hasTranslatable(properties[name] ?? {}))
    const overlay: { [name: string]: string | Overlay } = {}
    for (const [name, member] of Object.entries(each)) {
      if (name === keyName || member === undefined) continue
      const described = known.includes(name) ? properties[name] : undefined
      const source = original[name]
      const at = [...path, name]
      if (described === undefined) {
        const otherwise = `only fields that are translated: ${known.join(', ')}`
        const expected = expectedName(name, known, 'a known name', otherwise)
        report(at, `the field ${JSON.stringify(name)}`, expected)
      } else if (source === undefined) {
        report(at, 'a translation', `no ${name}, because the content has none here`)
      } else {
        const compiled = compileNode(member, described, source, at)
        if (compiled !== undefined) overlay[name] = compiled
      }
    }
    return overlay
  }

  /** The items of a list with their keys, as far as they are known, and the paths of both; undefined for no list. */
  function itemsOf(each: JsonValue, keyName: string | undefined, length: number, path: FieldPath) {
    if (isMembers(each)) {
      return Object.entries(each).map(([key, item = null]) => {
        const at = [...path, key]
        return { key, item, at, keyAt: at }
      })
    }
    if (!Array.isArray(each)) {
      const expected = keyName === undefined ? 'a list' : `a list, or a map by ${keyName}`
      report(path, describeValue(each), expected)
      return undefined
    }
    const list = each as readonly JsonValue[]
    if (keyName === undefined && list.length !== length) {
      const expected = `${length}, as in the content: these items have no id and are matched in order`
      report(path, `${list.length} items`, expected)
      return undefined
    }
    return list.map((item, index) => {
      const at = [...path, index]
      return keyName === undefined
        ? { key: String(index), item, at, keyAt: at }
        : { key: isMembers(item) ? item[keyName] : undefined, item, at, keyAt: [...at, keyName] }
    })
  }

  function compileList(
    each: JsonValue,
    items: JsonSchema,
    original: readonly JsonValue[],
    path: FieldPath,
  ): Overlay | undefined {
    const keyName = itemKeyName(items)
    const list = itemsOf(each, keyName, original.length, path)
    if (list === undefined) return undefined
    const byKey = new Map(original.map((item, index) => [itemKeyOf(items, item, index), item]))
    const known = [...byKey.keys()]
    const overlay: { [key: string]: string | Overlay } = {}
    for (const { key, item, at, keyAt } of list) {
      const source = typeof key === 'string' ? byKey.get(key) : undefined
      if (typeof key !== 'string') {
        report(keyAt, describeValue(key), `the ${keyName} of the item that is translated`)
      } else if (source === undefined) {
        const otherwise = `one of ${known.join(', ') || 'its items, but it has none'}`
        const expected = expectedName(key, known, 'a known name', otherwise)
        report(keyAt, `${JSON.stringify(key)}, which the content does not have`, expected)
      } else if (Object.hasOwn(overlay, key)) {
        report(keyAt, `${JSON.stringify(key)} again`, 'each item once')
      } else {
        const compiled = compileNode(item, items, source, at, keyName)
        if (compiled !== undefined) overlay[key] = compiled
      }
    }
    return overlay
  }

  const compiled = compileNode(value, schema, data, [])
  return typeof compiled === 'object' ? compiled : {}
}
