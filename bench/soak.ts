import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runScript, ScriptUsageError } from '../scripts/script-main.ts'
import { issueKey } from '../src/cli/api-keys/issue-command.ts'
import { withDatabase } from '../src/cli/database.ts'
import { publishSummary } from './history-fixture.ts'
import { startService } from './processes.ts'
import {
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
const MAX_GROWTH_MEGABYTES = 10

/** The latencies below which these shares of the samples are. */
function quantilesOf(samples: readonly Sample[], ...shares: readonly number[]): readonly number[] {
  const sorted = samples.map(({ latencyMs }) => latencyMs).toSorted((a, b) => a - b)
  return shares.map((share) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
}

function failuresOf(samples: readonly Sample[]): readonly Sample[] {
  return samples.filter(({ failure }) => failure !== undefined)
}

/** Growth of the median memory after the first quarter, in which compilation and caches settle. */
function growthOf(windows: readonly SoakWindow[]): number {
  const quarter = Math.floor(windows.length / 4)
  const settled = windows.slice(quarter).map(({ megabytes }) => megabytes)
  const tenth = Math.max(1, Math.floor(settled.length / 10))
  return medianOf(settled.slice(-tenth)) - medianOf(settled.slice(0, tenth))
}

/** Stores an API key, past the pause of the endpoint. Returns the whole key. */
async function storeKey({ folder }: Workspace): Promise<string> {
  const secret = readFileSync(path.join(folder, 'secrets', 'key-hash-secret.txt'), 'utf8').trim()
  const file = path.join(folder, 'data', 'service.sqlite')
  const { key } = await withDatabase({ kind: 'sqlite', file }, 'read-write', ({ apiKeys }) =>
    issueKey(apiKeys, secret, { label: null, ttlDays: 1 }),
  )
  return key
}

/** Runs the traffic and publishes a version every minute. */
async function soak(minutes: number) {
  const workspace = openWorkspace()
  const releasesDir = path.join(workspace.folder, 'releases')
  const contentDir = path.join(workspace.folder, 'content')
  cpSync(workspace.releasesDir, releasesDir, { recursive: true })
  cpSync(path.join(workspace.root, 'content'), contentDir, { recursive: true })
  // It names the version of the own history.
  rmSync(path.join(contentDir, '.published.json'), { force: true })
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
  const elapsedMinutes = () => (performance.now() - startedMs) / 60_000
  let published = 0
  while (elapsedMinutes() < minutes) {
    const first = samples.length
    await sleep(Math.max(5000, (minutes * 60_000) / 180))
    if (elapsedMinutes() >= published + 0.5) {
      published += 1
      const summary = `Soak version ${published}.`
      await publishSummary(workspace, contentDir, releasesDir, summary)
    }
    const window = samples.slice(first)
    const [p50Ms = 0, p99Ms = 0] = quantilesOf(window, 0.5, 0.99)
    const atMinutes = elapsedMinutes()
    const megabytes = service.residentMegabytes()
    const failures = failuresOf(window).length
    windows.push({ atMinutes, megabytes, p50Ms, p99Ms, failures })
    showProgress(
      `${atMinutes.toFixed(1)} of ${minutes} min, ${megabytes.toFixed(0)} MB, ${failuresOf(samples).length} unexpected`,
    )
  }
  stop.abort()
  await traffic
  await service.end()
  return { windows, samples, published, growth: growthOf(windows) }
}

function tablesOf({ samples, windows, published, growth }: Awaited<ReturnType<typeof soak>>) {
  const kinds = Map.groupBy(samples, ({ kind }) => kind)
  const requests: Table = {
    title: 'Requests',
    heading: 'client|requests|median ms|99th of 100 ms|longest ms|unexpected',
    rows: [...kinds].map(([kind, ofKind]) => [
      kind,
      whole(ofKind.length),
      ...quantilesOf(ofKind, 0.5, 0.99, 1).map(twoDigits),
      whole(failuresOf(ofKind).length),
    ]),
  }
  const figures: Table = {
    title: 'The process',
    heading: 'what|value',
    rows: [
      ['versions published meanwhile', whole(published)],
      ['highest resident memory, MB', whole(Math.max(...windows.map((each) => each.megabytes)))],
      ['growth after the first quarter, MB', twoDigits(growth)],
    ],
  }
  return [formatTable(requests), formatTable(figures)]
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
    const tables = tablesOf(result)
    showProgress('')
    if (values.write) {
      writeFileSync(PLOT_FILE, formatSoakPlot(result.windows))
      writeSection('<!-- soak: written by npm run soak -- --write -->', '<!-- end of soak -->', [
        `- ${minutes} minutes of mixed traffic on ${new Date().toISOString().slice(0, 10)}.`,
        '![Memory, latency and unexpected responses over the run](soak.svg)',
        ...tables,
      ])
    }
    process.stdout.write(`${tables.join('\n\n')}\n`)
    const failures = failuresOf(result.samples)
    for (const { kind, failure } of failures.slice(0, 20)) {
      process.stderr.write(`unexpected: ${kind}: ${failure}\n`)
    }
    const hasGrown = result.growth > MAX_GROWTH_MEGABYTES
    if (hasGrown) process.stderr.write(`memory grew by ${twoDigits(result.growth)} MB\n`)
    return failures.length > 0 || hasGrown ? 1 : 0
  },
})
