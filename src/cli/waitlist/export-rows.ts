import type { WaitlistEntry } from '../../service/waitlist-entry.ts'

/** The formats of an export. */
export const EXPORT_FORMATS = ['csv', 'jsonl'] as const

export type ExportFormat = (typeof EXPORT_FORMATS)[number]

const COLUMNS = [
  'ticket',
  'registeredAt',
  'email',
  'locale',
  'interests',
  'useCase',
  'consentVersion',
  'consentText',
] as const

/** The cells of a registration in the order of the columns. */
function toCells(entry: WaitlistEntry): readonly string[] {
  const { ticket, registeredAt, email, locale, interests, useCase, consent } = entry
  const { version = '', text = '' } = consent ?? {}
  return [ticket, registeredAt, email, locale, interests.join(' '), useCase ?? '', version, text]
}

/**
 * Places where a spreadsheet may read a formula: at the start of the text and, if it splits the file at other characters
 * than commas or ignores quotes, after those too. Leading characters that spreadsheets trim are skipped (white space,
 * invisible characters, quotes). The rest is a formula if it starts with one of these signs, of normal or full width.
 */
const FORMULA = /(^|[;\t\r\n\|])([[\s\p{Z}\p{Cf}"'‘’“”＂＇]--[\t\r\n]]*)(?=[=+\-@＝＋－＠])/gv
/** Spreadsheets also misread cells that start with one of these. */
const BREAK_START = /^[\t\r\n]/
/** Control characters that affect a terminal. Tabs and line ends are text. */
// oxlint-disable-next-line no-control-regex -- control characters are what is meant
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g

/** A text as a cell that no spreadsheet evaluates, quoted as RFC 4180 requires. */
export function formatCsvCell(text: string): string {
  const tame = text.toWellFormed().replace(CONTROL, '\uFFFD').replace(FORMULA, "$1'$2")
  const cell = BREAK_START.test(tame) ? `'${tame}` : tame
  return /[",\r\n;\t|]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** The line of column names in a CSV file (RFC 4180: CRLF). */
export const CSV_HEADER: string = `${COLUMNS.join(',')}\r\n`

/** A registration as JSON in one line. */
export function formatEntryAsJson({
  ticket,
  registeredAt,
  email,
  locale,
  interests,
  useCase,
  consent,
}: WaitlistEntry): string {
  const members = { ticket, registeredAt, email, locale, interests, useCase, consent }
  // JSON.stringify does not escape these characters, which affect terminals and line readers.
  return JSON.stringify(members).replace(
    /[\u007F-\u009F\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** One registration as a line of the file: a CSV row with neutralized formulas, or JSON with the exact values. */
export function formatExportRow(entry: WaitlistEntry, format: ExportFormat): string {
  return format === 'csv'
    ? `${toCells(entry).map(formatCsvCell).join(',')}\r\n`
    : `${formatEntryAsJson(entry)}\n`
}

/** One registration for a terminal, a line for each column. */
export function formatShownEntry(entry: WaitlistEntry): readonly string[] {
  const width = Math.max(...COLUMNS.map((name) => name.length))
  return toCells(entry).map((cell, index) => {
    const safe = cell.toWellFormed().replace(CONTROL, '\uFFFD')
    const text = safe === '' ? '-' : safe.replace(/\r?\n/g, `\n${' '.repeat(width + 2)}`)
    return `${(COLUMNS[index] ?? '').padEnd(width)}  ${text}`
  })
}
