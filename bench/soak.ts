import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runScript, ScriptUsageError } from '../scripts/script-main.ts'
import { withStorage } from '../src/cli/database.ts'
import { issueKey } from '../src/cli/keys/issue-command.ts'
import { publishSummary } from './history-fixture.ts'
import { residentMegabytes } from './memory.ts'
import { startService } from './processes.ts'
import {
  formatMarkdownTable,
  formatTable,
  medianOf,
  showProgress,
  twoDigits,
  whole,
  writeSection,
  type Table,
} from './report.ts'
import { formatSoakPlot, type SoakWindow } from './soak-plot.ts'
import { runTraffic, type Sample } from './soak-traffic.ts'
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

interface SoakResult {
  readonly windows: readonly SoakWindow[]
  readonly samples: readonly Sample[]
  readonly published: number
  readonly growthMegabytes: number
}

/** The latencies below which these shares of the samples are. */
function quantilesOf(samples: readonly Sample[], ...shares: readonly number[]): readonly number[] {
  const sorted = samples.map(({ latencyMs }) => latencyMs).toSorted((a, b) => a - b)
  return shares.map((share) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
}

function failuresOf(samples: readonly Sample[]): readonly Sample[] {
  return samples.filter(({ failure }) => failure !== undefined)
}

/** Median memory of the last tenth of the run against that of the first tenth after it settled. */
function growthOf(windows: readonly SoakWindow[]): number {
  const settled = windows
    .slice(Math.floor(windows.length * SETTLING_SHARE))
    .map(({ residentMegabytes: megabytes }) => megabytes)
  const tenth = Math.max(1, Math.floor(settled.length / 10))
  return medianOf(settled.slice(-tenth)) - medianOf(settled.slice(0, tenth))
}

/** Stores an API key, past the pause of the endpoint. Returns the whole key. */
async function storeKey({ folder }: Workspace): Promise<string> {
  const secret = readFileSync(path.join(folder, 'secrets', 'key-hash-secret.txt'), 'utf8').trim()
  const file = path.join(folder, 'data', 'service.sqlite')
  const wanted = { label: null, ttlDays: 1 }
  const { key } = await withStorage({ kind: 'sqlite', file }, 'read-write', ({ apiKeys }) =>
    issueKey(apiKeys, secret, wanted),
  )
  return key
}

async function soak(workspace: Workspace, minutes: number): Promise<SoakResult> {
  const releasesDir = path.join(workspace.folder, 'releases')
  const contentDir = path.join(workspace.folder, 'content')
  cpSync(workspace.releasesDir, releasesDir, { recursive: true })
  cpSync(path.join(workspace.root, 'content'), contentDir, { recursive: true })
  const service = await startService(workspace, {
    SVC_RELEASES_DIR: releasesDir,
    SVC_CHALLENGE: 'test',
    SVC_TRUSTED_PROXIES: '127.0.0.1',
  })
  const windows: SoakWindow[] = []
  const samples: Sample[] = []
  const stop = new AbortController()
  const traffic = runTraffic({
    port: service.port,
    apiKey: await storeKey(workspace),
    signal: stop.signal,
    record(sample) {
      // A request that ends with the run is not a failure of the service.
      if (!stop.signal.aborted) samples.push(sample)
    },
  })
  const startedMs = performance.now()
  const elapsedMs = () => performance.now() - startedMs
  const windowMs = Math.max(5000, (minutes * 60_000) / 180)
  let published = 0
  while (elapsedMs() < minutes * 60_000) {
    const first = samples.length
    await sleep(windowMs)
    if (elapsedMs() >= (published + 0.5) * PUBLISH_EVERY_MS) {
      published += 1
      await publishSummary(workspace, { contentDir, releasesDir }, `Soak version ${published}.`)
    }
    const window = samples.slice(first)
    const [p50Ms = 0, p99Ms = 0] = quantilesOf(window, 0.5, 0.99)
    const atMinutes = elapsedMs() / 60_000
    const megabytes = residentMegabytes(service.pid)
    const failures = failuresOf(window).length
    windows.push({ atMinutes, residentMegabytes: megabytes, p50Ms, p99Ms, failures })
    showProgress(
      `${atMinutes.toFixed(1)} of ${minutes} min, ${megabytes.toFixed(0)} MB, ${failuresOf(samples).length} unexpected`,
    )
  }
  stop.abort()
  await traffic
  await service.end()
  return { windows, samples, published, growthMegabytes: growthOf(windows) }
}

function tablesOf({ samples, windows, published, growthMegabytes }: SoakResult): readonly Table[] {
  const memory = windows.map(({ residentMegabytes: megabytes }) => megabytes)
  const kinds = Map.groupBy(samples, ({ kind }) => kind)
  return [
    {
      title: 'Requests',
      heading: 'client|requests|median ms|99th of 100 ms|longest ms|unexpected',
      rows: [...kinds].map(([kind, ofKind]) => [
        kind,
        whole(ofKind.length),
        ...quantilesOf(ofKind, 0.5, 0.99, 1).map(twoDigits),
        whole(failuresOf(ofKind).length),
      ]),
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
    const workspace = openWorkspace()
    const result = await soak(workspace, minutes)
    workspace.remove()
    showProgress('')
    if (values.write) writeDocument(result, minutes)
    const { growthMegabytes } = result
    const failures = failuresOf(result.samples)
    process.stdout.write(`${tablesOf(result).map(formatTable).join('\n\n')}\n`)
    for (const { kind, failure } of failures.slice(0, 20)) {
      process.stderr.write(`unexpected: ${kind}: ${failure}\n`)
    }
    if (growthMegabytes > MAX_GROWTH_MEGABYTES) {
      process.stderr.write(`memory grew by ${twoDigits(growthMegabytes)} MB\n`)
    }
    return failures.length === 0 && growthMegabytes <= MAX_GROWTH_MEGABYTES ? 0 : 1
  },
})
