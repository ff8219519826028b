import { readFileSync, writeFileSync } from 'node:fs'
import { factsOf, tablesOf, type BenchReport } from './report.ts'
import { formatMarkdownTable, type Table } from './table.ts'

/** A part of the document that a command writes: the lines that it stands between. */
interface Section {
  readonly begin: string
  readonly end: string
}

const RESULTS_SECTION: Section = {
  begin: '<!-- results: written by npm run bench -- --write -->',
  end: '<!-- end of results -->',
}

/** What Lighthouse says of the pages. */
export const LIGHTHOUSE_SECTION: Section = {
  begin: '<!-- lighthouse: written by npx node bench/lighthouse.ts --write -->',
  end: '<!-- end of lighthouse -->',
}

/** Writes facts and tables into a section of the document. Throws when its lines are not there. */
export function writeSection(
  file: string,
  section: Section,
  facts: readonly string[],
  tables: readonly Table[],
): void {
  const document = readFileSync(file, 'utf8')
  const begin = document.indexOf(section.begin)
  const end = document.indexOf(section.end)
  if (begin === -1 || end < begin) {
    throw new Error(
      `docs/benchmarks.md: expected the lines "${section.begin}" and "${section.end}"`,
    )
  }
  const list = facts.map((fact) => `- ${fact}`).join('\n')
  const results = [list, ...tables.map(formatMarkdownTable)].join('\n\n')
  const before = document.slice(0, begin + section.begin.length)
  writeFileSync(file, `${before}\n\n${results}\n\n${document.slice(end)}`)
}

/** Writes the results of a run of the benchmark into the document. */
export function writeResults(file: string, report: BenchReport): void {
  writeSection(file, RESULTS_SECTION, factsOf(report), tablesOf(report))
}
