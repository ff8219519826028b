import type { JsonValue } from '../contract/canonical-json.ts'
import { formatInstant } from '../contract/instant.ts'
import type { JsonSchema } from '../contract/schema-type.ts'
import type { FieldPath, Report } from './content-mistake.ts'

/** Dates that may be in the future. */
const FUTURE_FIELDS: ReadonlySet<string> = new Set(['sunsetOn'])

// Control characters, and characters that make displayed text differ from the stored text (bidirectional controls, zero
// width, line and paragraph separators, byte order mark).
const HIDDEN_CHARACTER = /[\p{Cc}\u00AD\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/u

function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** Checks that a text has no hidden characters and no surrounding white space. */
export function checkText(text: string, path: FieldPath, report: Report): void {
  const hidden = HIDDEN_CHARACTER.exec(text.replaceAll('\n', ' '))
  if (hidden !== null) {
    report(path, `the hidden character ${codePointOf(hidden[0])}`, 'visible characters')
  }
  if (text !== text.trim()) {
    report(
      path,
      'white space at the start or end',
      'text without it (in YAML, >- ends a folded text without a line break)',
    )
  }
  if (!text.isWellFormed()) report(path, 'a lone surrogate', 'well-formed Unicode')
}

function checkUniqueIds(items: readonly JsonValue[], path: FieldPath, report: Report): void {
  const first = new Map<string, number>()
  for (const [index, item] of items.entries()) {
    if (typeof item !== 'object' || item === null || !('id' in item)) continue
    const { id } = item
    if (typeof id !== 'string') continue
    const before = first.get(id)
    if (before === undefined) first.set(id, index)
    else
      report(
        [...path, index, 'id'],
        `${JSON.stringify(id)} again`,
        `another id; item ${before} has this one`,
      )
  }
}

/**
 * Rules for every value of every resource: ids are unique in their list, dates are not in the future, texts have no
 * hidden characters.
 */
export function checkValues(
  value: JsonValue,
  schema: JsonSchema,
  nowMs: number,
  report: Report,
  path: FieldPath = [],
): void {
  if (typeof value === 'string') {
    checkText(value, path, report)
    const isDate = schema.format === 'date-time' || schema.format === 'date'
    if (isDate && !FUTURE_FIELDS.has(String(path.at(-1))) && Date.parse(value) > nowMs) {
      report(path, value, `a time in the past; it is ${formatInstant(nowMs)} now`)
    }
    return
  }
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[]
    checkUniqueIds(items, path, report)
    for (const [index, item] of items.entries()) {
      if (schema.items !== undefined)
        checkValues(item, schema.items, nowMs, report, [...path, index])
    }
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    const described = schema.properties?.[name]
    if (described === undefined || member === undefined) continue
    checkValues(member, described, nowMs, report, [...path, name])
  }
}
