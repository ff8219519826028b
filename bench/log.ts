import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { formatSnapshotId } from '@public-api/contract/history/version-chain'
import { READ_STATUS } from './cost.ts'
import { appendVersions } from './history-fixture.ts'
import { runLoad } from './load.ts'
import type { BenchOptions } from './options.ts'
import { startService } from './processes.ts'
import {
  judge,
  medianOf,
  milliseconds,
  showProgress,
  twoDigits,
  whole,
  type Table,
} from './report.ts'
import type { Workspace } from './workspace.ts'

const STARTS = 3
const PROOFS = 500
const START_TARGET = { atMost: 2000 }
const PAUSE_TARGET = { atMost: 20 }
const PROOF_TARGET = { atMost: 5 }
const WARM_UP_REQUESTS = 20_000
const SAMPLING_MS = 10
const SETTLE_MS = 1000
const fineMilliseconds = (value: number): string => `${twoDigits(value)} ms`

function svc({ root, env, folder, place }: Workspace, args: readonly string[]) {
  const command = [process.execPath, path.join(root, 'src', 'cli', 'svc.ts'), ...args]
  const [program = '', ...rest] = place(command, 'any')
  return promisify(execFile)(program, rest, { env, cwd: folder })
}

/** Until a path is served, in milliseconds. */
async function timeUntilServed(port: number, target: string, beganMs: number): Promise<number> {
  const { status } = await fetch(`http://127.0.0.1:${port}${target}`)
  if (status !== 200) throw new Error(`expected status 200 for ${target}, found ${status}`)
  return performance.now() - beganMs
}

async function measureStarts(workspace: Workspace, releasesDir: string) {
  const readyMs: number[] = []
  const logMs: number[] = []
  const cpuMs: number[] = []
  for (let start = 0; start < STARTS; start += 1) {
    const beganMs = performance.now()
    const server = await startService(workspace, { SVC_RELEASES_DIR: releasesDir })
    readyMs.push(await timeUntilServed(server.port, READ_STATUS.target, beganMs))
    logMs.push(await timeUntilServed(server.port, '/log/checkpoint', beganMs))
    cpuMs.push(server.cpuMicros() / 1000)
    await server.end()
  }
  return { readyMs: medianOf(readyMs), logMs: medianOf(logMs), cpuMs: medianOf(cpuMs) }
}

/** The duration of each proof, and the longest pause while a version and its checkpoint are taken up. */
async function measureServing(workspace: Workspace, releasesDir: string, versions: number) {
  const server = await startService(workspace, {
    SVC_RELEASES_DIR: releasesDir,
    SVC_RELEASE_POLL_SECONDS: '0',
    SVC_ADMIN_PORT: '0',
  })
  const adminPort = await server.firstLine(
    (line) => /"port":(\d+),"msg":"Health and metrics/.exec(line)?.[1],
  )
  await runLoad({ ...READ_STATUS, port: server.port, requests: WARM_UP_REQUESTS })
  const durations: number[] = []
  for (let each = 0; each < PROOFS; each += 1) {
    const id = formatSnapshotId(1 + ((each * 7919) % versions))
    const target = `/log/proof/${id}.tlog-proof`
    durations.push(await timeUntilServed(server.port, target, performance.now()))
  }
  const readMaxMs = async () => {
    const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text()
    return 1000 * Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1])
  }
  const note = ['--note', 'Measured']
  await svc(workspace, ['rollback', 'VS-0001', '--releases', releasesDir, ...note])
  await readMaxMs()
  process.kill(server.pid, 'SIGHUP')
  await server.firstLine((line) => (line.includes('"msg":"Serving release') ? true : undefined))
  await pause(SETTLE_MS)
  const pauseMs = Math.max(0, (await readMaxMs()) - SAMPLING_MS)
  await server.end()
  return { proofMs: medianOf(durations.slice(20)), pauseMs }
}

/** Measures a service with a transparency log over a long history. */
export async function measureLog(
  workspace: Workspace,
  { auditVersions: versions }: BenchOptions,
): Promise<readonly Table[]> {
  showProgress(`log: ${versions} versions`)
  const releasesDir = path.join(workspace.folder, 'releases-log')
  appendVersions(workspace.releasesDir, releasesDir, versions)
  // The first start creates the secrets of the service.
  await (await startService(workspace)).end()
  const origin = ['--origin', 'api.example.org/log']
  await svc(workspace, ['tlog', 'init', '--releases', releasesDir, ...origin])
  const { readyMs, logMs, cpuMs } = await measureStarts(workspace, releasesDir)
  const { proofMs, pauseMs } = await measureServing(workspace, releasesDir, versions)
  rmSync(releasesDir, { recursive: true })
  const row = (
    what: string,
    value: number,
    target: { readonly atMost: number },
    format: (value: number) => string = milliseconds,
  ) => [what, format(value), judge(what, value, target, format)]
  return [
    {
      title: `A transparency log of ${whole(versions)} versions`,
      heading: 'what|median|target|',
      rows: [
        row('start until a read is answered', readyMs, START_TARGET),
        row('start until the log is served', logMs, START_TARGET),
        ['processor time of that start', milliseconds(cpuMs), '', ''],
        row('longest event-loop pause while a version is taken up', pauseMs, PAUSE_TARGET),
        row('request for an offline proof', proofMs, PROOF_TARGET, fineMilliseconds),
      ],
    },
  ]
}
