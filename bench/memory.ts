import { setTimeout as pause } from 'node:timers/promises'
import { READ_STATUS } from './cost.ts'
import { runLoad } from './load.ts'
import type { BenchOptions } from './options.ts'
import { startService, type Server } from './processes.ts'
import { judge, medianOf, megabytes, showProgress, whole, type Table } from './report.ts'
import type { Workspace } from './workspace.ts'

const IDLE_TARGET = { atMost: 120 }
/** Over three quarters of a million requests, so that a leak of ten bytes per request shows. */
const GROWTH_TARGET = { atMost: 5 }
const STEPS = 4
/** Readings at one point; the median counts, since garbage collection is not predictable. */
const READINGS = 5
const READING_PAUSE_MS = 300
const SETTLE_MS = 1000

async function readMegabytes(server: Server): Promise<readonly number[]> {
  const readings: number[] = []
  for (let reading = 0; reading < READINGS; reading += 1) {
    readings.push(server.residentMegabytes())
    await pause(READING_PAUSE_MS)
  }
  return readings
}

/** The report from the idle reading and one reading per step under load. */
export function memoryTables(
  idle: number,
  underLoad: readonly { readonly requests: number; readonly megabytes: number }[],
): readonly Table[] {
  const growth = (underLoad.at(-1)?.megabytes ?? 0) - (underLoad[0]?.megabytes ?? 0)
  const judged = (title: string, value: number, target: typeof IDLE_TARGET) => [
    title,
    megabytes(value),
    judge(`memory, ${title}`, value, target, megabytes),
  ]
  return [
    {
      title: 'Resident memory of the service',
      heading: 'when|memory|target|',
      rows: [
        judged('idle after the start', idle, IDLE_TARGET),
        ...underLoad.map((each) => [
          `after ${whole(each.requests)} requests`,
          megabytes(each.megabytes),
          '',
          '',
        ]),
        judged('growth under load', growth, GROWTH_TARGET),
      ],
    },
  ]
}

/** Measures the memory of the service. */
export async function measureMemory(
  workspace: Workspace,
  { memoryStepRequests }: BenchOptions,
): Promise<readonly Table[]> {
  showProgress('memory: after the start')
  const server = await startService(workspace)
  await pause(SETTLE_MS)
  const idle = Math.max(...(await readMegabytes(server)))
  const underLoad: { requests: number; megabytes: number }[] = []
  for (let step = 1; step <= STEPS; step += 1) {
    const requests = step * memoryStepRequests
    showProgress(`memory: up to ${requests} requests`)
    await runLoad({ ...READ_STATUS, port: server.port, requests: memoryStepRequests })
    underLoad.push({ requests, megabytes: medianOf(await readMegabytes(server)) })
  }
  await server.end()
  return memoryTables(idle, underLoad)
}
