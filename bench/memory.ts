import { setTimeout as pause } from 'node:timers/promises'
import { startChild } from './children.ts'
import { boundTo } from './cores.ts'
import { CONNECTIONS, type CostParts } from './cost.ts'
import { lastDescendantOf, residentMegabytes } from './processes.ts'
import { portIn } from './server.ts'
import { spreadOf } from './statistics.ts'
import { SUBJECTS } from './subjects.ts'

/** Resident memory after so many requests. */
export interface MemoryReading {
  readonly requests: number
  readonly megabytes: number
}

/** Result of the memory part. */
export interface MemoryResult {
  /** Highest of some readings while idle after the start. */
  readonly afterStartMegabytes: number
  readonly afterStartTarget: number
  readonly isAfterStartMet: boolean
  readonly underLoad: readonly MemoryReading[]
  /** From the first reading under load to the last. */
  readonly growthMegabytes: number
  readonly growthTarget: number
  readonly isGrowthMet: boolean
}

const AFTER_START_TARGET = 120
/** Over three quarters of a million requests; a leak of ten bytes a request would show. */
const GROWTH_TARGET = 5
const STEPS = 4
/** Readings at one point; the middle one counts, since the collector works when it wants. */
const READINGS = 5
const READING_PAUSE_MS = 300
const SETTLE_MS = 1000

async function readMegabytes(pid: number): Promise<readonly number[]> {
  const readings: number[] = []
  for (let reading = 0; reading < READINGS; reading += 1) {
    readings.push(residentMegabytes(pid))
    await pause(READING_PAUSE_MS)
  }
  return readings
}

/** Watches the memory of the process that `npm start` runs. Undefined where the system does not tell (no /proc). */
export async function measureMemory(parts: CostParts): Promise<MemoryResult | undefined> {
  const { workspace, cores, generator, options, progress } = parts
  progress('memory: after the start')
  const npm = ['npm', '--prefix', workspace.root, 'start']
  const child = startChild(boundTo(cores.server, npm), { env: workspace.env, ipc: false })
  try {
    const port = await child.firstLine(portIn)
    const pid = lastDescendantOf(child.pid)
    if (pid === undefined) return undefined
    await pause(SETTLE_MS)
    const afterStartMegabytes = Math.max(...(await readMegabytes(pid)))
    const underLoad: MemoryReading[] = []
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
      underLoad.push({ requests, megabytes: spreadOf(await readMegabytes(pid)).median })
    }
    const growthMegabytes = (underLoad.at(-1)?.megabytes ?? 0) - (underLoad[0]?.megabytes ?? 0)
    return {
      afterStartMegabytes,
      afterStartTarget: AFTER_START_TARGET,
      isAfterStartMet: afterStartMegabytes < AFTER_START_TARGET,
      underLoad,
      growthMegabytes,
      growthTarget: GROWTH_TARGET,
      isGrowthMet: growthMegabytes <= GROWTH_TARGET,
    }
  } finally {
    await child.end()
  }
}
