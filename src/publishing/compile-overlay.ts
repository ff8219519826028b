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
  function compileNode(
    each: JsonValue,
    shape: JsonSchema,
    original: JsonValue,
    path: FieldPath,
  ): string | Overlay | undefined {
    if (isTranslatable(shape)) return compileText(each, shape, path)
    if (shape.items !== undefined) {
      return compileList(each, shape.items, Array.isArray(original) ? original : [], path)
    }
    if (!isMembers(each)) {
      report(path, describeValue(each), 'a group of translated fields')
      return undefined
    }
    return compileMembers(each, shape, isMembers(original) ? original : {}, path, undefined)
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

  /** `keyName` is the member that identifies an item of a list. */
  function compileMembers(
    each: Members,
    shape: JsonSchema,
    original: Members,
    path: FieldPath,
    keyName: string | undefined,
  ): Overlay {
    const { properties = {} } = shape
    const known = Object.keys(properties).filter((name) => hasTranslatable(properties[name] ?? {}))
    const overlay: { [name: string]: string | Overlay } = {}
    for (const [name, member] of Object.entries(each)) {
      if (name === keyName || member === undefined) continue
      const described = known.includes(name) ? properties[name] : undefined
      const at = [...path, name]
      if (described === undefined) {
        report(
          at,
          `the field ${JSON.stringify(name)}`,
          expectedName(
            name,
            known,
            'a known name',
            `only fields that are translated: ${known.join(', ')}`,
          ),
        )
        continue
      }
      const source = original[name]
      if (source === undefined) {
        report(at, 'a translation', `no ${name}, because the content has none here`)
        continue
      }
      const compiled = compileNode(member, described, source, at)
      if (compiled !== undefined) overlay[name] = compiled
    }
    return overlay
  }

  function compileList(
    each: JsonValue,
    items: JsonSchema,
    original: readonly JsonValue[],
    path: FieldPath,
  ): Overlay | undefined {
    const keyName = itemKeyName(items)
    const byKey = new Map(original.map((item, index) => [itemKeyOf(items, item, index), item]))
    const overlay: { [key: string]: string | Overlay } = {}
    const add = (key: string, item: JsonValue, at: FieldPath, keyAt: FieldPath): void => {
      const source = byKey.get(key)
      if (source === undefined) {
        const known = [...byKey.keys()]
        report(
          keyAt,
          `${JSON.stringify(key)}, which the content does not have`,
          expectedName(
            key,
            known,
            'a known name',
            `one of ${known.join(', ') || 'its items, but it has none'}`,
          ),
        )
        return
      }
      if (Object.hasOwn(overlay, key)) {
        report(keyAt, `${JSON.stringify(key)} again`, 'each item once')
        return
      }
      const compiled = isMembers(item)
        ? compileMembers(item, items, isMembers(source) ? source : {}, at, keyName)
        : compileNode(item, items, source, at)
      if (compiled !== undefined) overlay[key] = compiled
    }
    if (isMembers(each)) {
      for (const [key, item] of Object.entries(each)) {
        if (item !== undefined) add(key, item, [...path, key], [...path, key])
      }
      return overlay
    }
    if (!Array.isArray(each)) {
      report(
        path,
        describeValue(each),
        keyName === undefined ? 'a list' : `a list, or a map by ${keyName}`,
      )
      return undefined
    }
    const list = each as readonly JsonValue[]
    if (keyName === undefined && list.length !== original.length) {
      report(
        path,
        `${list.length} items`,
        `${original.length}, as in the content: these items have no id and are matched in order`,
      )
      return undefined
    }
    for (const [index, item] of list.entries()) {
      const at = [...path, index]
      if (keyName === undefined) {
        add(String(index), item, at, at)
        continue
      }
      const key = isMembers(item) ? item[keyName] : undefined
      if (typeof key === 'string') add(key, item, at, [...at, keyName])
      else
        report(
          [...at, keyName],
          describeValue(key),
          `the ${keyName} of the item that is translated`,
        )
    }
    return overlay
  }

  const compiled = compileNode(value, schema, data, [])
  return typeof compiled === 'object' ? compiled : {}
}
