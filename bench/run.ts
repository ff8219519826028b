import path from 'node:path'
import { styleText } from 'node:util'
import { runScript } from '../scripts/script-main.ts'
import { writeResults } from './benchmarks-document.ts'
import { describeProcessors, findCores } from './cores.ts'
import { measureCost, type CostParts } from './cost.ts'
import { measureExport } from './export.ts'
import { measureKeys } from './keys.ts'
import { startLoadGenerator } from './load.ts'
import { measureMemory } from './memory.ts'
import { FLAGS, HELP, readOptions, type BenchOptions, type Part } from './options.ts'
import { exitCodeOf, factsOf, missedTargets, tablesOf, type BenchReport } from './report.ts'
import { measurePages } from './pages.ts'
import { measureRegistration } from './registration.ts'
import { measureStart } from './start-up.ts'
import { formatTable } from './table.ts'
import { measureVerification } from './verification.ts'
import { openWorkspace } from './workspace.ts'

const DOCUMENT = path.join(path.dirname(import.meta.dirname), 'docs', 'benchmarks.md')

/** One line on a terminal that the next one replaces; nothing where nobody watches. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}

function paint(cell: string): string {
  const colour = { met: 'green', 'not met': 'red' } as const
  if (cell !== 'met' && cell !== 'not met') return cell
  return styleText(colour[cell], cell, { stream: process.stdout })
}

async function measure(options: BenchOptions): Promise<BenchReport> {
  const cores = findCores()
  const workspace = await openWorkspace()
  const generator = startLoadGenerator(cores.generator)
  const parts: CostParts = { workspace, cores, generator, options, progress: showProgress }
  const asked = (part: Part) => options.parts.has(part)
  try {
    return {
      date: options.date,
      quick: options.quick,
      machine: {
        processors: describeProcessors(),
        node: process.version,
        nodeOptions: workspace.nodeOptions,
        placement: cores.note,
      },
      ...(asked('start') ? { start: await measureStart(workspace, showProgress) } : {}),
      ...(asked('cost') ? { cost: await measureCost(parts) } : {}),
      ...(asked('memory') ? { memory: (await measureMemory(parts)) ?? null } : {}),
      ...(asked('registration') ? { registration: await measureRegistration(parts) } : {}),
      ...(asked('export') ? { export: await measureExport(parts) } : {}),
      ...(asked('keys') ? { keys: await measureKeys(parts) } : {}),
      ...(asked('pages') ? { pages: await measurePages(parts) } : {}),
      ...(asked('verification') ? { verification: await measureVerification(parts) } : {}),
    }
  } finally {
    showProgress('')
    await generator.end()
    workspace.remove()
  }
}

/** Gives the exit code. */
async function measureAndTell(options: BenchOptions): Promise<number> {
  const report = await measure(options)
  if (options.write) writeResults(DOCUMENT, report)
  const text = [
    factsOf(report).join('\n'),
    ...tablesOf(report).map((table) => formatTable(table, paint)),
  ].join('\n\n')
  process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : `${text}\n`)
  for (const missed of missedTargets(report)) process.stderr.write(`not met: ${missed}\n`)
  return exitCodeOf(report)
}

await runScript(import.meta, {
  help: HELP,
  options: FLAGS,
  run: ({ values }) => measureAndTell(readOptions(values, new Date())),
})
