import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { READ_STATUS } from './cost.ts'
import type { BenchContext } from './load.ts'
import { startService } from './processes.ts'
import { judge, medianOf, megabytes, whole, type PartReport } from './report.ts'

const IDLE_TARGET_MEGABYTES = 120
/** Over three quarters of a million requests, so that a leak of ten bytes per request shows. */
const GROWTH_TARGET_MEGABYTES = 5
const STEPS = 4
/** Readings at one point; the median counts, since garbage collection is not predictable. */
const READINGS = 5
const READING_PAUSE_MS = 300
const SETTLE_MS = 1000

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
  const judgeMegabytes = (what: string, value: number, atMost: number) =>
    judge(what, value, { atMost }, megabytes)
  return {
    tables: [
      {
        title: 'Resident memory of the service',
        heading: 'when|memory|target|',
        rows: [
          [
            'idle after the start',
            megabytes(idle),
            judgeMegabytes('memory after the start', idle, IDLE_TARGET_MEGABYTES),
          ],
          ...underLoad.map((each) => [
            `after ${whole(each.requests)} requests`,
            megabytes(each.megabytes),
            '',
            '',
          ]),
          [
            'growth under load',
            megabytes(growth),
            judgeMegabytes('growth under load', growth, GROWTH_TARGET_MEGABYTES),
          ],
        ],
      },
    ],
  }
}

/** Measures the memory of the service. Reports a note on systems without /proc. */
export async function measureMemory(context: BenchContext): Promise<PartReport> {
  const { workspace, generator, options, progress } = context
  if (!existsSync('/proc/self/status')) {
    return { tables: [], notes: ['Memory was not measured: no /proc here.'] }
  }
  progress('memory: after the start')
  const server = await startService(workspace)
  await pause(SETTLE_MS)
  const idle = Math.max(...(await readMegabytes(server.pid)))
  const underLoad: { requests: number; megabytes: number }[] = []
  for (let step = 1; step <= STEPS; step += 1) {
    const requests = step * options.memoryStepRequests
    progress(`memory: up to ${requests} requests`)
    const load = { ...READ_STATUS, port: server.port, requests: options.memoryStepRequests }
    await generator.run(load)
    underLoad.push({ requests, megabytes: medianOf(await readMegabytes(server.pid)) })
  }
  await server.end()
  return memoryReport(idle, underLoad)
}
