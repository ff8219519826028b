import type { JsonValue } from '@public-api/contract/json/canonical-json'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { expectedName } from '@public-api/contract/text/nearest-name'
import { CsvError, parse } from 'csv-parse/sync'
import {
  type ContentMistake,
  describeValue,
  type FieldPath,
  mistakeAt,
} from '../rules/content-mistake.ts'
import type { Imported } from './imported.ts'

/** `itemsFrom` in a content file, as its schema describes it: by field, then by value. */
export interface CsvMapping {
  readonly file: string
  readonly columns: { readonly [field: string]: string }
  readonly values?: { readonly [field: string]: { readonly [value: string]: string } }
  readonly defaults?: { readonly [field: string]: string }
  readonly delimiter?: string
}

/** Mapped value that excludes a row. */
const SKIP = 'skip'

/** Maximum number of rows. */
const MAX_ROWS = 2000

const START = { line: 1, column: 1 }

interface Cell {
  readonly text: string
  readonly line: number
  readonly column: number
}

/** Parses CSV (RFC 4180) with the place of each field. Throws a CsvError. */
function parseTable(text: string, delimiter: string): readonly (readonly Cell[])[] {
  const bytes = Buffer.from(text)
  let start = 0
  let nextColumn = 1
  return parse(bytes, {
    delimiter,
    skip_empty_lines: true,
    trim: true,
    to: MAX_ROWS + 2,
    cast(value, { bytes: end, index, lines }): Cell {
      // Empty lines that were skipped are in front of the first field.
      const raw = bytes.toString('utf8', start, end).replace(/^\n+/, '')
      const rawLines = raw.split('\n')
      const column = index === 0 ? 1 : nextColumn
      start = end + 1
      nextColumn = (rawLines.length > 1 ? 1 : column) + (rawLines.at(-1)?.length ?? 0) + 1
      return { text: value, line: lines - rawLines.length + 1, column }
    },
  }) as unknown as readonly (readonly Cell[])[]
}

/** An id in kebab-case: `PROJ-12` becomes `proj-12`. */
function toId(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/** The day of an ISO 8601 date or timestamp, or of Jira's default format, `05/Nov/26 9:30 AM`. */
function dayOf(text: string): string {
  const [, day = '', name = '', year = ''] =
    /^(\d{1,2})\/([A-Za-z]{3})\/(\d{2}|\d{4})(?:\s|$)/.exec(text) ?? []
  const month = MONTHS.indexOf(name.toLowerCase()) + 1
  if (month > 0) {
    return `${year.padStart(4, '20')}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
  }
  return /^(\d{4}-\d{2}-\d{2})(?:[T ]|$)/.exec(text)?.[1] ?? text
}

/** A cell as a value of the field's type. What does not fit is unchanged, and the schema refuses it. */
function convert(text: string, field: string, schema: JsonSchema): JsonValue {
  if (schema.type === 'array') {
    return text.split(/[\s,;]+/).flatMap((each) => (each === '' ? [] : [toId(each)]))
  }
  if (schema.type === 'integer') return /^\d{1,15}$/.test(text) ? Number(text) : text
  if (field === 'id' || field === 'roadmapItem') return toId(text)
  if (schema.format === 'date') return dayOf(text)
  return text.replaceAll(/\s+/g, ' ').trim()
}

/**
 * Reads the items of a roadmap or a queue from a CSV export, sorted by horizon or by priority. A `priority` column only
 * determines the order; the field is numbered from 1. Fields and values that the mapping does not know are mistakes.
 */
export function importCsv(
  file: string,
  csv: string,
  mapping: CsvMapping,
  items: JsonSchema,
): Imported {
  const mistakes: ContentMistake[] = []
  const fail = (
    { line, column }: Pick<Cell, 'line' | 'column'>,
    path: FieldPath,
    found: string,
    expected: string,
  ): void => void mistakes.push(mistakeAt({ file, line, column }, path, found, expected))

  let table: ReturnType<typeof parseTable> = []
  try {
    // Columns are counted in lines that end with a line feed only.
    table = parseTable(csv.replaceAll(/\r\n?/g, '\n'), mapping.delimiter ?? ',')
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const line = typeof error['lines'] === 'number' ? error['lines'] : 1
    const expected = 'comma-separated values (RFC 4180) with one header line'
    fail({ line, column: 1 }, [], `invalid CSV (${error.code})`, expected)
  }
  const [header = [], ...rows] = table
  if (rows.length > MAX_ROWS) {
    fail(START, [], `more than ${MAX_ROWS} rows`, `an export of at most ${MAX_ROWS} rows`)
  }
  const { properties = {} } = items
  const names = header.map(({ text }) => text)
  const columns = new Map<string, number>()
  for (const [field, name] of Object.entries(mapping.columns)) {
    const index = names.indexOf(name)
    columns.set(field, index)
    if (index !== -1 || table.length === 0) continue
    const expected = expectedName(name, names, 'a known column', `one of ${names.join(', ')}`)
    fail(START, [], `no column ${JSON.stringify(name)} for ${field}`, expected)
  }

  /** The text of a cell in the words of the field. Undefined for a text that the mapping does not know. */
  function mappedText(field: string, cell: Cell | undefined): string | undefined {
    const text = cell?.text ?? ''
    const map = mapping.values?.[field]
    const mapped = map === undefined || text === '' || Object.hasOwn(map, text)
    if (mapped) return map?.[text] ?? (text === '' ? (mapping.defaults?.[field] ?? '') : text)
    const known = Object.keys(map).join(', ')
    fail(cell ?? START, [field], describeValue(text), `a value of the mapping: ${known}`)
    return undefined
  }

  const orderField = properties['priority'] === undefined ? 'horizon' : 'priority'
  const order = properties[orderField]?.enum
  const kept = rows
    .slice(0, MAX_ROWS)
    .map((cells, index) => {
      const item: { [field: string]: JsonValue } = {}
      let isSkipped = false
      for (const [field, schema] of Object.entries(properties)) {
        const cell = cells[columns.get(field) ?? -1]
        const text = mappedText(field, cell) ?? ''
        if (text === SKIP) isSkipped = true
        if (text !== '') item[field] = convert(text, field, schema)
      }
      const rank =
        order?.findIndex((each) => each === item[orderField]) ??
        Number(item[orderField] ?? index + 1)
      return { item, cells, rank, isSkipped }
    })
    .filter(({ isSkipped }) => !isSkipped)
    .toSorted((a, b) => a.rank - b.rank)
  return {
    fields: {
      items: kept.map(({ item }, index) =>
        orderField === 'priority' ? { ...item, priority: index + 1 } : item,
      ),
    },
    placeOf([, index, field]) {
      const { cells = [] } = kept[Number(index)] ?? {}
      return cells[columns.get(String(field)) ?? -1] ?? cells[0]
    },
    mistakes,
  }
}
