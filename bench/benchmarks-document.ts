import { readFileSync, writeFileSync } from 'node:fs'
import { factsOf, tablesOf, type BenchReport } from './report.ts'
import { formatMarkdownTable } from './table.ts'

const BEGIN = '<!-- results: written by npm run bench -- --write -->'
const END = '<!-- end of results -->'

/** The document with the results of a report between its markers. Throws when the markers are not there. */
function withResults(document: string, report: BenchReport): string {
  const begin = document.indexOf(BEGIN)
  const end = document.indexOf(END)
  if (begin === -1 || end < begin) {
    throw new Error(`docs/benchmarks.md: expected the lines "${BEGIN}" and "${END}"`)
  }
  const facts = factsOf(report).map((fact) => `- ${fact}`)
  const results = [facts.join('\n'), ...tablesOf(report).map(formatMarkdownTable)].join('\n\n')
  return `${document.slice(0, begin + BEGIN.length)}\n\n${results}\n\n${document.slice(end)}`
}

/** Writes the results into the document. */
export function writeResults(file: string, report: BenchReport): void {
  writeFileSync(file, withResults(readFileSync(file, 'utf8'), report))
}
