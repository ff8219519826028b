import type { JsonValue } from '../contract/canonical-json.ts'
import { formatInstant } from '../contract/instant.ts'
import type { JsonSchema } from '../contract/schema-type.ts'
import { describeValue, type FieldPath, type Report } from './content-mistake.ts'

/** Dates that may be in the future. */
const FUTURE_FIELDS: ReadonlySet<string> = new Set(['sunsetOn'])

// Control characters, and characters that make displayed text differ from the stored text (bidirectional controls, zero
// width, line and paragraph separators, byte order mark).
const HIDDEN_CHARACTER = /[\p{Cc}\u00AD\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/u

/** Checks that a text has no hidden characters and no surrounding white space. */
export function checkText(text: string, path: FieldPath, report: Report): void {
  const code = HIDDEN_CHARACTER.exec(text.replaceAll('\n', ' '))?.[0].codePointAt(0)
  if (code !== undefined) {
    const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
    report(path, `the hidden character ${name}`, 'visible characters')
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

/** Reports the member of each item that cannot come after the item before; `expectedAfter` says what can. */
export function checkOrder<Item>(
  report: Report,
  path: FieldPath,
  items: readonly Item[],
  member: string & keyof Item,
  expectedAfter: (before: Item, item: Item) => string | undefined,
): void {
  for (const [index, item] of items.entries()) {
    const before = items[index - 1]
    const expected = before && expectedAfter(before, item)
    if (expected === undefined) continue
    report([...path, index, member], describeValue(item[member]), expected)
  }
}

/** Checks that timestamps or dates are listed newest first. */
export function checkNewestFirst<Member extends string>(
  report: Report,
  path: FieldPath,
  items: readonly { readonly [Name in Member]: string }[],
  member: Member,
): void {
  checkOrder(report, path, items, member, ({ [member]: before }, { [member]: instant }) =>
    Date.parse(instant) > Date.parse(before)
      ? `no later than ${before}: the newest comes first`
      : undefined,
  )
}

function checkUniqueIds(items: readonly JsonValue[], path: FieldPath, report: Report): void {
  const ids = items.map((item) =>
    typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined,
  )
  const first = new Map<JsonValue | undefined, number>()
  for (const [index, id] of ids.entries()) {
    const before = first.get(id)
    if (before === undefined || id === undefined) first.set(id, index)
    else {
      const expected = `another id; item ${before} has this one`
      report([...path, index, 'id'], `${JSON.stringify(id)} again`, expected)
    }
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
  if (Array.isArray(value)) checkUniqueIds(value, path, report)
  for (const [name, member] of Object.entries(value ?? {})) {
    const [described, step] = Array.isArray(value)
      ? [schema.items, Number(name)]
      : [schema.properties?.[name], name]
    if (described !== undefined) checkValues(member, described, nowMs, report, [...path, step])
  }
}
