import { formatJson } from '@public-api/cli-kit/format-json'
import type { WaitlistEntry } from '../../service/waitlist/waitlist-entry.ts'

const COLUMNS =
  'ticket registeredAt email locale interests useCase consentVersion consentText'.split(' ')

/** Marks of line breaking, which the text of the form had in registrations of November 2026. */
const BREAK_MARKS = /[\u00AD\u200B\u2060]/g

/** Version and text of the consent; empty where a registration has none. */
function consentOf({ consent }: WaitlistEntry): readonly [version: string, text: string] {
  return [consent?.version ?? '', consent?.text.replaceAll(BREAK_MARKS, '') ?? '']
}

/** The cells of a registration in the order of the columns. */
function toCells(entry: WaitlistEntry): readonly string[] {
  const { ticket, registeredAt, email, locale, interests, useCase } = entry
  return [
    ticket,
    registeredAt,
    email,
    locale,
    interests.join(' '),
    useCase ?? '',
    ...consentOf(entry),
  ]
}

/**
 * Places where a spreadsheet may read a formula: at the start of the text and, if it splits the file at other characters
 * than commas or ignores quotes, after those too. Leading characters that spreadsheets trim are skipped (white space,
 * invisible characters, quotes). The rest is a formula if it starts with one of these signs, of normal or full width.
 */
const FORMULA = /(^|[;\t\r\n\|])([[\s\p{Z}\p{Cf}"'‘’“”＂＇]--[\t\r\n]]*)(?=[=+\-@＝＋－＠])/gv
/** Spreadsheets also misread cells that start with one of these. */
const BREAK_START = /^[\t\r\n]/
/** Control characters that affect a terminal, and bidirectional controls, which reorder a line. Tabs and line ends are text. */
// oxlint-disable-next-line no-control-regex -- control characters are what is meant
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g

/** A text that no spreadsheet evaluates, with apostrophes where one would. */
function guardFormulas(text: string): string {
  const tame = text.toWellFormed().replace(CONTROL, '\uFFFD').replace(FORMULA, "$1'$2")
  return BREAK_START.test(tame) ? `'${tame}` : tame
}

/** A text as a cell, quoted as RFC 4180 requires. */
const quoteCell = (text: string): string =>
  /[",\r\n;\t|]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** A text as a cell that no spreadsheet evaluates. */
export const formatCsvCell = (text: string): string => quoteCell(guardFormulas(text))

/** The texts of the columns in CSV. The address is exact: a mail program must reach it. */
const toTexts = (entry: WaitlistEntry): readonly string[] =>
  toCells(entry).map((cell, index) => (COLUMNS[index] === 'email' ? cell : guardFormulas(cell)))

/** Whether the CSV of a registration has other cells than its texts, so that no spreadsheet evaluates them. */
export const hasGuardedCell = (entry: WaitlistEntry): boolean => {
  const texts = toTexts(entry)
  return toCells(entry).some((cell, index) => texts[index] !== cell)
}

/** A registration as JSON in one line. */
export function formatEntryAsJson(entry: WaitlistEntry): string {
  const { ticket, registeredAt, email, locale, interests, useCase, consent } = entry
  return formatJson({ ticket, registeredAt, email, locale, interests, useCase, consent })
}

/**
 * A record of listmonk's CSV import: the address, an empty name, and attributes as JSON. The values are exact, because a
 * program reads them and not a spreadsheet. The use case stays out: a mail program does not need it.
 */
function formatListmonkRow(entry: WaitlistEntry): string {
  const { ticket, registeredAt, email, locale, interests } = entry
  const [consentVersion, consentText] = consentOf(entry)
  const known = { ticket, registeredAt, locale, interests, consentVersion, consentText }
  const attributes = formatJson(known)
  const cells = [email, '', attributes].map((cell) => `"${cell.replaceAll('"', '""')}"`)
  return `${cells.join(',')}\r\n`
}

/** The formats of an export: the line of column names (RFC 4180: CRLF), if it has one, and a registration as a record. */
export const EXPORT_FORMATS = {
  csv: {
    header: `${COLUMNS.join(',')}\r\n`,
    rowOf: (entry: WaitlistEntry) => `${toTexts(entry).map(quoteCell).join(',')}\r\n`,
  },
  jsonl: { header: '', rowOf: (entry: WaitlistEntry) => `${formatEntryAsJson(entry)}\n` },
  listmonk: { header: 'email,name,attributes\r\n', rowOf: formatListmonkRow },
} as const

/** One registration for a terminal, a line for each column. */
export function formatShownEntry(entry: WaitlistEntry): readonly string[] {
  const width = Math.max(...COLUMNS.map((name) => name.length))
  return toCells(entry).map((cell, index) => {
    const safe = cell.toWellFormed().replace(CONTROL, '\uFFFD')
    const text = safe === '' ? '-' : safe.replace(/\r?\n/g, `\n${' '.repeat(width + 2)}`)
    return `${(COLUMNS[index] ?? '').padEnd(width)}  ${text}`
  })
}
