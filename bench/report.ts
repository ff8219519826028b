import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { formatMarkdownTable, type Table } from './table.ts'

/** A bound that was checked. The texts carry their units. */
export interface Target {
  readonly what: string
  readonly found: string
  readonly expected: string
  readonly isMet: boolean
}

/** A target for a value that must not exceed a bound, or must reach it. The bound itself is allowed. */
export function judge(
  what: string,
  value: number,
  bound: { readonly atMost: number } | { readonly atLeast: number },
  format: (value: number) => string,
): Target {
  const [word, limit] = 'atMost' in bound ? ['at most', bound.atMost] : ['at least', bound.atLeast]
  const isMet = 'atMost' in bound ? value <= limit : value >= limit
  return { what, found: format(value), expected: `${word} ${format(limit)}`, isMet }
}

/** Two cells: the bound and the verdict. */
export function targetCells({ expected, isMet }: Target): readonly string[] {
  return [expected, isMet ? 'met' : 'not met']
}

/** Result of one part of the benchmark. */
export interface PartReport {
  readonly tables: readonly Table[]
  readonly targets: readonly Target[]
  /** Limitations of the run's figures, one sentence each. */
  readonly notes?: readonly string[]
}

/** Result of one run. A part that was not selected is missing. */
export interface BenchReport {
  readonly date: string
  readonly quick: boolean
  readonly machine: {
    readonly processors: string
    readonly node: string
    readonly nodeOptions: readonly string[]
    readonly placement: string
  }
  readonly parts: { readonly [part: string]: PartReport }
}

/** The tables of all parts. */
export function tablesOf({ parts }: BenchReport): readonly Table[] {
  return Object.values(parts).flatMap(({ tables }) => tables)
}

/** One line for each missed target. */
export function missedTargets({ parts }: BenchReport): readonly string[] {
  return Object.values(parts)
    .flatMap(({ targets }) => targets)
    .filter(({ isMet }) => !isMet)
    .map(({ what, found, expected }) => `${what}: found ${found}, expected ${expected}`)
}

/** Exit code of a run: 1 if a target is missed. A quick run measures too little to fail. */
export function exitCodeOf(report: BenchReport): 0 | 1 {
  return !report.quick && missedTargets(report).length > 0 ? 1 : 0
}

/** Where and when the run was made, one sentence each. */
export function factsOf({ date, quick, machine, parts }: BenchReport): readonly string[] {
  const options = machine.nodeOptions.length === 0 ? 'none' : machine.nodeOptions.join(' ')
  return [
    `Measured on ${date}${quick ? ' with --quick: rough figures' : ''}.`,
    `Machine: ${machine.processors}; ${machine.placement}.`,
    `Node ${machine.node}; options of every server: ${options}.`,
    ...Object.values(parts).flatMap(({ notes = [] }) => notes),
  ]
}

const DOCUMENT = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url))

/** Replaces the paragraphs between two lines of docs/benchmarks.md. Throws if a line is missing. */
export function writeSection(begin: string, end: string, paragraphs: readonly string[]): void {
  const [before, rest] = readFileSync(DOCUMENT, 'utf8').split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) {
    throw new Error(`docs/benchmarks.md: expected the lines "${begin}" and "${end}"`)
  }
  writeFileSync(DOCUMENT, `${before}${[begin, ...paragraphs, end].join('\n\n')}${after}`)
}

/** Replaces the results section of the document. Throws if its markers are missing. */
export function writeResults(report: BenchReport): void {
  const facts = factsOf(report).map((fact) => `- ${fact}`)
  writeSection('<!-- results: written by npm run bench -- --write -->', '<!-- end of results -->', [
    facts.join('\n'),
    ...tablesOf(report).map(formatMarkdownTable),
  ])
}
