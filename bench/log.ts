import { rmSync } from 'node:fs'
import path from 'node:path'
import { formatSnapshotId } from '@public-api/contract/history/version-chain'
import { READ_STATUS } from './cost.ts'
import { measurePause, startWithAdmin } from './growth.ts'
import { appendVersions } from './history-fixture.ts'
import { runLoad } from './load.ts'
import type { BenchOptions } from './options.ts'
import { runSvc, startService } from './processes.ts'
import {
  medianOf,
  milliseconds,
  showProgress,
  targetRow,
  twoDigits,
  whole,
  type Table,
} from './report.ts'
import type { Workspace } from './workspace.ts'

const STARTS = 3
const PROOFS = 500
const START_TARGET = { atMost: 2000 }
const PAUSE_TARGET = { atMost: 20 }
const PAUSE = 'longest event-loop pause while a version is taken up'
const PROOF_TARGET = { atMost: 5 }
const WARM_UP_REQUESTS = 20_000
const fineMilliseconds = (value: number): string => `${twoDigits(value)} ms`

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
  const { server, adminPort } = await startWithAdmin(workspace, releasesDir)
  await runLoad({ ...READ_STATUS, port: server.port, requests: WARM_UP_REQUESTS })
  const durations: number[] = []
  for (let each = 0; each < PROOFS; each += 1) {
    const id = formatSnapshotId(1 + ((each * 7919) % versions))
    const target = `/log/proof/${id}.tlog-proof`
    durations.push(await timeUntilServed(server.port, target, performance.now()))
  }
  const pauseMs = await measurePause(server, adminPort, () =>
    runSvc(workspace, 'rollback', 'VS-0001', '--releases', releasesDir, '--note', 'Measured'),
  )
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
  await runSvc(workspace, 'tlog', 'init', '--releases', releasesDir, ...origin)
  const { readyMs, logMs, cpuMs } = await measureStarts(workspace, releasesDir)
  const { proofMs, pauseMs } = await measureServing(workspace, releasesDir, versions)
  rmSync(releasesDir, { recursive: true })
  return [
    {
      title: `A transparency log of ${whole(versions)} versions`,
      heading: 'what|median|target|',
      rows: [
        targetRow('start until a read is answered', readyMs, START_TARGET, milliseconds),
        targetRow('start until the log is served', logMs, START_TARGET, milliseconds),
        ['processor time of that start', milliseconds(cpuMs), '', ''],
        targetRow(PAUSE, pauseMs, PAUSE_TARGET, milliseconds),
        targetRow('request for an offline proof', proofMs, PROOF_TARGET, fineMilliseconds),
      ],
    },
  ]
}
