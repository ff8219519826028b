import type { JsonObject, JsonValue } from '../json/canonical-json.ts'
import { propertyOf } from '../json/property-of.ts'
import { LOCALES } from '../terms/locales.ts'
import type { JsonSchema } from '../terms/schema-type.ts'

/** The locale that the content files are written in, and the locales that content can be translated into. */
export const [CONTENT_LOCALE, ...TRANSLATION_LOCALES] = LOCALES

export type TranslationLocale = (typeof TRANSLATION_LOCALES)[number]

/** Name of the resource with the translations into a locale. It has no endpoint; the pages show it. */
export const translationResource = <const L extends TranslationLocale>(locale: L) =>
  `site/translations/${locale}` as const

/** Translated texts of one resource: by field name, and below a list by the key of each item (`itemKeyOf`). */
export interface Overlay {
  readonly [name: string]: string | Overlay
}

/** `data` of `site/translations/<locale>`. */
export interface Translations {
  readonly locale: TranslationLocale
  /** By resource name, `status` or `site/organization`. */
  readonly resources: { readonly [name: string]: Overlay }
}

/** Whether a field is translatable: any text without a format of its own. */
export function isTranslatable(schema: JsonSchema): boolean {
  return (
    schema.type === 'string' &&
    schema.enum === undefined &&
    schema.pattern === undefined &&
    schema.format === undefined
  )
}

/** The field whose value identifies an item of a list; undefined where items are identified by their position. */
export function itemKeyName(items: JsonSchema): 'id' | 'version' | 'at' | undefined {
  return (['id', 'version', 'at'] as const).find((name) => items.properties?.[name] !== undefined)
}

/** The key of a list item in an overlay: its `id`, `version` or `at`, else its position, counted from 0. */
export function itemKeyOf(items: JsonSchema, item: JsonValue, index: number): string {
  const name = itemKeyName(items)
  const key = name === undefined ? undefined : propertyOf(item, name)
  return typeof key === 'string' ? key : String(index)
}

/**
 * Applies a translation to the data of a resource with this schema. Returns the data, and the texts without a
 * translation: they are in the language of the content and need a `lang`.
 */
export function translateData<T>(
  schema: JsonSchema,
  data: T,
  overlay: Overlay | undefined,
): { readonly data: T; readonly untranslated: ReadonlySet<string> } {
  const untranslated = new Set<string>()

  function translate(
    value: JsonValue,
    shape: JsonSchema,
    texts: string | Overlay | undefined,
  ): JsonValue {
    if (typeof value === 'string') {
      if (!isTranslatable(shape)) return value
      if (typeof texts === 'string') return texts
      untranslated.add(value)
      return value
    }
    if (typeof value !== 'object' || value === null) return value
    const overlaid = typeof texts === 'object' ? texts : undefined
    const member = (name: string): string | Overlay | undefined =>
      overlaid !== undefined && Object.hasOwn(overlaid, name) ? overlaid[name] : undefined
    // Without a description nothing is translatable.
    const { items = {}, properties = {} } = shape
    if (Array.isArray(value)) {
      return value.map((item: JsonValue, index) =>
        translate(item, items, overlaid && member(itemKeyOf(items, item, index))),
      )
    }
    const made: { [name: string]: JsonValue | undefined } = { ...(value as JsonObject) }
    for (const [name, each] of Object.entries(made)) {
      if (each) made[name] = translate(each, properties[name] ?? {}, member(name))
    }
    return made
  }

  return { data: translate(data as JsonValue, schema, overlay) as T, untranslated }
}
