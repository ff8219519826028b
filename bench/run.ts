import { spawnSync } from 'node:child_process'
import { cpus } from 'node:os'
import { runScript } from '../scripts/script-main.ts'
import { measureCost } from './cost.ts'
import { measureGrowth } from './growth.ts'
import { FLAGS, HELP, parseOptions, PARTS, type BenchOptions, type Part } from './options.ts'
import { exitCodeOf, formatTable, missedTargets, showProgress, writeResults } from './report.ts'
import type { BenchReport, Table } from './report.ts'
import { measureVerification } from './verification.ts'
import { openWorkspace, type Workspace } from './workspace.ts'

const MEASURE: {
  readonly [Name in Part]: (
    workspace: Workspace,
    options: BenchOptions,
  ) => Promise<readonly Table[]>
} = {
  cost: measureCost,
  growth: measureGrowth,
  verification: measureVerification,
}

async function measure(options: BenchOptions): Promise<BenchReport> {
  const workspace = openWorkspace()
  const tables: Table[] = []
  // The load comes from this process.
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '0', String(process.pid)])
  for (const part of PARTS) {
    if (!options.parts.has(part)) continue
    tables.push(...(await MEASURE[part](workspace, options)))
  }
  showProgress('')
  const [processor, ...others] = cpus()
  const { quick } = options
  const facts = [
    `Measured on ${new Date().toISOString().slice(0, 10)}${quick ? ' with --quick: rough figures' : ''}.`,
    `Machine: ${processor?.model.trim()}, ${others.length + 1} processors; ${workspace.placement}.`,
    `Node ${process.version}; options of every server: ${workspace.nodeOptions.join(' ')}.`,
  ]
  return { quick, facts, tables }
}

await runScript(import.meta, {
  help: HELP,
  options: FLAGS,
  async run({ values }) {
    const options = parseOptions(values)
    const report = await measure(options)
    if (options.write) writeResults(report)
    const text = [report.facts.join('\n'), ...report.tables.map(formatTable)].join('\n\n')
    process.stdout.write(`${text}\n`)
    for (const missed of missedTargets(report)) process.stderr.write(`not met: ${missed}\n`)
    return exitCodeOf(report)
  },
})
