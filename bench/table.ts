import type { Spread } from './statistics.ts'

/** A table: a heading and rows of cells. Every column but the first is a number or a verdict. */
export interface Table {
  readonly title: string
  /** Separated by `|`. */
  readonly heading: string
  readonly rows: readonly (readonly string[])[]
}

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** A whole number with thousands separators. */
export function whole(value: number): string {
  return NUMBER.format(value)
}

/** Two cells: the median, and the lowest and highest value. */
export function spreadCells(spread: Spread, format: (value: number) => string): readonly string[] {
  return [format(spread.median), `${format(spread.lowest)} to ${format(spread.highest)}`]
}

/** The columns of a heading. */
export function columnsOf(heading: string): readonly string[] {
  return heading.split('|')
}

/** A number with two decimals. */
export function twoDigits(value: number): string {
  return value.toFixed(2)
}

/** A table for a terminal: padded columns, numbers aligned right. */
export function formatTable({ title, heading: names, rows }: Table): string {
  const heading = columnsOf(names)
  const widths = heading.map((_, column) =>
    Math.max(...[heading, ...rows].map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return column === 0 ? cell.padEnd(width) : cell.padStart(width)
      })
      .join('  ')
      .trimEnd()
  return [title, line(heading), ...rows.map(line)].join('\n')
}

/** A table for Markdown. */
export function formatMarkdownTable({ title, heading: names, rows }: Table): string {
  const heading = columnsOf(names)
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`
  const rule = heading.map((_, column) => (column === 0 ? '---' : '---:'))
  return [`**${title}**`, '', line(heading), line(rule), ...rows.map(line)].join('\n')
}
