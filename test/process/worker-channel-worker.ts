import cluster from 'node:cluster'
import { createClusterCounters, openCalls } from '../../src/process/worker-channel.ts'
import type { NamedSecret } from '../../src/storage/counters/counters.ts'

/** What a test asks a worker to do; everything else on the channel is not for it. */
export interface Order {
  readonly order: number
  readonly method:
    | 'count'
    | 'spend'
    | 'release'
    | 'secret'
    | 'size'
    | 'busy-spend'
    | 'disconnect-first'
  readonly args: readonly unknown[]
  /** How often at the same time. */
  readonly times: number
}

/** The result: a value for each time, or the error's name and message. */
export interface Report {
  readonly report: number
  readonly outcomes: readonly { readonly value?: unknown; readonly error?: string }[]
}

if (cluster.worker === undefined) throw new Error('This file runs as a worker')
const counters = createClusterCounters(openCalls(cluster.worker, {}), Number(process.argv[2]))

/** A secret as the test sends it over the channel: with its bytes as an array of numbers. */
function parseSecret(sent: unknown): NamedSecret | undefined {
  if (sent === undefined || sent === null) return undefined
  const { name, bytes } = sent as { readonly name: string; readonly bytes: readonly number[] }
  return { name, bytes: Uint8Array.from(bytes) }
}

async function once(order: Order): Promise<unknown> {
  const [first, second, third] = order.args
  switch (order.method) {
    case 'count':
      return counters.count(first as Parameters<typeof counters.count>[0])
    case 'spend':
      return counters.spend(String(first), Number(second), parseSecret(third))
    case 'busy-spend': {
      const spent = counters.spend(String(first), Number(second))
      // Until past the deadline, with the response waiting in the channel.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(third))
      return spent
    }
    case 'release':
      return counters.release(String(first))
    case 'secret': {
      const secret = await counters.secret(String(first), Number(second))
      if (!(secret instanceof Uint8Array)) throw new TypeError('The secret is not a Uint8Array')
      return [...secret]
    }
    case 'size':
      return process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length
    case 'disconnect-first':
      return undefined
  }
}

async function outcomeOf(order: Order): Promise<Report['outcomes'][number]> {
  try {
    return { value: await once(order) }
  } catch (error) {
    return { error: String(error) }
  }
}

process.on('message', (message: unknown) => {
  if (typeof message !== 'object' || message === null || !('order' in message)) return
  const order = message as Order
  void (async () => {
    if (order.method === 'disconnect-first') {
      // The channel closes under a call that waits and before one that starts; what they say goes to the exit code.
      const waits = outcomeOf({ ...order, method: 'spend' })
      cluster.worker?.disconnect()
      const all = [await waits, await outcomeOf({ ...order, method: 'spend' })]
      const areRefused = all.every(({ error }) => error?.startsWith('CountersError: ') === true)
      process.exit(areRefused ? 42 : 1)
    }
    const outcomes = await Promise.all(Array.from({ length: order.times }, () => outcomeOf(order)))
    const report: Report = { report: order.order, outcomes }
    process.send?.(report)
  })()
})
// Noise of another part of the program: the primary must not answer it, and must not stumble over it.
for (const noise of [null, 7, 'text', [], {}, { tag: 'svc.metrics' }, { tag: null }]) {
  process.send?.(noise)
}
process.send?.({ report: 0, outcomes: [] })
