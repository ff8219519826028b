import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { startChild } from './children.ts'
import { boundTo } from './cores.ts'
import { CONNECTIONS, type BenchContext } from './cost.ts'
import { judge, targetCells, type PartReport } from './report.ts'
import { portIn } from './server.ts'
import { spreadOf } from './statistics.ts'
import { SUBJECTS } from './subjects.ts'
import { whole } from './table.ts'

const IDLE_TARGET_MEGABYTES = 120
/** Over three quarters of a million requests, so that a leak of ten bytes per request shows. */
const GROWTH_TARGET_MEGABYTES = 5
const STEPS = 4
/** Readings at one point; the median counts, since garbage collection is not predictable. */
const READINGS = 5
const READING_PAUSE_MS = 300
const SETTLE_MS = 1000

const megabytes = (value: number) => `${value.toFixed(1)} MB`

/** Resident memory of a process in megabytes (10⁶ bytes). */
export function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / 1e6
}

async function readMegabytes(pid: number): Promise<readonly number[]> {
  const readings: number[] = []
  for (let reading = 0; reading < READINGS; reading += 1) {
    readings.push(residentMegabytes(pid))
    await pause(READING_PAUSE_MS)
  }
  return readings
}

/** The report from the idle reading and one reading per step under load. */
export function memoryReport(
  idle: number,
  underLoad: readonly { readonly requests: number; readonly megabytes: number }[],
): PartReport {
  const growth = (underLoad.at(-1)?.megabytes ?? 0) - (underLoad[0]?.megabytes ?? 0)
  const targets = [
    judge('memory after the start', idle, { atMost: IDLE_TARGET_MEGABYTES }, megabytes),
    judge('growth under load', growth, { atMost: GROWTH_TARGET_MEGABYTES }, megabytes),
  ] as const
  return {
    tables: [
      {
        title: 'Resident memory of the service',
        heading: 'when|memory|target|',
        rows: [
          ['idle after the start', megabytes(idle), ...targetCells(targets[0])],
          ...underLoad.map(({ requests, megabytes: value }) => [
            `after ${whole(requests)} requests`,
            megabytes(value),
            '',
            '',
          ]),
          ['growth under load', megabytes(growth), ...targetCells(targets[1])],
        ],
      },
    ],
    targets,
  }
}

/** Measures the memory of the service. Reports a note on systems without /proc. */
export async function measureMemory(context: BenchContext): Promise<PartReport> {
  const { workspace, cores, generator, options, progress } = context
  progress('memory: after the start')
  const command = boundTo(cores.server, workspace.startCommand)
  const child = startChild(command, { env: workspace.env, ipc: false })
  try {
    const port = await child.firstLine(portIn)
    if (!existsSync('/proc/self/status')) {
      return { tables: [], targets: [], notes: ['Memory was not measured: no /proc here.'] }
    }
    await pause(SETTLE_MS)
    const idle = Math.max(...(await readMegabytes(child.pid)))
    const underLoad: { requests: number; megabytes: number }[] = []
    for (let step = 1; step <= STEPS; step += 1) {
      const requests = step * options.memoryStepRequests
      progress(`memory: up to ${requests} requests`)
      await generator.run({
        port,
        method: 'GET',
        target: SUBJECTS[0].target,
        headers: {},
        expectedStatus: 200,
        connections: CONNECTIONS,
        requests: options.memoryStepRequests,
      })
      underLoad.push({ requests, megabytes: spreadOf(await readMegabytes(child.pid)).median })
    }
    return memoryReport(idle, underLoad)
  } finally {
    await child.end()
  }
}
