import { freshTarget } from '../../../client/src/fresh-target.ts'
import {
  UnreachableError,
  type Ask,
  type RequestSpec,
  type Received,
} from '../verifying/requests.ts'

/** What the doctor asks with. */
export interface ProbeDependencies {
  readonly origin: string
  readonly ask: Ask
  readonly onResponse?: () => void
}

/** Asks a deployment, sparingly: what was asked once is not asked again unless another copy is wanted. */
export interface Probe {
  readonly origin: string
  /** `copy` tells questions apart that are the same on the wire. */
  ask(spec: RequestSpec, copy?: number): Promise<Received>
  /** The target with a random query parameter, which no cache has a response for. */
  fresh(target: string): string
  /** How many requests were sent. */
  count(): number
}

/** Requests that are under way at a time. */
const CONCURRENCY = 4
/** More than the checks ask for: a mistake in a check must not become a load. */
export const MAX_REQUESTS = 100

/** All responses together, which are kept; those of a sound deployment have a hundredth of it. */
const MAX_BYTES = 100_000_000

/** Makes a probe. */
export function createProbe({ origin, ask, onResponse }: ProbeDependencies): Probe {
  const responses = new Map<string, Promise<Received>>()
  const waiting: (() => void)[] = []
  let underWay = 0
  let count = 0
  let bytes = 0

  async function askInTurn(spec: RequestSpec): Promise<Received> {
    if (count >= MAX_REQUESTS) throw new Error(`The doctor sends ${MAX_REQUESTS} requests at most`)
    count += 1
    if (underWay >= CONCURRENCY) await new Promise<void>((resolve) => waiting.push(resolve))
    else underWay += 1
    try {
      // What is under way comes on top, so the bound holds but for a few responses.
      if (bytes > MAX_BYTES) {
        throw new UnreachableError(`${origin} has sent more than ${MAX_BYTES} bytes so far`)
      }
      const received = await ask(spec)
      bytes += received.body.length
      return received
    } finally {
      onResponse?.()
      // The place goes to the next in line, or is free.
      const next = waiting.shift()
      if (next === undefined) underWay -= 1
      else next()
    }
  }

  return {
    origin,
    ask(spec, copy = 1) {
      // A coding that is not asked for is refused in words: without the header any may be sent (RFC 9110 12.5.3).
      const whole = {
        ...spec,
        headers: { 'Accept-Encoding': 'identity', ...spec.headers },
      }
      const name = JSON.stringify([whole, copy])
      const known = responses.get(name)
      if (known !== undefined) return known
      const asked = askInTurn(whole)
      responses.set(name, asked)
      return asked
    },
    fresh: freshTarget,
    count: () => count,
  }
}
