import { rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { READ_STATUS } from './cost.ts'
import { appendVersions, copyContent, publishSummary } from './history-fixture.ts'
import { runLoad } from './load.ts'
import type { BenchOptions } from './options.ts'
import { startService, type Server } from './processes.ts'
import { judge, megabytes, milliseconds, showProgress, whole, type Table } from './report.ts'
import type { Workspace } from './workspace.ts'

const FEW = 2
/** prom-client samples the event loop this often; a reading includes one interval. */
const SAMPLING_MS = 10
const SETTLE_MS = 3000
const WARM_UP_REQUESTS = 20_000

/** The rows of the report, each with a bound for the long history. */
const ROWS = [
  ['startMs', 'start until it serves', 2000],
  ['publishMs', 'svc publish with one changed file', 2000],
  ['pauseMs', 'longest event-loop pause while a version is taken up', 20],
] as const
const MEMORY_TARGET = { atMost: 30 }

type Figures = { readonly [Name in (typeof ROWS)[number][0] | 'megabytes']: number }

/** The longest pause of the event loop while a version that `publish` makes is loaded, in milliseconds. */
export async function measurePause(
  server: Server,
  adminPort: string,
  publish: () => unknown,
): Promise<number> {
  const readMaxMs = async () => {
    const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text()
    return 1000 * Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1])
  }
  await publish()
  await readMaxMs()
  process.kill(server.pid, 'SIGHUP')
  await server.firstLine((line) => (line.includes('"msg":"Serving release') ? true : undefined))
  await pause(SETTLE_MS)
  return Math.max(0, (await readMaxMs()) - SAMPLING_MS)
}

/** Starts the service on a folder of releases, with its admin port. */
export async function startWithAdmin(workspace: Workspace, releasesDir: string) {
  const server = await startService(workspace, {
    SVC_RELEASES_DIR: releasesDir,
    SVC_RELEASE_POLL_SECONDS: '0',
    SVC_ADMIN_PORT: '0',
  })
  const findPort = (line: string) => /"port":(\d+),"msg":"Health and metrics/.exec(line)?.[1]
  return { server, adminPort: await server.firstLine(findPort) }
}

/** Starts the service on a history of this length, and publishes one more version while it runs. */
async function measureHistory(workspace: Workspace, versions: number): Promise<Figures> {
  showProgress(`growth: ${versions} versions`)
  const releasesDir = path.join(workspace.folder, `releases-${versions}`)
  appendVersions(workspace.releasesDir, releasesDir, versions)
  const startedMs = performance.now()
  const { server, adminPort } = await startWithAdmin(workspace, releasesDir)
  const startMs = performance.now() - startedMs
  // The heap's young generation grows with the first requests of every service, whatever its history.
  await runLoad({ ...READ_STATUS, port: server.port, requests: WARM_UP_REQUESTS })
  await pause(SETTLE_MS)
  const resident = server.residentMegabytes()
  const pauseMs = await measurePause(server, adminPort, () =>
    appendVersions(workspace.releasesDir, releasesDir, 1),
  )
  await server.end()
  const contentDir = copyContent(workspace)
  const beganMs = performance.now()
  await publishSummary(workspace, contentDir, releasesDir, 'Changed to measure publishing.')
  const publishMs = performance.now() - beganMs
  rmSync(releasesDir, { recursive: true })
  return { startMs, megabytes: resident, pauseMs, publishMs }
}

/** Compares a short history with a long one. */
export async function measureGrowth(
  workspace: Workspace,
  { auditVersions }: BenchOptions,
): Promise<readonly Table[]> {
  // The first start creates secrets and does not count.
  await measureHistory(workspace, FEW)
  const few = await measureHistory(workspace, FEW)
  const many = await measureHistory(workspace, auditVersions)
  const growth = many.megabytes - few.megabytes
  const rows = ROWS.map(([name, title, atMost]) => [
    title,
    milliseconds(few[name]),
    milliseconds(many[name]),
    judge(`${title}, with a long history`, many[name], { atMost }, milliseconds),
  ])
  return [
    {
      title: 'A service with a long history',
      heading: `what|${FEW} versions|${whole(auditVersions)} versions|target|`,
      rows: [
        ...rows,
        ['resident memory', megabytes(few.megabytes), megabytes(many.megabytes), '', ''],
        [
          'memory of the history',
          '',
          megabytes(growth),
          judge('memory of a long history', growth, MEMORY_TARGET, megabytes),
        ],
      ],
    },
  ]
}
