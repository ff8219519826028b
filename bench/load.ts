import { startChild } from './children.ts'
import { boundTo } from './cores.ts'

/** The placeholder of a body's number, which makes each request different. */
export const NUMBER_PLACEHOLDER = '########'

/** The body of each request. */
export interface NumberedBody {
  /** NUMBER_PLACEHOLDER in it is replaced by the number of the request. */
  readonly text: string
  /** The numbers are `first + (index * step) % count`, zero-padded to the placeholder's length. */
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

function isLoadResult(value: unknown): value is LoadResult {
  return typeof value === 'object' && value !== null && 'completed' in value
}

/** Starts the generator on its processor. */
export function startLoadGenerator(core: number | undefined): LoadGenerator {
  const file = `${import.meta.dirname}/load-generator.ts`
  const child = startChild(boundTo(core, [process.execPath, file]), { ipc: true })
  return {
    async run(load) {
      const result = await child.request(load)
      if (isLoadResult(result)) return result
      throw new Error(`The load on ${load.method} ${load.target} failed: ${JSON.stringify(result)}`)
    },
    end: () => child.end(),
  }
}
