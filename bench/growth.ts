import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { READ_STATUS } from './cost.ts'
import { appendVersions, publishSummary } from './history-fixture.ts'
import type { BenchContext } from './load.ts'
import { residentMegabytes } from './memory.ts'
import { startService } from './processes.ts'
import { judge, megabytes, milliseconds, whole, type PartReport } from './report.ts'

const FEW = 2
const START_TARGET_MS = 2000
const PUBLISH_TARGET_MS = 2000
const MEMORY_TARGET_MEGABYTES = 30
const PAUSE_TARGET_MS = 20
/** prom-client samples the event loop this often; a reading includes one interval. */
const SAMPLING_MS = 10
const SETTLE_MS = 3000
const WARM_UP_REQUESTS = 20_000

interface Figures {
  readonly startMs: number
  /** Of `svc publish` with one changed file. */
  readonly publishMs: number
  readonly megabytes: number
  /** Longest pause of the event loop while one more version was taken up. */
  readonly pauseMs: number
}

async function measureFolder(
  { workspace, generator }: BenchContext,
  releasesDir: string,
): Promise<Omit<Figures, 'publishMs'>> {
  const beganMs = performance.now()
  const server = await startService(workspace, {
    SVC_RELEASES_DIR: releasesDir,
    SVC_RELOAD_SECONDS: '0',
    SVC_ADMIN_PORT: '0',
  })
  const startMs = performance.now() - beganMs
  const adminPort = await server.firstLine(
    (line) => /"port":(\d+),"msg":"Health and metrics/.exec(line)?.[1],
  )
  // The heap's young generation grows with the first requests of every service, whatever its history.
  await generator.run({ ...READ_STATUS, port: server.port, requests: WARM_UP_REQUESTS })
  await pause(SETTLE_MS)
  const resident = residentMegabytes(server.pid)
  const readMaxMs = async () => {
    const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text()
    return 1000 * Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1])
  }
  appendVersions(workspace.releasesDir, releasesDir, 1)
  await readMaxMs()
  process.kill(server.pid, 'SIGHUP')
  await server.firstLine((line) => (line.includes('"msg":"Serving release') ? true : undefined))
  await pause(SAMPLING_MS * 3)
  const pauseMs = Math.max(0, (await readMaxMs()) - SAMPLING_MS)
  await server.end()
  return { startMs, megabytes: resident, pauseMs }
}

/** The time of `svc publish` for a version that changes the status, in milliseconds. */
async function measurePublishing(
  { workspace }: BenchContext,
  releasesDir: string,
): Promise<number> {
  const contentDir = path.join(workspace.folder, 'content')
  cpSync(path.join(workspace.root, 'content'), contentDir, { recursive: true })
  const beganMs = performance.now()
  await publishSummary(workspace, { contentDir, releasesDir }, 'Changed to measure publishing.')
  return performance.now() - beganMs
}

/** The report from the figures of a short and a long history. */
function growthReport(versions: number, few: Figures, many: Figures): PartReport {
  const growth = many.megabytes - few.megabytes
  const timeRow = (title: string, name: keyof Figures, what: string, atMost: number) => [
    title,
    milliseconds(few[name]),
    milliseconds(many[name]),
    judge(what, many[name], { atMost }, milliseconds),
  ]
  const pauseTitle = 'longest event-loop pause while a version is taken up'
  const memory = { atMost: MEMORY_TARGET_MEGABYTES }
  return {
    tables: [
      {
        title: 'A service with a long history',
        heading: `what|${FEW} versions|${whole(versions)} versions|target|`,
        rows: [
          timeRow('start until it serves', 'startMs', 'start with a long history', START_TARGET_MS),
          timeRow('svc publish', 'publishMs', 'publishing', PUBLISH_TARGET_MS),
          ['resident memory', megabytes(few.megabytes), megabytes(many.megabytes), '', ''],
          [
            'memory of the history',
            '',
            megabytes(growth),
            judge('memory of a long history', growth, memory, megabytes),
          ],
          timeRow(pauseTitle, 'pauseMs', 'pause by a reload', PAUSE_TARGET_MS),
        ],
      },
    ],
  }
}

/** Starts the service on a short and on a long history, and publishes one more version while it runs. */
export async function measureGrowth(context: BenchContext): Promise<PartReport> {
  const { workspace, options, progress } = context
  const measure = async (versions: number): Promise<Figures> => {
    progress(`growth: ${versions} versions`)
    const releasesDir = path.join(workspace.folder, `releases-${versions}`)
    appendVersions(workspace.releasesDir, releasesDir, versions)
    const served = await measureFolder(context, releasesDir)
    const publishMs = await measurePublishing(context, releasesDir)
    rmSync(releasesDir, { recursive: true })
    return { ...served, publishMs }
  }
  // The first start creates secrets and does not count.
  await measure(FEW)
  const few = await measure(FEW)
  return growthReport(options.auditVersions, few, await measure(options.auditVersions))
}
