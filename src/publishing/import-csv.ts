import { CsvError, parse } from 'csv-parse/sync'

import type { JsonValue } from '../contract/canonical-json.ts'
import { expectedName } from '../contract/nearest-name.ts'
import type { JsonSchema } from '../contract/schema-type.ts'
import type { ReferencedFile } from './compile-organization.ts'
import { type ContentMistake, describeValue } from './content-mistake.ts'
import type { ImportedFields } from './imported-source.ts'
import type { SourcePlace } from './yaml-source.ts'

/** Maps the columns of an export to the fields of items (`itemsFrom` in a content file). */
export interface CsvMapping {
  readonly file: string
  /** The header of the column for each field. */
  readonly columns: { readonly [field: string]: string }
  /** For a field: the new value for each value of its column; `skip` excludes the row. */
  readonly values?: { readonly [field: string]: { readonly [value: string]: string } }
  /** Values for fields whose column is missing or empty. */
  readonly defaults?: { readonly [field: string]: string }
  readonly delimiter?: string
}

/** Mapped value that excludes a row. */
const SKIP = 'skip'

/** Maximum number of rows. */
const MAX_ROWS = 2000

interface Cell extends SourcePlace {
  readonly text: string
}

/** Offset of each field of a record in its raw text, as lines and characters. */
function fieldPlaces(raw: string, delimiter: string): readonly { line: number; column: number }[] {
  const places = [{ line: 0, column: 1 }]
  let isQuoted = false
  let line = 0
  let lineStart = 0
  for (let index = 0; index < raw.length; index += 1) {
    const character = raw[index]
    if (character === '"') isQuoted = !isQuoted
    else if (character === '\n') {
      line += 1
      lineStart = index + 1
    } else if (character === delimiter && !isQuoted) {
      places.push({ line, column: index + 2 - lineStart })
    }
  }
  return places
}

interface CsvTable {
  readonly header: readonly Cell[]
  readonly rows: readonly (readonly Cell[])[]
}

/** Parses CSV (RFC 4180) with the place of each field. Throws a CsvError. */
function parseTable({ file, bytes }: ReferencedFile, delimiter: string): CsvTable {
  // csv-parse leaves line feeds out of the raw text of records that end with CR and LF.
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll(/\r\n?/g, '\n')
  const records = parse(text, {
    delimiter,
    raw: true,
    skip_empty_lines: true,
    trim: true,
    max_record_size: 100_000,
    to: MAX_ROWS + 2,
  }) as unknown as readonly { readonly raw: string; readonly record: readonly string[] }[]
  let line = 1
  const [header = [], ...rows] = records.map(({ raw, record }) => {
    // Empty lines that were skipped are part of the raw text of the record after them.
    const lead = /^\n*/.exec(raw)?.[0] ?? ''
    const start = line + lead.length
    const places = fieldPlaces(raw.slice(lead.length), delimiter)
    line += raw.split('\n').length - 1
    return record.map((each, index): Cell => {
      const at = places[index] ?? { line: 0, column: 1 }
      return { text: each, file, line: start + at.line, column: at.column }
    })
  })
  return { header, rows }
}

/** An id in kebab-case: `PROJ-12` becomes `proj-12`. */
function toId(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** The day of an ISO 8601 date or timestamp; other notations are unchanged, and the schema refuses them. */
function toDay(text: string): string {
  return /^(\d{4}-\d{2}-\d{2})(?:[T ]|$)/.exec(text)?.[1] ?? text
}

/** The text with line breaks and runs of spaces replaced by single spaces. */
function toText(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** A cell as a value of the field's type. */
function convert(text: string, field: string, schema: JsonSchema): JsonValue {
  if (schema.type === 'array') {
    return text.split(/[\s,;]+/).flatMap((each) => (each === '' ? [] : [toId(each)]))
  }
  if (schema.type === 'integer') return /^\d{1,15}$/.test(text) ? Number(text) : text
  if (field === 'id' || field === 'roadmapItem') return toId(text)
  return schema.format === 'date' ? toDay(text) : toText(text)
}

/**
 * Reads the items of a roadmap or a queue from a CSV export. Items are sorted by `order`, a field and its values from
 * first to last. A `priority` column only determines the order; the field is numbered from 1. Fields and values that
 * the mapping does not know are mistakes.
 */
export function importCsv(
  csv: ReferencedFile,
  mapping: CsvMapping,
  items: JsonSchema,
  order: { readonly field: string; readonly values?: readonly string[] },
): ImportedFields {
  const mistakes: ContentMistake[] = []
  const fail = (place: SourcePlace, field: string, found: string, expected: string): void => {
    const { file, line, column } = place
    mistakes.push({ file, line, column, field, found, expected })
  }
  const whole = { file: csv.file, line: 1, column: 1 }
  let table: CsvTable
  try {
    table = parseTable(csv, mapping.delimiter ?? ',')
  } catch (error) {
    const line =
      error instanceof CsvError && typeof error['lines'] === 'number' ? error['lines'] : 1
    fail(
      { ...whole, line },
      '',
      error instanceof CsvError
        ? `invalid CSV (${error.code})`
        : 'bytes that are not text in UTF-8',
      'comma-separated values (RFC 4180) with one header line',
    )
    return { fields: {}, places: new Map(), mistakes }
  }
  const { header, rows } = table
  if (rows.length > MAX_ROWS) {
    fail(whole, '', `more than ${MAX_ROWS} rows`, `an export of at most ${MAX_ROWS} rows`)
    return { fields: {}, places: new Map(), mistakes }
  }
  const names = header.map(({ text }) => text)
  const columns = new Map<string, number>()
  for (const [field, name] of Object.entries(mapping.columns)) {
    const index = names.indexOf(name)
    if (index !== -1) {
      columns.set(field, index)
      continue
    }
    const expected = expectedName(name, names, 'a known column', `one of ${names.join(', ')}`)
    fail(whole, '', `no column ${JSON.stringify(name)} for ${field}`, expected)
  }

  interface Row {
    readonly item: { readonly [field: string]: JsonValue }
    readonly cells: ReadonlyMap<string, SourcePlace>
    readonly rank: number
  }

  /** Undefined for an excluded row. */
  function readRow(cells: readonly Cell[], index: number): Row | undefined {
    const item: { [field: string]: JsonValue } = {}
    const cellOf = new Map<string, SourcePlace>()
    let isSkipped = false
    for (const [field, schema] of Object.entries(items.properties ?? {})) {
      const column = columns.get(field)
      const cell = column === undefined ? undefined : cells[column]
      if (cell !== undefined) cellOf.set(field, cell)
      let text = cell?.text ?? ''
      const map = mapping.values?.[field]
      if (map !== undefined && text !== '') {
        const mapped = Object.hasOwn(map, text) ? map[text] : undefined
        if (mapped === undefined) {
          const known = Object.keys(map)
          fail(
            cell ?? whole,
            field,
            describeValue(text),
            `a value of the mapping: ${known.join(', ')}`,
          )
          continue
        }
        text = mapped
      }
      if (text === SKIP) isSkipped = true
      if (text === '') text = mapping.defaults?.[field] ?? ''
      if (text !== '') item[field] = convert(text, field, schema)
    }
    if (isSkipped) return undefined
    const sortedBy = item[order.field]
    const rank =
      order.values === undefined
        ? typeof sortedBy === 'number'
          ? sortedBy
          : index + 1
        : order.values.findIndex((each) => each === sortedBy)
    return { item, cells: cellOf, rank }
  }

  const places = new Map<string, SourcePlace>()
  const kept = rows
    .map((cells, index) => ({ row: readRow(cells, index), first: cells[0] ?? whole }))
    .flatMap(({ row, first }) => (row === undefined ? [] : [{ ...row, first }]))
    .toSorted((a, b) => a.rank - b.rank)
  const list = kept.map(({ item, cells, first }, index) => {
    places.set(JSON.stringify(['items', index]), first)
    for (const [field, place] of cells) places.set(JSON.stringify(['items', index, field]), place)
    return order.field === 'priority' ? { ...item, priority: index + 1 } : item
  })
  return { fields: { items: list }, places, mistakes }
}
