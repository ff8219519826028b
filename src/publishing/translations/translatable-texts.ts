import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { isTranslatable, itemKeyName, itemKeyOf } from '@public-api/contract/snapshots/translations'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { stringify } from 'yaml'
import type { FieldPath } from '../rules/content-mistake.ts'
import { PLACEHOLDER_MARK } from '../rules/value-rules.ts'

type Members = { readonly [name: string]: JsonValue }

/** A text that can be translated. */
export interface TranslatableText {
  readonly path: FieldPath
  /** As in `components[read-api].name`. */
  readonly field: string
  readonly source: string
}

/** Every text of a resource that can be translated. */
export function* translatableTexts(
  schema: JsonSchema,
  value: JsonValue,
  path: FieldPath = [],
  field = '',
): Generator<TranslatableText, void> {
  if (typeof value === 'string') {
    if (isTranslatable(schema)) yield { path, field, source: value }
  } else if (Array.isArray(value)) {
    const { items = {} } = schema
    for (const [index, item] of (value as readonly JsonValue[]).entries()) {
      const key = itemKeyOf(items, item, index)
      yield* translatableTexts(items, item, [...path, index], `${field}[${key}]`)
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value as Members)) {
      const described = schema.properties?.[name]
      if (described === undefined) continue
      const below = field === '' ? name : `${field}.${name}`
      yield* translatableTexts(described, member, [...path, name], below)
    }
  }
}

/** Whether a text of an overlay is not translated yet: the pages show its source. */
export const isPending = (text: string): boolean => text.startsWith(PLACEHOLDER_MARK)

/** The texts of a value, each marked as not translated yet. */
function pendingTexts(schema: JsonSchema, value: JsonValue): JsonValue | undefined {
  if (typeof value === 'string') {
    if (!isTranslatable(schema)) return undefined
    return isPending(value) ? value : `${PLACEHOLDER_MARK} ${value}`
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { items = {}, properties = {} } = schema
  if (!Array.isArray(value)) {
    // In the order of the schema: published data are in the order of the alphabet.
    const members = Object.entries(properties).map(([name, each]) => {
      const member = (value as Members)[name]
      return [name, member === undefined ? undefined : pendingTexts(each, member)] as const
    })
    return membersOf(members)
  }
  const entries = (value as readonly JsonValue[]).map(
    (item, index) => [itemKeyOf(items, item, index), pendingTexts(items, item)] as const,
  )
  if (itemKeyName(items) !== undefined) return membersOf(entries)
  // Matched in order: an item without texts has its place.
  const texts = entries.map(([, text]) => text ?? {})
  return entries.some(([, text]) => text !== undefined) ? texts : undefined
}

function membersOf(
  entries: readonly (readonly [string, JsonValue | undefined])[],
): JsonValue | undefined {
  const defined = entries.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]]))
  return defined.length === 0 ? undefined : (Object.fromEntries(defined) as JsonValue)
}

/** An overlay file to fill in: every text of a resource, not translated yet. Undefined if the resource has none. */
export function pendingOverlay(schema: JsonSchema, data: JsonValue): string | undefined {
  const texts = pendingTexts(schema, data)
  if (texts === undefined) return undefined
  return `# Write the translation in place of each text that starts with ${PLACEHOLDER_MARK}.
# Until then, or without the line, the pages show the text of the content.
${stringify(texts, { lineWidth: 100 })}`
}

/** Whether a value of an overlay file has texts, and none of them is translated yet. */
export function isAllPending(value: JsonValue): boolean {
  if (typeof value === 'string') return isPending(value)
  const parts = typeof value === 'object' && value !== null ? Object.values(value as Members) : []
  return parts.length > 0 && parts.every(isAllPending)
}
