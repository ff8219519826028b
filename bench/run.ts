import { cpus } from 'node:os'
import { runScript } from '../scripts/script-main.ts'
import { measureCost } from './cost.ts'
import { measureGrowth } from './growth.ts'
import { startLoadGenerator, type BenchContext } from './load.ts'
import { measureMemory } from './memory.ts'
import { measureDatabases } from './databases.ts'
import { FLAGS, HELP, parseOptions, type BenchOptions, type Part } from './options.ts'
import { measurePages } from './pages.ts'
import { measureRegistration } from './registration.ts'
import {
  exitCodeOf,
  factsOf,
  formatTable,
  missedTargets,
  showProgress,
  tablesOf,
  writeResults,
  type BenchReport,
  type PartReport,
} from './report.ts'
import { measureStart } from './start.ts'
import { measureVerification } from './verification.ts'
import { openWorkspace } from './workspace.ts'

const MEASURE: { readonly [Name in Part]: (context: BenchContext) => Promise<PartReport> } = {
  cost: measureCost,
  memory: measureMemory,
  start: measureStart,
  growth: measureGrowth,
  registration: measureRegistration,
  databases: measureDatabases,
  verification: measureVerification,
  pages: measurePages,
}

async function measure(options: BenchOptions): Promise<BenchReport> {
  const workspace = openWorkspace()
  const generator = startLoadGenerator(workspace)
  const context = { workspace, generator, options, progress: showProgress }
  const parts: { [part: string]: PartReport } = {}
  try {
    for (const part of Object.keys(MEASURE) as Part[]) {
      if (options.parts.has(part)) parts[part] = await MEASURE[part](context)
    }
  } finally {
    showProgress('')
    await generator.end()
    workspace.remove()
  }
  const processors = cpus()
  return {
    date: new Date().toISOString().slice(0, 10),
    quick: options.quick,
    machine: {
      processors: `${processors[0]?.model.trim() ?? 'unknown processor'}, ${processors.length} processors`,
      node: process.version,
      nodeOptions: workspace.nodeOptions,
      placement: workspace.cores.note,
    },
    parts,
  }
}

async function measureAndPrint(options: BenchOptions): Promise<number> {
  const report = await measure(options)
  if (options.write) writeResults(report)
  const text = [factsOf(report).join('\n'), ...tablesOf(report).map(formatTable)].join('\n\n')
  process.stdout.write(`${text}\n`)
  for (const missed of missedTargets(report)) process.stderr.write(`not met: ${missed}\n`)
  return exitCodeOf(report)
}

await runScript(import.meta, {
  help: HELP,
  options: FLAGS,
  run: ({ values }) => measureAndPrint(parseOptions(values)),
})
