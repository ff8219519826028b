import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { isTranslatable } from '@public-api/contract/snapshots/translations'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { findHidden } from '@public-api/contract/text/hidden-characters'
import { formatInstant } from '@public-api/contract/text/instant'
import {
  describeValue,
  type FieldPath,
  formatFieldPath,
  type Faults,
  fault,
} from './content-mistake.ts'
import type { SourceText } from './yaml-source.ts'

/** The first word of a text of `svc init` that the operator has to replace. Published, it would stay in the history. */
export const PLACEHOLDER_MARK = 'TODO'

/** Dates that may be in the future. */
const FUTURE_FIELDS: ReadonlySet<string> = new Set(['sunsetOn', 'startsAt', 'endsAt'])

/** Checks that a text has no hidden characters and no surrounding white space. */
export function* checkText(text: string, path: FieldPath): Faults {
  const code = findHidden(text)?.codePointAt(0)
  if (code !== undefined) {
    const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
    yield fault(path, `the hidden character ${name}`, 'visible characters')
  }
  if (text !== text.trim()) {
    yield fault(
      path,
      'white space at the start or end',
      'text without it (in YAML, >- ends a folded text without a line break)',
    )
  }
  if (!text.isWellFormed()) yield fault(path, 'a lone surrogate', 'well-formed Unicode')
}

const PCHAR = String.raw`(?:[\w.~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})`

/** A URI with an authority (RFC 3986, appendix A). */
const URI = new RegExp(
  String.raw`^[A-Za-z][A-Za-z0-9+.-]*://(?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2}|:|@|\[[0-9A-Fa-f:.]+\])*(?:/(?:${PCHAR}|/)*)?(?:\?(?:${PCHAR}|[/?])*)?(?:#(?:${PCHAR}|[/?])*)?$`,
)

/** The percent-encoded spelling of what a browser reads; undefined if it cannot read it. */
function encodedUri(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null) return undefined
  const encode = (part: string): string =>
    part
      .replaceAll(/%(?![0-9A-Fa-f]{2})/g, '%25')
      .replaceAll(/[^\w.~!$&'()*+,;=:@/?%-]/gu, (character) => encodeURIComponent(character))
  const { protocol, host, pathname, search, hash } = url
  const fragment = hash === '' ? '' : `#${encode(hash.slice(1))}`
  return `${protocol}//${host}${encode(pathname)}${encode(search)}${fragment}`
}

/** Checks that a text is a URI, and not only what browsers accept as one. */
export function* checkUri(text: string, path: FieldPath): Faults {
  if (URI.test(text)) return
  const encoded = encodedUri(text)
  const expected = encoded === undefined ? 'a URI (RFC 3986)' : `the URI ${encoded}`
  yield fault(path, `${describeValue(text)}, which is not a URI (RFC 3986)`, expected)
}

/** Finds the member of each item that cannot come after the item before; `expectedAfter` says what can. */
export function* checkOrder<Item>(
  path: FieldPath,
  items: readonly Item[],
  member: string & keyof Item,
  expectedAfter: (before: Item, item: Item) => string | undefined,
): Faults {
  for (const [index, item] of items.entries()) {
    const before = items[index - 1]
    const expected = before && expectedAfter(before, item)
    if (expected === undefined) continue
    yield fault([...path, index, member], describeValue(item[member]), expected)
  }
}

/** Checks that timestamps or dates are listed newest first. */
export function* checkNewestFirst<Member extends string>(
  path: FieldPath,
  items: readonly { readonly [Name in Member]: string }[],
  member: Member,
): Faults {
  yield* checkOrder(path, items, member, ({ [member]: before }, { [member]: instant }) =>
    Date.parse(instant) > Date.parse(before)
      ? `no later than ${before}: the newest comes first`
      : undefined,
  )
}

/** Every text in a value, with its path. */
export function* textsIn(
  value: JsonValue | undefined,
  path: FieldPath = [],
): Generator<{ readonly path: FieldPath; readonly value: string }, void> {
  if (typeof value === 'string') yield { path, value }
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value) as [string, JsonValue][])
      yield* textsIn(member, [...path, Array.isArray(value) ? Number(name) : name])
  }
}

/** The schema of the value at a path; undefined if none describes it. */
export function schemaAt(schema: JsonSchema, path: FieldPath): JsonSchema | undefined {
  return path.reduce<JsonSchema | undefined>(
    (around, step) => (typeof step === 'number' ? around?.items : around?.properties?.[step]),
    schema,
  )
}

/**
 * Finds comments directly behind unquoted texts of text fields: the author of ` #2` may have meant a part of the text.
 * Without a schema, every text is one of a text field.
 */
export function* checkComments(
  { texts }: { readonly texts: readonly Pick<SourceText, 'path' | 'isCut'>[] },
  schema?: JsonSchema,
): Faults {
  for (const { path, isCut } of texts) {
    const field = schema && schemaAt(schema, path)
    if (isCut !== true || (schema !== undefined && (!field || !isTranslatable(field)))) continue
    const expected = 'the whole text in quotes, or the comment on a line of its own'
    yield fault(path, 'a comment (#) behind a text without quotes', expected)
  }
}

/**
 * Rules for every text of every resource: ids are unique in their list, dates are not in the future, URLs are URIs, texts
 * have no hidden characters.
 */
export function* checkValues(
  { texts }: { readonly texts: readonly Pick<SourceText, 'path' | 'value'>[] },
  schema: JsonSchema,
  nowMs: number,
): Faults {
  /** The first item of each list with each id. */
  const first = new Map<string, number>()
  for (const { path, value } of texts) {
    const described = schemaAt(schema, path)
    // The mapping of an import is not published.
    if (described === undefined) continue
    yield* checkText(value, path)
    if (value.startsWith(PLACEHOLDER_MARK)) {
      yield fault(path, `the placeholder ${describeValue(value)}`, 'your own text')
    }
    if (described.format === 'uri') yield* checkUri(value, path)
    const [index, name = ''] = path.slice(-2)
    const isDate = described.format === 'date-time' || described.format === 'date'
    if (isDate && !FUTURE_FIELDS.has(String(path.at(-1))) && Date.parse(value) > nowMs) {
      yield fault(path, value, `a time in the past; it is ${formatInstant(nowMs)} now`)
    }
    if (name !== 'id' || typeof index !== 'number') continue
    const idInList = `${formatFieldPath(path.slice(0, -2))} ${value}`
    const before = first.get(idInList)
    if (before === undefined) first.set(idInList, index)
    else
      yield fault(path, `${JSON.stringify(value)} again`, `another id; item ${before} has this one`)
  }
}
