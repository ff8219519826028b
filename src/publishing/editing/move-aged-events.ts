import { isDeepStrictEqual } from 'node:util'
import type { Incident, Maintenance } from '@public-api/contract/history/published-record'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { schemaMistake } from '@public-api/contract/schemas/schema-mistake'
import { SNAPSHOT_SCHEMAS } from '@public-api/contract/snapshots/snapshot-schemas'
import { TRANSLATION_LOCALES } from '@public-api/contract/snapshots/translations'
import { DAY_MS } from '@public-api/contract/text/instant'
import { isMap, isScalar, isSeq, parseDocument } from 'yaml'
import { findBelow } from '../../files/folder-files.ts'
import {
  compileContent,
  type CompiledContent,
  type CompileOptions,
} from '../compile/compile-content.ts'
import { schemaLine } from '../compile/editor-schemas.ts'
import { hasEnded, startOf } from '../rules/status-rules.ts'
import { parseYamlSource } from '../rules/yaml-source.ts'
import { MAX_RECORD_BYTES, RECORD_FILE } from '../translations/translation-record.ts'
import { withContentLock } from './content-lock.ts'
import type { Status } from './edit-status.ts'
import { writeContentFile } from './write-content-file.ts'

/** How long after its end the status lists an incident or a maintenance. */
const LISTED_MS = 90 * DAY_MS
/** How many that have ended it lists at least, the newest ones. */
const LISTED_ENDED = 20
/** What ages within a week moves together, so that the file of the year is not published for each of them. */
const WEEK_MS = 7 * DAY_MS

const LISTS = ['incidents', 'maintenances'] as const
type List = (typeof LISTS)[number]

/** An incident or a maintenance that moves to the file of its year. */
interface Moving {
  readonly list: List
  readonly id: string
  readonly startMs: number
  readonly year: string
}

/** When nothing more was said of what has ended: a cancelled maintenance may have been planned for later. */
function endMsOf(event: Incident | Maintenance): number {
  const end = 'startedAt' in event ? (event.resolvedAt ?? event.startedAt) : event.endsAt
  return Math.max(Date.parse(end), Date.parse(event.updates[0]?.at ?? end))
}

/** What the status need not list any more: it ended more than 90 days ago, and is not among the newest 20 that did. */
export function agedEvents(status: Status, nowMs: number): readonly Moving[] {
  const beforeMs = Math.floor(nowMs / WEEK_MS) * WEEK_MS - LISTED_MS
  return LISTS.flatMap((list) =>
    (status[list] ?? []).filter(hasEnded).map((event) => ({ list, event, endMs: endMsOf(event) })),
  )
    .toSorted((a, b) => b.endMs - a.endMs)
    .slice(LISTED_ENDED)
    .filter(({ endMs }) => endMs < beforeMs)
    .map(({ list, event }) => {
      const start = startOf(event)
      return { list, id: event.id, startMs: Date.parse(start), year: start.slice(0, 4) }
    })
}

/** One item of a list, with what it says. */
interface Item {
  readonly id: string
  readonly startMs: number
  readonly value: JsonValue | undefined
}

/** The lines of a list's items in a YAML text, with the comments above each, by id. */
interface ItemLines {
  readonly indent: number
  /** Line of the list's name. */
  readonly nameLine: number
  readonly items: readonly (Item & { readonly first: number; readonly end: number })[]
}

const indentOf = (line: string): number => line.length - line.trimStart().length

/** Where the items of a list are. `none` without the list or items; undefined where an item does not have lines of its own. */
function findItems(
  text: string,
  lines: readonly string[],
  list: List,
): ItemLines | 'none' | undefined {
  const document = parseDocument(text, { schema: 'core', merge: false })
  const root = document.contents
  const pair = isMap(root)
    ? root.items.find(({ key }) => isScalar(key) && key.value === list)
    : undefined
  const node = pair?.value
  if (pair === undefined || !(isSeq(node) || isMap(node)) || node.items.length === 0) return 'none'
  if (node.flow === true || !isScalar(pair.key)) return undefined
  const lineOf = (offset: number): number => text.slice(0, offset).split('\n').length - 1
  const nodes = isSeq(node)
    ? node.items.map((item) => ({
        at: isMap(item) ? item.range?.[0] : undefined,
        item,
        key: undefined,
      }))
    : node.items.map(({ key, value }) => ({
        at: isScalar(key) ? key.range?.[0] : undefined,
        item: value,
        key: isScalar(key) ? String(key.value) : undefined,
      }))
  const found = nodes.map(({ at, item, key }) => {
    const value = isMap(item) ? (item.toJS(document) as JsonValue) : undefined
    const start = propertyOf(value, list === 'incidents' ? 'startedAt' : 'startsAt')
    return {
      id: key ?? String(propertyOf(value, 'id')),
      startMs: typeof start === 'string' ? Date.parse(start) : 0,
      value,
      line: at === undefined ? -1 : lineOf(at),
    }
  })
  const indent = indentOf(lines[found[0]?.line ?? 0] ?? '')
  const isOwnLine = (line: number): boolean => {
    const start = lines[line] ?? ''
    return line >= 0 && indentOf(start) === indent && (isMap(node) || /^\s*- /.test(start))
  }
  if (!found.every(({ line }) => isOwnLine(line))) return undefined
  const firstLines = found.map(({ line }) => {
    let first = line
    while (indentOf(lines[first - 1] ?? '') === indent && /^\s*#/.test(lines[first - 1] ?? ''))
      first -= 1
    return first
  })
  let last = (found.at(-1)?.line ?? 0) + 1
  let end = last
  while (last < lines.length) {
    const line = lines[last] ?? ''
    if (line.trim() !== '' && indentOf(line) <= indent) break
    last += 1
    if (line.trim() !== '') end = last
  }
  return {
    indent,
    nameLine: lineOf(pair.key.range?.[0] ?? 0),
    items: found.map(({ line: _, ...item }, index) => ({
      ...item,
      first: firstLines[index] ?? 0,
      end: firstLines[index + 1] ?? end,
    })),
  }
}

/** The lines of one item at an indentation. */
interface Block extends Item {
  readonly lines: readonly string[]
}

function atIndent(lines: readonly string[], from: number, to: number): readonly string[] {
  return lines.map((line) =>
    line.trim() === '' ? line : to > from ? ' '.repeat(to - from) + line : line.slice(from - to),
  )
}

/** Takes items out of a text. Undefined where that is not a matter of lines. */
function takeItems(text: string, list: List, ids: ReadonlySet<string>) {
  const lines = text.split('\n')
  const found = findItems(text, lines, list)
  if (found === undefined) return undefined
  if (found === 'none') return { text, indent: 2, blocks: [] }
  const taken = found.items.filter(({ id }) => ids.has(id))
  const gone = new Set(
    taken.flatMap(({ first, end }) => Array.from({ length: end - first }, (_, i) => first + i)),
  )
  const rest = lines.map((line, index) =>
    index === found.nameLine && taken.length === found.items.length
      ? line.replace(`${list}:`, `${list}: []`)
      : line,
  )
  return {
    text: rest.filter((_, index) => !gone.has(index)).join('\n'),
    indent: found.indent,
    blocks: taken.map(({ first, end, ...item }) => ({ ...item, lines: lines.slice(first, end) })),
  }
}

/** Adds items to a text, newest start first. Undefined where it is not a matter of lines, or the text has another such item. */
function addItems(text: string, list: List, indent: number, blocks: readonly Block[]) {
  const lines = text.split('\n')
  const found = findItems(text, lines, list)
  if (found === undefined) return undefined
  if (found === 'none') {
    if (new RegExp(`^${list}:`, 'm').test(text)) return undefined
    const before = text.endsWith('\n') ? text : `${text}\n`
    return `${before}${list}:\n${blocks.flatMap((each) => each.lines).join('\n')}\n`
  }
  const known = found.items.map(({ first, end, ...item }) => ({
    ...item,
    lines: lines.slice(first, end),
  }))
  const values = new Map(known.map(({ id, value }) => [id, value]))
  const isOther = ({ id, value }: Block) =>
    values.has(id) && !isDeepStrictEqual(value, values.get(id))
  if (blocks.some(isOther)) return undefined
  const added = blocks
    .filter(({ id }) => !values.has(id))
    .map((each) => ({ ...each, lines: atIndent(each.lines, indent, found.indent) }))
  const [first, end] = [found.items[0]?.first ?? 0, found.items.at(-1)?.end ?? 0]
  const sorted = [...known, ...added].toSorted((a, b) => b.startMs - a.startMs)
  return [
    ...lines.slice(0, first),
    ...sorted.flatMap((each) => each.lines),
    ...lines.slice(end),
  ].join('\n')
}

const formatMonth = (ms: number): string =>
  new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(ms)

/** Says in one line what moves to a year. */
function formatMove(year: string, moving: readonly Moving[]): string {
  const counts = LISTS.flatMap((list) => {
    const count = moving.filter((each) => each.list === list).length
    const noun = list.slice(0, -1)
    return count === 0 ? [] : [`${count} ${count === 1 ? noun : list}`]
  })
  const starts = moving.map(({ startMs }) => startMs).toSorted((a, b) => a - b)
  const months = [...new Set([starts[0] ?? 0, starts.at(-1) ?? 0].map(formatMonth))]
  return `${counts.join(' and ')} of ${months.join(' to ')} went to events/${year}.yaml`
}

/**
 * The files of a content folder after what has aged moved from status.yaml, and from its translations, to the files of
 * years. Lines move as they are written, comments included, and the record of translations follows. `read` returns the
 * text of a file, undefined for a missing one. Undefined if nothing moves; a warning if something should and cannot.
 */
function moveAgedEvents(
  status: Status,
  nowMs: number,
  read: (file: string) => string | undefined,
):
  | { readonly files: ReadonlyMap<string, string>; readonly lines: readonly string[] }
  | { readonly warning: string }
  | undefined {
  const aged = agedEvents(status, nowMs)
  if (aged.length === 0) return undefined
  const years = Map.groupBy(aged, ({ year }) => year)
  const files = new Map<string, string>()
  for (const locale of [undefined, ...TRANSLATION_LOCALES]) {
    const folder = locale === undefined ? '' : `${locale}/`
    let rest = read(`${folder}status.yaml`)
    if (rest === undefined) continue
    for (const [year, moving] of years) {
      const file = `events/${year}.yaml`
      let target = read(`${folder}${file}`) ?? `${schemaLine(file, locale)}\n`
      let isMoved = false
      for (const list of LISTS) {
        const ids = new Set(moving.filter((each) => each.list === list).map(({ id }) => id))
        const taken = takeItems(rest, list, ids)
        const added =
          taken &&
          (taken.blocks.length === 0 ? target : addItems(target, list, taken.indent, taken.blocks))
        if (taken === undefined || added === undefined) {
          const place = `${folder}status.yaml or ${folder}${file}`
          return {
            warning: `what ended more than 90 days ago stays in status.yaml: expected each item of ${list} on lines of its own in ${place}`,
          }
        }
        isMoved ||= taken.blocks.length > 0
        rest = taken.text
        target = added
      }
      if (isMoved) files.set(`${folder}${file}`, target)
    }
    if (locale !== undefined) {
      files.set(`${folder}status.yaml`, rest)
      const record = read(`${folder}${RECORD_FILE}`)
      const renamed = aged.reduce(
        (text, { list, id, year }) =>
          text?.replaceAll(`"status.${list}[${id}].`, `"events/${year}.${list}[${id}].`),
        record,
      )
      if (renamed !== undefined) files.set(`${folder}${RECORD_FILE}`, renamed)
    } else files.set('status.yaml', rest)
  }
  // Written last: a kill leaves an item in both places, which the next move mends.
  const own = files.get('status.yaml')
  files.delete('status.yaml')
  if (own !== undefined) files.set('status.yaml', own)
  return { files, lines: Array.from(years, ([year, moving]) => formatMove(year, moving)) }
}

/** The text of a file of a content folder; undefined for a missing one. */
const readText = (contentDir: string, file: string): string | undefined =>
  findBelow(contentDir, file, MAX_RECORD_BYTES)?.toString('utf8')

/**
 * A content folder after what has aged moved (`moveAgedEvents`), with how to compile and to write it. `replaced` has bytes
 * to use instead of those of a file. Undefined if nothing moves, or if the status cannot be read.
 */
export function planMove(
  contentDir: string,
  nowMs: number,
  replaced: ReadonlyMap<string, Buffer> = new Map(),
) {
  const read = (file: string) => replaced.get(file)?.toString('utf8') ?? readText(contentDir, file)
  let statusText: string | undefined
  try {
    statusText = read('status.yaml')
  } catch {
    // A file that cannot be read has its own mistake.
  }
  const { value } = parseYamlSource('status.yaml', statusText ?? '')
  if (value === undefined || schemaMistake(SNAPSHOT_SCHEMAS.status, value.value) !== undefined) {
    return undefined
  }
  const moved = moveAgedEvents(value.value as unknown as Status, nowMs, read)
  if (moved === undefined || 'warning' in moved) return moved
  const before = new Map(Array.from(moved.files.keys(), (file) => [file, read(file)]))
  const bytes = Array.from(moved.files, ([file, text]) => [file, Buffer.from(text)] as const)
  return {
    lines: moved.lines,
    compile: (options: CompileOptions) =>
      compileContent(contentDir, nowMs, {
        ...options,
        replaced: new Map([...replaced, ...bytes]),
      }),
    /** Writes the files, unless one changed meanwhile; then the next publication moves. Returns whether it did. */
    write: () =>
      withContentLock(contentDir, async () => {
        for (const [file, text] of before) if (readText(contentDir, file) !== text) return false
        for (const [file, text] of moved.files) writeContentFile(contentDir, file, text)
        return true
      }),
  }
}

/**
 * A content folder as a publication compiles it: what a killed move left in both places, or a repeated import wrote again,
 * is only where it moves to.
 */
export async function compileMoved(
  contentDir: string,
  nowMs: number,
  options: CompileOptions = {},
): Promise<CompiledContent> {
  const compiled = await compileContent(contentDir, nowMs, options)
  if (compiled.mistakes.length === 0) return compiled
  const plan = planMove(contentDir, nowMs, options.replaced)
  const moved = plan && 'compile' in plan ? await plan.compile(options) : compiled
  return moved.mistakes.length === 0 ? moved : compiled
}
