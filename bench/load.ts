import type { BenchOptions } from './options.ts'
import { startChild, type MeasuredServer } from './processes.ts'
import type { Workspace } from './workspace.ts'

/** Keep-alive connections of the load, enough to keep a server busy. */
export const CONNECTIONS = 16

/** The placeholder of a body's number, which makes each request different. */
export const NUMBER_PLACEHOLDER = '########'

/** A text with a number in its placeholder, zero-padded. */
export function numbered(text: string, number: number): string {
  return text.replace(NUMBER_PLACEHOLDER, String(number).padStart(NUMBER_PLACEHOLDER.length, '0'))
}

/** The body of each request. */
export interface NumberedBody {
  /** NUMBER_PLACEHOLDER in it is replaced by the number of the request. */
  readonly text: string
  /** The numbers are `first + (index * step) % count`. */
  readonly first: number
  readonly count: number
  readonly step: number
}

/** A number of requests that differ only in the number in their body. */
export interface Load {
  readonly port: number
  readonly method: string
  readonly target: string
  /** In addition to Host, User-Agent and Accept. */
  readonly headers: { readonly [name: string]: string }
  readonly expectedStatus: number
  /** Must appear in every response. */
  readonly expectedText?: string
  readonly body?: NumberedBody
  /** Keep-alive connections, each with one request at a time. */
  readonly connections: number
  readonly requests: number
}

/** Result of a load; every response had the expected status. */
export interface LoadResult {
  readonly completed: number
  readonly seconds: number
  /** From the request's first byte sent to the response's last byte received. */
  readonly latencyMs: { readonly median: number; readonly p95: number }
}

/** The process that generates the load. */
export interface LoadGenerator {
  /** Rejects if a response is unexpected. */
  run(load: Load): Promise<LoadResult>
  end(): Promise<void>
}

/** What every part of the benchmark uses. */
export interface BenchContext {
  readonly workspace: Workspace
  readonly generator: LoadGenerator
  readonly options: BenchOptions
  readonly progress: (text: string) => void
}

/** One measurement of one process under load. */
export interface Sample {
  /** CPU time per request, all threads. */
  readonly cpuMicros: number
  /** Requests per second. */
  readonly rate: number
  /** CPU time divided by elapsed time. Well below 1, the load or the machine limited the rate. */
  readonly busy: number
  readonly latencyMs: LoadResult['latencyMs']
}

/** Starts the generator on its processor. */
export function startLoadGenerator({ cores }: Workspace): LoadGenerator {
  const command = [process.execPath, `${import.meta.dirname}/load-generator.ts`]
  const child = startChild(command, { core: cores.generator, ipc: true })
  return {
    async run(load) {
      const result = (await child.request(load)) as LoadResult | { readonly error: string }
      if ('completed' in result) return result
      throw new Error(`The load on ${load.method} ${load.target} failed: ${result.error}`)
    },
    end: () => child.end(),
  }
}

/** Measures a server under a load. */
export async function measureLoad(
  generator: LoadGenerator,
  server: MeasuredServer,
  load: Omit<Load, 'port'>,
): Promise<Sample> {
  const before = await server.cpuMicros()
  const { completed, seconds, latencyMs } = await generator.run({ ...load, port: server.port })
  const used = (await server.cpuMicros()) - before
  const busy = used / 1e6 / seconds
  return { cpuMicros: used / completed, rate: completed / seconds, busy, latencyMs }
}
