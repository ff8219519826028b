import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { canonicalJson, type JsonValue } from '../src/contract/canonical-json.ts'
import type { VersionEntry } from '../src/contract/version-chain.ts'
import { changesBetween } from '../src/contract/version-changes.ts'
import { sha256Base64url } from '../src/crypto/sha256.ts'
import { openReleaseStore } from '../src/storage/release-store.ts'
import { chainedEntry } from '../test/support/made-entry.ts'
import { startChild } from './children.ts'
import { CONNECTIONS, type BenchContext } from './cost.ts'
import { residentMegabytes } from './memory.ts'
import { judge, targetCells, type PartReport } from './report.ts'
import { portIn } from './server.ts'
import { SUBJECTS } from './subjects.ts'
import { whole } from './table.ts'

const ROOT_DIR = path.join(import.meta.dirname, '..')
const FEW = 2
const START_TARGET_MS = 2000
const PUBLISH_TARGET_MS = 2000
const MEMORY_TARGET_MEGABYTES = 30
const PAUSE_TARGET_MS = 20
/** prom-client samples the event loop this often; a reading includes one interval. */
const SAMPLING_MS = 10
const SETTLE_MS = 3000
const WARM_UP_REQUESTS = 20_000

const milliseconds = (value: number) => `${value.toFixed(0)} ms`
const megabytes = (value: number) => `${value.toFixed(1)} MB`

/** Appends versions that each change the status. */
function appendVersions(releasesDir: string, from: string, count: number): void {
  const store = openReleaseStore(releasesDir)
  const template = openReleaseStore(from)
  const newestId = template.readVersionIds().at(-1) ?? ''
  const base = JSON.parse(template.readVersionText(newestId)) as VersionEntry
  const status = JSON.parse(
    template.readResourceText('status', base.resources['status'] ?? ''),
  ) as { readonly [name: string]: JsonValue }
  const lastId = store.readVersionIds().at(-1)
  let previous =
    lastId === undefined ? undefined : (JSON.parse(store.readVersionText(lastId)) as VersionEntry)
  if (previous === undefined) {
    for (const [name, digest] of Object.entries(base.resources)) {
      store.writeResource(name, digest, template.readResourceText(name, digest))
    }
  }
  for (let each = 0; each < count; each += 1) {
    const text = canonicalJson({ ...status, sequence: (previous?.sequence ?? 0) + 1 })
    const digest = sha256Base64url(text)
    const resources = { ...base.resources, status: digest }
    store.writeResource('status', digest, text)
    const changes = changesBetween(previous?.resources ?? {}, resources)
    previous = chainedEntry(previous, { ...base, resources, changes })
    store.appendVersion(previous.snapshotId, canonicalJson({ ...previous }))
  }
}

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
  const env = {
    ...workspace.env,
    SVC_RELEASES_DIR: releasesDir,
    SVC_RELOAD_SECONDS: '0',
    SVC_ADMIN_PORT: '0',
  }
  const beganMs = performance.now()
  const child = startChild(workspace.startCommand, { env, ipc: false })
  try {
    const servingPort = await child.firstLine(portIn)
    const startMs = performance.now() - beganMs
    const port = await child.firstLine(
      (line) => /"port":(\d+),"msg":"Health and metrics/.exec(line)?.[1],
    )
    // The heap's young generation grows with the first requests of every service, whatever its history.
    await generator.run({
      port: servingPort,
      method: 'GET',
      target: SUBJECTS[0].target,
      headers: {},
      expectedStatus: 200,
      connections: CONNECTIONS,
      requests: WARM_UP_REQUESTS,
    })
    await pause(SETTLE_MS)
    const resident = residentMegabytes(child.pid)
    const readMaxMs = async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      return 1000 * Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1])
    }
    appendVersions(releasesDir, workspace.env['SVC_RELEASES_DIR'] ?? '', 1)
    await readMaxMs()
    process.kill(child.pid, 'SIGHUP')
    await child.firstLine((line) => (line.includes('"msg":"Serving release') ? true : undefined))
    await pause(SAMPLING_MS * 3)
    const pauseMs = Math.max(0, (await readMaxMs()) - SAMPLING_MS)
    return { startMs, megabytes: resident, pauseMs }
  } finally {
    await child.end()
  }
}

/** The time of `svc publish` for a version that changes the status, in milliseconds. */
function measurePublishing({ workspace }: BenchContext, releasesDir: string): number {
  const contentDir = path.join(workspace.folder, 'content')
  cpSync(path.join(ROOT_DIR, 'content'), contentDir, { recursive: true })
  const file = path.join(contentDir, 'status.yaml')
  const text = readFileSync(file, 'utf8')
  const changed = text.replace(/^summary: .*$/m, 'summary: Changed to measure publishing.')
  if (changed === text) throw new Error(`expected a line "summary: …" in ${file}`)
  writeFileSync(file, changed)
  const beganMs = performance.now()
  const args = ['--content', contentDir, '--releases', releasesDir, '--note', 'Measured']
  execFileSync(process.execPath, [path.join(ROOT_DIR, 'src/cli/svc.ts'), 'publish', ...args])
  rmSync(contentDir, { recursive: true })
  return performance.now() - beganMs
}

/** The report from the figures of a short and a long history. */
function growthReport(versions: number, few: Figures, many: Figures): PartReport {
  const growth = many.megabytes - few.megabytes
  const targets = [
    judge('start with a long history', many.startMs, { atMost: START_TARGET_MS }, milliseconds),
    judge('publishing', many.publishMs, { atMost: PUBLISH_TARGET_MS }, milliseconds),
    judge('memory of a long history', growth, { atMost: MEMORY_TARGET_MEGABYTES }, megabytes),
    judge('pause by a reload', many.pauseMs, { atMost: PAUSE_TARGET_MS }, milliseconds),
  ] as const
  const row = (what: string, name: keyof Figures, format: (value: number) => string) => [
    what,
    format(few[name]),
    format(many[name]),
  ]
  return {
    tables: [
      {
        title: 'A service with a long history',
        heading: `what|${FEW} versions|${whole(versions)} versions|target|`,
        rows: [
          [...row('start until it serves', 'startMs', milliseconds), ...targetCells(targets[0])],
          [...row('svc publish', 'publishMs', milliseconds), ...targetCells(targets[1])],
          [...row('resident memory', 'megabytes', megabytes), '', ''],
          ['memory of the history', '', megabytes(growth), ...targetCells(targets[2])],
          [
            ...row('longest event-loop pause while a version is taken up', 'pauseMs', milliseconds),
            ...targetCells(targets[3]),
          ],
        ],
      },
    ],
    targets,
  }
}

/** Starts the service on a short and on a long history, and publishes one more version while it runs. */
export async function measureGrowth(context: BenchContext): Promise<PartReport> {
  const { workspace, options, progress } = context
  const versions = options.auditVersions
  const figures: Figures[] = []
  for (const count of [FEW, versions]) {
    progress(`growth: ${count} versions`)
    const releasesDir = path.join(workspace.folder, `releases-${count}`)
    mkdirSync(releasesDir)
    appendVersions(releasesDir, workspace.env['SVC_RELEASES_DIR'] ?? '', count)
    // The first start creates secrets and does not count.
    if (figures.length === 0) await measureFolder(context, releasesDir)
    const served = await measureFolder(context, releasesDir)
    figures.push({ ...served, publishMs: measurePublishing(context, releasesDir) })
    rmSync(releasesDir, { recursive: true })
  }
  const [few, many] = figures
  if (few === undefined || many === undefined) throw new Error('expected two measurements')
  return growthReport(versions, few, many)
}
