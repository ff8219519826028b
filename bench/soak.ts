import { execFile } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { runScript, ScriptUsageError } from '../scripts/script-main.ts'
import { issueSoakKey } from './soak-key.ts'
import { formatSoakPlot, type SoakWindow } from './soak-plot.ts'
import { runTraffic, type Sample } from './soak-traffic.ts'
import { startChild } from './children.ts'
import { residentMegabytes } from './memory.ts'
import { writeSection } from './report.ts'
import { portIn } from './server.ts'
import { formatMarkdownTable, formatTable, twoDigits, whole, type Table } from './table.ts'
import { openWorkspace, type Workspace } from './workspace.ts'

const HELP = `Usage: npm run soak -- [options]

Runs mixed traffic against the service for a while and watches memory, latency and
unexpected responses: reads, conditional and keyed reads, pages, registrations, bad
requests, readers that take a kilobyte a second, and a published version every minute.

  --minutes <n>   how long, 1 to 1440 (default: 30)
  --write         also write the plot and the tables into docs/
  --help          show this text

Exit code: 0 no unexpected response and no growth, 1 otherwise, 2 wrong usage.
`

const PLOT_FILE = path.join(import.meta.dirname, '..', 'docs', 'soak.svg')
const PUBLISH_EVERY_MS = 60_000
/** Compilation and caches settle in this share of the run; memory is compared after it. */
const SETTLING_SHARE = 0.25
const MAX_GROWTH_MEGABYTES = 10

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0
}

/** Publishes a version whose status text differs from the one before it, with the command that operators use. */
async function publishNext(workspace: Workspace, contentDir: string, count: number): Promise<void> {
  const file = path.join(contentDir, 'status.yaml')
  const text = readFileSync(file, 'utf8').replace(/^( *)summary: .*\n/m, (line, indent: string) =>
    line.includes('>-')
      ? `${indent}summary: >-\n${indent}  Soak version ${count}.\n`
      : `${indent}summary: Soak version ${count}.\n`,
  )
  writeFileSync(file, text)
  const svc = path.join(workspace.root, 'src', 'cli', 'svc.ts')
  await promisify(execFile)(
    process.execPath,
    [svc, 'publish', '--content', contentDir, '--note', `Soak version ${count}`],
    { env: workspace.env, cwd: workspace.folder },
  )
}

interface SoakResult {
  readonly windows: readonly SoakWindow[]
  readonly rows: readonly (readonly string[])[]
  readonly failures: readonly string[]
  readonly published: number
  readonly growthMegabytes: number
}

async function soak(minutes: number): Promise<SoakResult> {
  const workspace = openWorkspace()
  const releasesDir = path.join(workspace.folder, 'releases')
  const contentDir = path.join(workspace.folder, 'content')
  cpSync(path.join(workspace.root, 'releases'), releasesDir, { recursive: true })
  cpSync(path.join(workspace.root, 'content'), contentDir, { recursive: true })
  const env = { ...workspace.env, SVC_RELEASES_DIR: releasesDir, SVC_CHALLENGE: 'test' }
  const service = startChild(workspace.startCommand, { env, ipc: false })
  const windows: SoakWindow[] = []
  const totals = new Map<string, Sample[]>()
  const failures: string[] = []
  let published = 0
  const stop = new AbortController()
  try {
    const port = await service.firstLine(portIn)
    const apiKey = await issueSoakKey(workspace)
    let window: Sample[] = []
    const record = (sample: Sample) => {
      // A connection that ends with the run is not a failure of the service.
      if (stop.signal.aborted) return
      window.push(sample)
      const ofKind = totals.get(sample.kind) ?? []
      totals.set(sample.kind, ofKind)
      ofKind.push(sample)
      if (sample.failure !== undefined) failures.push(`${sample.kind}: ${sample.failure}`)
    }
    const startedMs = performance.now()
    const endMs = startedMs + minutes * 60_000
    const windowMs = Math.max(5000, (minutes * 60_000) / 180)
    const traffic = runTraffic({ port, apiKey, signal: stop.signal, record })
    let publishAtMs = startedMs + PUBLISH_EVERY_MS / 2
    while (performance.now() < endMs) {
      await sleep(windowMs)
      if (performance.now() >= publishAtMs) {
        published += 1
        await publishNext({ ...workspace, env }, contentDir, published)
        publishAtMs += PUBLISH_EVERY_MS
      }
      const latencies = window.map(({ latencyMs }) => latencyMs).toSorted((a, b) => a - b)
      windows.push({
        atMinutes: (performance.now() - startedMs) / 60_000,
        residentMegabytes: residentMegabytes(service.pid),
        p50Ms: quantile(latencies, 0.5),
        p99Ms: quantile(latencies, 0.99),
        failures: window.filter(({ failure }) => failure !== undefined).length,
      })
      window = []
      if (process.stderr.isTTY) {
        const { atMinutes, residentMegabytes: megabytes } = windows.at(-1) as SoakWindow
        process.stderr.write(
          `\r\x1b[K${atMinutes.toFixed(1)} of ${minutes} min, ${megabytes.toFixed(0)} MB, ${failures.length} unexpected`,
        )
      }
    }
    stop.abort()
    await traffic
  } finally {
    await service.end()
    workspace.remove()
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  }
  const rows = [...totals].map(([kind, samples]) => {
    const sorted = samples.map(({ latencyMs }) => latencyMs).toSorted((a, b) => a - b)
    const failed = samples.filter(({ failure }) => failure !== undefined).length
    return [
      kind,
      whole(samples.length),
      ...[0.5, 0.99, 1].map((share) => twoDigits(quantile(sorted, share))),
      whole(failed),
    ]
  })
  return { windows, rows, failures, published, growthMegabytes: growthOf(windows) }
}

/** Median memory of the last tenth of the run against that of the first tenth after it settled. */
function growthOf(windows: readonly SoakWindow[]): number {
  const settled = windows.slice(Math.floor(windows.length * SETTLING_SHARE))
  const tenth = Math.max(1, Math.floor(settled.length / 10))
  const median = (part: readonly SoakWindow[]) =>
    quantile(
      part.map((each) => each.residentMegabytes).toSorted((a, b) => a - b),
      0.5,
    )
  return median(settled.slice(-tenth)) - median(settled.slice(0, tenth))
}

function tablesOf({ rows, windows, published, growthMegabytes }: SoakResult): readonly Table[] {
  const memory = windows.map((each) => each.residentMegabytes)
  return [
    {
      title: 'Requests',
      heading: 'client|requests|median ms|99th of 100 ms|longest ms|unexpected',
      rows,
    },
    {
      title: 'The process',
      heading: 'what|value',
      rows: [
        ['versions published meanwhile', whole(published)],
        ['highest resident memory, MB', whole(Math.max(...memory))],
        ['growth after the first quarter, MB', twoDigits(growthMegabytes)],
      ],
    },
  ]
}

function writeDocument(result: SoakResult, minutes: number): void {
  writeFileSync(PLOT_FILE, formatSoakPlot(result.windows))
  const date = new Date().toISOString().slice(0, 10)
  writeSection('<!-- soak: written by npm run soak -- --write -->', '<!-- end of soak -->', [
    `- ${minutes} minutes of mixed traffic on ${date}.`,
    '![Memory, latency and unexpected responses over the run](soak.svg)',
    ...tablesOf(result).map(formatMarkdownTable),
  ])
}

await runScript(import.meta, {
  help: HELP,
  options: {
    minutes: { type: 'string', default: '30' },
    write: { type: 'boolean', default: false },
  },
  async run({ values }) {
    const minutes = /^\d{1,4}$/.test(values.minutes) ? Number(values.minutes) : 0
    if (minutes < 1 || minutes > 1440) {
      throw new ScriptUsageError('--minutes: expected a whole number from 1 to 1440')
    }
    const result = await soak(minutes)
    if (values.write) writeDocument(result, minutes)
    const { failures, growthMegabytes } = result
    process.stdout.write(`${tablesOf(result).map(formatTable).join('\n\n')}\n`)
    for (const failure of failures.slice(0, 20)) process.stderr.write(`unexpected: ${failure}\n`)
    if (growthMegabytes > MAX_GROWTH_MEGABYTES) {
      process.stderr.write(`memory grew by ${twoDigits(growthMegabytes)} MB\n`)
    }
    return failures.length === 0 && growthMegabytes <= MAX_GROWTH_MEGABYTES ? 0 : 1
  },
})
