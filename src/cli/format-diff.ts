import { formatJson } from '@public-api/cli-kit/format-json'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import type { FieldChange } from '@public-api/contract/snapshots/field-changes'
import { LOCALES } from '@public-api/contract/terms/locales'
import { wordChanges } from '@public-api/contract/text/word-changes'

/** How removed and added words are marked: by colors on a terminal, else by brackets. */
export interface DiffMarks {
  removed(text: string): string
  added(text: string): string
}

const [RED, GREEN, PLAIN] = ['\u001B[31m', '\u001B[32m', '\u001B[39m']

/** The marks for an output. NO_COLOR and `TERM=dumb` turn colors off. */
export function createMarks(isTerminal: boolean, env: NodeJS.ProcessEnv): DiffMarks {
  const hasColor = isTerminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
  return hasColor
    ? { removed: (text) => `${RED}${text}${PLAIN}`, added: (text) => `${GREEN}${text}${PLAIN}` }
    : { removed: (text) => `[-${text}-]`, added: (text) => `{+${text}+}` }
}

/** Line breaks and control characters as escapes, so that a field stays on its line. */
function escape(text: string): string {
  return formatJson(text).slice(1, -1).replaceAll('\\"', '"')
}

/** Every value below a field, one line each, whole. */
function* valueLines(path: string, value: JsonValue): Generator<string, void> {
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value) as [string, JsonValue][]
    if (members.length === 0) yield `${path}: ${formatJson(value)}`
    const isList = Array.isArray(value)
    for (const [name, member] of members) {
      yield* valueLines(
        isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`,
        member,
      )
    }
  } else {
    yield `${path}: ${typeof value === 'string' ? escape(value) : String(value)}`
  }
}

/** The language of a resource's texts: translations name theirs. */
function localeOf(resource: string): string {
  return LOCALES.find((locale) => resource === `site/translations/${locale}`) ?? 'en'
}

/** Every text of a resource that was added as a whole. */
export function formatResource(
  data: JsonValue,
  marks: Pick<DiffMarks, 'added'> = { added: (text) => text },
): readonly string[] {
  return Array.from(valueLines('', data), (line) => marks.added(line))
}

/** A changed field in lines: a changed text word by word, everything else whole. */
export function formatField(
  resource: string,
  { path, kind, before, after }: FieldChange,
  marks: DiffMarks,
): readonly string[] {
  if (kind === 'added') return Array.from(valueLines(path, after ?? null), marks.added)
  if (kind === 'removed') return Array.from(valueLines(path, before ?? null), marks.removed)
  if (kind === 'reordered') {
    const order = (keys: JsonValue | undefined) => [keys ?? []].flat().map(String).join(', ')
    return [
      `${path}: reordered`,
      `  ${marks.removed(order(before))}`,
      `  ${marks.added(order(after))}`,
    ]
  }
  if (typeof before !== 'string' || typeof after !== 'string') {
    const show = (value: JsonValue | undefined) =>
      escape(typeof value === 'string' ? value : formatJson(value ?? null))
    return [`${path}: ${marks.removed(show(before))}${marks.added(show(after))}`]
  }
  const words = wordChanges(before, after, localeOf(resource)).map(({ kind: side, text }) => {
    if (side === 'same') return escape(text)
    return side === 'before' ? marks.removed(escape(text)) : marks.added(escape(text))
  })
  return [`${path}: ${words.join('')}`]
}
