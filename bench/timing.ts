import { Bench } from 'tinybench'
import type { Format } from './report.ts'

/** Times of one call in milliseconds. */
export interface CallTimes {
  readonly median: number
  readonly p75: number
  readonly p99: number
}

/** Measures calls one after the other, each after a warm-up. Rejects if a call fails. */
export async function timeCalls<Name extends string>(
  calls: { readonly [Each in Name]: () => unknown },
  iterations: number,
): Promise<{ readonly [Each in Name]: CallTimes }> {
  const limits = { iterations, time: 0, warmupIterations: iterations, warmupTime: 0 }
  const bench = new Bench({ ...limits, throws: true })
  for (const [name, call] of Object.entries<() => unknown>(calls)) {
    bench.add(name, async () => {
      await call()
    })
  }
  await bench.run()
  const times = bench.tasks.map(({ name, result }) => {
    if (result.state !== 'completed') throw new Error(`${name}: expected a measurement`)
    const { p50: median, p75, p99 } = result.latency
    return [name, { median, p75, p99 }] as const
  })
  return Object.fromEntries(times) as { readonly [Each in Name]: CallTimes }
}

/** The columns of `timeCells`. */
export const TIME_HEADING = 'median|75th of 100|99th of 100'

export function timeCells({ median, p75, p99 }: CallTimes, format: Format): readonly string[] {
  return [median, p75, p99].map(format)
}
