import { freshTarget } from '@public-api/client-internal/fresh-target'
import {
  UnreachableError,
  type Ask,
  type RequestSpec,
  type Received,
} from '../verifying/requests.ts'

/** How the doctor sends requests. */
export interface ProbeDependencies {
  readonly origin: string
  readonly ask: Ask
  readonly onResponse?: () => void
}

/** Sends each request once, unless another copy is requested. */
export interface Probe {
  readonly origin: string
  /** `copy` distinguishes requests that are equal on the wire. */
  ask(spec: RequestSpec, copy?: number): Promise<Received>
  /** The target with a random query parameter, so that no cache has a response. */
  fresh(target: string): string
  /** How many requests were sent. */
  count(): number
}

/** Maximum number of concurrent requests. */
const CONCURRENCY = 4
/** More than the checks need. Limits the load that a defect in a check can cause. */
export const MAX_REQUESTS = 100

/** Maximum size of all stored responses, thirty times that of a healthy deployment. */
const MAX_BYTES = 30_000_000

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
      // Pending responses come on top, so the limit can be exceeded by a few responses.
      if (bytes > MAX_BYTES) {
        throw new UnreachableError(`${origin} has sent more than ${MAX_BYTES} bytes so far`)
      }
      const received = await ask(spec)
      bytes += received.body.length
      return received
    } finally {
      onResponse?.()
      // The slot goes to the next request in the queue, or becomes free.
      const next = waiting.shift()
      if (next === undefined) underWay -= 1
      else next()
    }
  }

  return {
    origin,
    ask(spec, copy = 1) {
      // `identity` must be requested explicitly: without the header any coding may be sent (RFC 9110 12.5.3).
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
