import type { Spread } from './statistics.ts'

/** A table: a heading and rows of cells. Every column but the first is a number or a verdict. */
export interface Table {
  readonly title: string
  readonly heading: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** A whole number with its thousands set apart. */
export function whole(value: number): string {
  return NUMBER.format(value)
}

/** The lowest and the highest. */
export function range(spread: Spread, format: (value: number) => string): string {
  return `${format(spread.lowest)} to ${format(spread.highest)}`
}

/** How a target fared. */
export function verdict(isMet: boolean): string {
  return isMet ? 'met' : 'not met'
}

/** A table for a terminal: columns padded, numbers to the right. */
export function formatTable(
  { title, heading, rows }: Table,
  paint: (cell: string) => string,
): string {
  const widths = heading.map((_, column) =>
    Math.max(...[heading, ...rows].map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0
        const padded = column === 0 ? cell.padEnd(width) : cell.padStart(width)
        return padded.replace(cell, () => paint(cell))
      })
      .join('  ')
      .trimEnd()
  return [title, line(heading), ...rows.map(line)].join('\n')
}

/** A table for Markdown. */
export function formatMarkdownTable({ title, heading, rows }: Table): string {
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`
  const rule = heading.map((_, column) => (column === 0 ? '---' : '---:'))
  return [`**${title}**`, '', line(heading), line(rule), ...rows.map(line)].join('\n')
}
