import type { JsonValue } from '@public-api/contract/json/canonical-json'
import {
  isTranslatable,
  itemKeyName,
  itemKeyOf,
  type Overlay,
} from '@public-api/contract/snapshots/translations'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { expectedName } from '@public-api/contract/text/nearest-name'
import { describeValue, type Fault, fault, type FieldPath } from '../rules/content-mistake.ts'
import { checkText } from '../rules/value-rules.ts'
import { isAllPending, isPending } from './translatable-texts.ts'

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

/** One value of an overlay file, with the part of the content that it translates. */
interface Translation {
  readonly value: JsonValue
  readonly schema: JsonSchema
  readonly original: JsonValue
  readonly path: FieldPath
  /** As in `components[read-api].name`. */
  readonly field: string
  /** The member of `value` that identifies it in its list. */
  readonly keyName?: string | undefined
}

/** A text of an overlay with the text that it translates. */
export interface OverlayText {
  readonly path: FieldPath
  readonly field: string
  readonly source: string
  readonly translation: string
}

/** The field with the name of a group. */
const GROUP_FIELD = /^components\[[^\]]+\]\.group$/

/**
 * Converts an overlay file to the published overlay, with list items by their key. A list in the file may be a list
 * (each item with its key) or a map from keys. Every text must translate one of `data`; others are faults. A text that is
 * not translated yet (`isPending`) is left out, also if the content no longer has its source.
 */
export function compileOverlay(
  file: JsonValue,
  fileSchema: JsonSchema,
  data: JsonValue,
  isOutdated: (text: OverlayText) => boolean = () => false,
) {
  const faults: Fault[] = []
  const texts: OverlayText[] = []
  const refuse = (path: FieldPath, found: string, expected: string): void =>
    void faults.push(fault(path, found, expected))

  function compile(translation: Translation): string | Overlay | undefined {
    const { schema } = translation
    if (isTranslatable(schema)) return compileText(translation)
    const parts = schema.items === undefined ? membersOf(translation) : itemsOf(translation)
    const compiled = [...parts].flatMap(([key, part]) => {
      const translated = compile(part)
      return translated === undefined ? [] : [[key, translated] as const]
    })
    return compiled.length === 0 ? undefined : Object.fromEntries(compiled)
  }

  function compileText({ value, schema, path, field, original }: Translation): string | undefined {
    const { maxLength = Number.POSITIVE_INFINITY } = schema
    if (typeof value !== 'string' || value === '') {
      refuse(path, describeValue(value), 'the translated text')
      return ''
    }
    if (Array.from(value).length > maxLength) {
      refuse(path, describeValue(value), `text of at most ${maxLength} characters`)
    }
    faults.push(...checkText(value, path))
    const text = {
      path,
      field,
      source: typeof original === 'string' ? original : '',
      translation: value,
    }
    if (isPending(value)) return undefined
    texts.push(text)
    return isOutdated(text) ? undefined : value
  }

  function* membersOf({ value, schema, original, path, field, keyName }: Translation) {
    if (!isMembers(value)) return refuse(path, describeValue(value), 'a group of translated fields')
    const { properties = {} } = schema
    const known = Object.keys(properties).filter((name) => hasTranslatable(properties[name] ?? {}))
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

  function* itemsOf({ value, schema: { items = {} }, original, path, field }: Translation) {
    const keyName = itemKeyName(items)
    const originals = original as readonly JsonValue[]
    const byKey = new Map(originals.map((item, index) => [itemKeyOf(items, item, index), item]))
    const known = [...byKey.keys()]
    const seen = new Set<string>()
    for (const { key, item, at, keyAt } of listItems(value, keyName, originals.length, path)) {
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

  /** Components of one group have one heading, so its translation at one of them is that of all. */
  function shareGroups(overlay: { [name: string]: string | Overlay }): void {
    const names = new Map<string, OverlayText>()
    for (const text of texts) {
      if (!GROUP_FIELD.test(text.field)) continue
      const first = names.get(text.source)
      if (first !== undefined && first.translation !== text.translation) {
        const found = `another translation of the group ${JSON.stringify(text.source)}`
        refuse(text.path, found, `one for the whole group, as at ${first.field}`)
      }
      names.set(text.source, first ?? text)
    }
    if (names.size === 0) return
    const items = (data as { readonly components: readonly Members[] }).components
    const translated = { ...(overlay['components'] as Overlay | undefined) }
    for (const { id, group } of items) {
      const text = typeof group === 'string' ? names.get(group) : undefined
      if (typeof id !== 'string') continue
      const field = `components[${id}].group`
      if (text === undefined || texts.some((each) => each.field === field)) continue
      const shared = { ...text, field }
      texts.push(shared)
      if (isOutdated(shared)) continue
      translated[id] = { ...(translated[id] as Overlay), group: text.translation }
    }
    overlay['components'] = translated
  }

  const root = { value: file, schema: fileSchema, original: data, path: [], field: '' }
  const overlay = isAllPending(file) ? undefined : compile(root)
  if (typeof overlay === 'object') shareGroups(overlay)
  return { overlay: (overlay ?? {}) as Overlay, faults, texts }
}
