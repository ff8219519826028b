import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { parseNtpServer } from '../../../src/service/time/ntp-server.ts'
import type { SntpQuery, SntpSample } from '../../../src/service/time/sntp.ts'
import { openTimeQuality } from '../../../src/service/time/time-quality.ts'
import type { TimeQualityMonitor } from '../../../src/service/time/time-quality.ts'

/** Where the wall clock of a rig stands at first. */
export const START_MS = Date.UTC(2026, 4, 17, 12, 0, 0)
export const SOURCE = 'time.example:1123'

export interface TimeQualityRig {
  readonly monitor: TimeQualityMonitor
  /** The pauses before each scheduled measurement, cancelled ones included. */
  readonly pauses: readonly number[]
  readonly measurements: readonly SntpQuery[]
  readonly logged: readonly unknown[]
  /** Both clocks go on, and nothing else happens. */
  readonly pass: (elapsedMs: number) => void
  /** The wall clock alone steps. */
  readonly step: (byMs: number) => void
  /** Ends the measurement under way. */
  readonly response: (result: Partial<SntpSample> | Error) => Promise<void>
  /** Lets the clocks run to the scheduled measurement and starts it. */
  readonly runNext: () => Promise<void>
}

/** The monitor on clocks, timers and measurements that a test moves by hand. */
export function timeQualityRig(
  t: TestContext,
  { random = 0 }: { random?: number } = {},
): TimeQualityRig {
  let wallMs = START_MS
  let monotonicMs = 777
  const pauses: number[] = []
  const timers: { readonly dueMs: number; readonly run: () => void; isCancelled: boolean }[] = []
  const measurements: SntpQuery[] = []
  const logged: unknown[] = []
  let underWay = Promise.withResolvers<SntpSample>()
  const monitor = openTimeQuality({
    server: parseNtpServer(SOURCE),
    nowMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    random: () => random,
    measure: (measurement) => {
      measurements.push(measurement)
      underWay = Promise.withResolvers<SntpSample>()
      return underWay.promise
    },
    schedule: (run, delayMs) => {
      pauses.push(delayMs)
      const timer = { dueMs: monotonicMs + delayMs, run, isCancelled: false }
      timers.push(timer)
      return () => {
        timer.isCancelled = true
      }
    },
    onMeasured: (quality) => logged.push(quality),
    onFailure: (error) => logged.push(error),
  })
  t.after(() => monitor.close())
  const pass = (elapsedMs: number): void => {
    wallMs += elapsedMs
    monotonicMs += elapsedMs
  }
  return {
    monitor,
    pauses,
    measurements,
    logged,
    pass,
    step: (byMs) => {
      wallMs += byMs
    },
    response: async (result) => {
      if (result instanceof Error) underWay.reject(result)
      else underWay.resolve(sample({ referenceMs: wallMs, atMonotonicMs: monotonicMs, ...result }))
      await setImmediate()
    },
    runNext: async () => {
      const due = timers.splice(0).filter((timer) => !timer.isCancelled)
      const [next] = due
      assert.equal(due.length, 1, 'exactly one measurement is scheduled')
      assert.ok(next)
      pass(Math.max(0, next.dueMs - monotonicMs))
      next.run()
      await setImmediate()
    },
  }
}

function sample(fields: Partial<SntpSample>): SntpSample {
  return {
    referenceMs: START_MS,
    atMonotonicMs: 0,
    errorMs: 10,
    ...fields,
  }
}
