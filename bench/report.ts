import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A bound that was checked. The texts carry their units. */
export interface Target {
  readonly what: string
  readonly found: string
  readonly expected: string
  readonly isMet: boolean
}

/** A table. Every column but the first has numbers or verdicts. */
export interface Table {
  readonly title: string
  /** The names of the columns, separated by `|`. */
  readonly heading: string
  /** A target fills two columns: the bound and the verdict. */
  readonly rows: readonly (readonly (string | Target)[])[]
}

/** Result of one run. */
export interface BenchReport {
  readonly quick: boolean
  /** Where and when the run was made, one sentence each. */
  readonly facts: readonly string[]
  readonly tables: readonly Table[]
}

export type Format = (value: number) => string

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
export const whole: Format = (value) => NUMBER.format(value)
export const oneDigit: Format = (value) => value.toFixed(1)
export const twoDigits: Format = (value) => value.toFixed(2)

/** The median. Throws a RangeError on an empty list. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const lower = sorted[Math.ceil(sorted.length / 2) - 1]
  const upper = sorted[Math.floor(sorted.length / 2)]
  if (lower === undefined || upper === undefined) throw new RangeError('expected a number')
  return (lower + upper) / 2
}

/** Two cells: the median, and the lowest and highest value. Throws a RangeError on an empty list. */
export function spreadCells(values: readonly number[], format: Format): readonly string[] {
  const range = `${format(Math.min(...values))} to ${format(Math.max(...values))}`
  return [format(medianOf(values)), range]
}

/** A target for a value that must not exceed a bound. The bound itself is allowed. */
export function judge(
  what: string,
  value: number,
  { atMost }: { readonly atMost: number },
  format: Format,
): Target {
  const expected = `at most ${format(atMost)}`
  return { what, found: format(value), expected, isMet: value <= atMost }
}

/** Cells for the ratio of two measurements in each round and its target; the median of the rounds counts. */
export function ratioCells(
  what: string,
  [of = [], to = []]: readonly (readonly number[])[],
  bound: { readonly atMost: number },
): readonly (string | Target)[] {
  const ratios = of.map((value, round) => value / (to[round] ?? Number.NaN))
  return [...spreadCells(ratios, twoDigits), judge(what, medianOf(ratios), bound, twoDigits)]
}

/** The targets in some tables. */
export function targetsOf(tables: readonly Table[]): readonly Target[] {
  return tables.flatMap(({ rows }) => rows.flat()).filter((cell) => typeof cell !== 'string')
}

/** One line for each missed target. */
export function missedTargets({ tables }: BenchReport): readonly string[] {
  return targetsOf(tables)
    .filter(({ isMet }) => !isMet)
    .map(({ what, found, expected }) => `${what}: found ${found}, expected ${expected}`)
}

/** Exit code of a run: 1 if a target is missed. A quick run measures too little to fail. */
export function exitCodeOf(report: BenchReport): 0 | 1 {
  return !report.quick && missedTargets(report).length > 0 ? 1 : 0
}

/** The heading and the rows of a table, one text per column. */
export function linesOf({ heading, rows }: Table): readonly (readonly string[])[] {
  const cells = (cell: string | Target) =>
    typeof cell === 'string' ? [cell] : [cell.expected, cell.isMet ? 'met' : 'not met']
  return [heading.split('|'), ...rows.map((row) => row.flatMap(cells))]
}

/** A Markdown table with aligned columns, which reads well on a terminal too. */
export function formatTable(table: Table): string {
  const [heading = [], ...rows] = linesOf(table)
  const widths = heading.map((_, column) =>
    Math.max(4, ...[heading, ...rows].map((line) => line[column]?.length ?? 0)),
  )
  const rule = widths.map((width, column) => `${'-'.repeat(width - 1)}${column === 0 ? '-' : ':'}`)
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  const lines = [heading, rule, ...rows].map((line) => `| ${line.map(pad).join(' | ')} |`)
  return [`**${table.title}**`, '', ...lines].join('\n')
}

/** Writes a line that the next one replaces, on a terminal only. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}

const DOCUMENT = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url))

const BEGIN = '<!-- results: written by npm run bench -- --write -->'
const END = '<!-- end of results -->'

/** Replaces the results section of docs/benchmarks.md. Throws if one of its lines is missing. */
export function writeResults({ facts, tables }: BenchReport): void {
  const [before, rest] = readFileSync(DOCUMENT, 'utf8').split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) {
    throw new Error(`docs/benchmarks.md: expected the lines "${BEGIN}" and "${END}"`)
  }
  const paragraphs = [facts.map((fact) => `- ${fact}`).join('\n'), ...tables.map(formatTable)]
  writeFileSync(DOCUMENT, `${before}${[BEGIN, ...paragraphs, END].join('\n\n')}${after}`)
}
