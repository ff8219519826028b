import type { WaitlistEntry } from '../../service/waitlist-entry.ts'

/** How registrations are written out. */
export const EXPORT_FORMATS = ['csv', 'jsonl'] as const

export type ExportFormat = (typeof EXPORT_FORMATS)[number]

const COLUMNS = ['ticket', 'registeredAt', 'email', 'locale', 'interests', 'useCase'] as const

/**
 * Where a spreadsheet may see the beginning of a cell: at the start of the text, and, when it splits the file at other
 * signs than commas or takes no notice of quotes, behind those too. What it trims from a cell's beginning is trimmed here
 * (white space, invisible characters, quotes), and what is left is a formula if it starts with one of these signs, of
 * normal or of full width.
 */
const FORMULA = /(^|[;\t\r\n\|])([[\s\p{Z}\p{Cf}"'‘’“”＂＇]--[\t\r\n]]*)(?=[=+\-@＝＋－＠])/gv
/** A cell that begins with one of these is not taken for what it is either. */
const BREAK_START = /^[\t\r\n]/
/** Would act on the terminal that a file is shown on. Tabs and line ends are text. */
// oxlint-disable-next-line no-control-regex -- control characters are what is meant
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g

/** A text as a cell that no spreadsheet computes, quoted where RFC 4180 asks for it. */
export function formatCsvCell(text: string): string {
  const tame = text.toWellFormed().replace(CONTROL, '\uFFFD').replace(FORMULA, "$1'$2")
  const cell = BREAK_START.test(tame) ? `'${tame}` : tame
  return /[",\r\n;\t|]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** The line of column names in a CSV file (RFC 4180: CRLF). */
export const CSV_HEADER: string = `${COLUMNS.join(',')}\r\n`

function formatCsvRow(entry: WaitlistEntry): string {
  const cells = COLUMNS.map((column) => {
    const value = entry[column]
    return formatCsvCell(typeof value === 'string' ? value : (value ?? []).join(' '))
  })
  return `${cells.join(',')}\r\n`
}

function formatJsonRow(entry: WaitlistEntry): string {
  const members = Object.fromEntries(COLUMNS.map((column) => [column, entry[column]]))
  // JSON.stringify writes these as they are. Escaped they are the same text, and harmless to a terminal and to line readers.
  const text = JSON.stringify(members).replace(
    /[\u007F-\u009F\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${text}\n`
}

/** One registration as a line of the file: a CSV row, where formulas are neutralised, or JSON with the exact values. */
export function formatExportRow(entry: WaitlistEntry, format: ExportFormat): string {
  return format === 'csv' ? formatCsvRow(entry) : formatJsonRow(entry)
}
