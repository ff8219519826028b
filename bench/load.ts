import { startChild } from './children.ts'
import { boundTo } from './cores.ts'

/** A number of equal requests. */
export interface Load {
  readonly port: number
  readonly method: string
  readonly target: string
  /** Beside Host, User-Agent and Accept. */
  readonly headers: { readonly [name: string]: string }
  readonly expectedStatus: number
  /** Keep-alive connections, each with one request at a time. */
  readonly connections: number
  readonly requests: number
}

/** What came of it; every answer had the expected status. */
export interface LoadResult {
  readonly completed: number
  readonly seconds: number
}

/** The process that makes the load. */
export interface LoadGenerator {
  /** Rejects when an answer is not the expected one. */
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
      const result = await child.ask(load)
      if (isLoadResult(result)) return result
      throw new Error(`The load on ${load.method} ${load.target} failed: ${JSON.stringify(result)}`)
    },
    end: () => child.end(),
  }
}
