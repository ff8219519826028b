import { startChild } from './children.ts'
import { boundTo } from './cores.ts'

/** Stands in the text of a body for the number that tells one request from another. */
export const NUMBER_PLACE = '########'

/** The body of each request. */
export interface NumberedBody {
  /** Has NUMBER_PLACE where the number goes; without it all bodies are alike. */
  readonly text: string
  /** The numbers are `first + (index * step) % count`, each written with as many digits as the place has. */
  readonly first: number
  readonly count: number
  readonly step: number
}

/** A header whose value is another one each time. */
export interface RotatingHeader {
  readonly name: string
  /** Taken in turn, from the first on again behind the last. */
  readonly values: readonly string[]
}

/** A number of requests, equal but for what a body's number or a rotating header changes. */
export interface Load {
  readonly port: number
  readonly method: string
  readonly target: string
  /** Beside Host, User-Agent and Accept. */
  readonly headers: { readonly [name: string]: string }
  readonly rotating?: RotatingHeader
  readonly expectedStatus: number
  /** Must stand in every answer. */
  readonly expectedText?: string
  readonly body?: NumberedBody
  /** Keep-alive connections, each with one request at a time. */
  readonly connections: number
  readonly requests: number
}

/** What came of it; every answer had the expected status. */
export interface LoadResult {
  readonly completed: number
  readonly seconds: number
  /** From the request's first byte sent to the answer's last byte received. */
  readonly latencyMs: {
    readonly median: number
    /** The 95th of a hundred, from the fastest. */
    readonly p95: number
  }
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
