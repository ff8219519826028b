import {
  UnreachableError,
  type Ask,
  type RequestSpec,
  type Received,
} from '../verifying/requests.ts'

/** Maximum number of concurrent requests. */
const CONCURRENCY = 4
/** More than the checks need. Limits the load that a defect in a check can cause. */
export const MAX_REQUESTS = 100

/** Maximum size of all stored responses, thirty times that of a healthy deployment. */
const MAX_BYTES = 30_000_000

/** Sends each request once, unless another copy is requested. */
export type Probe = ReturnType<typeof createProbe>

export function createProbe(origin: string, ask: Ask, onResponse?: () => void) {
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
    /** `copy` distinguishes requests that are equal on the wire. */
    ask(spec: RequestSpec, copy = 1): Promise<Received> {
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
    /** How many requests were sent. */
    count: () => count,
  }
}
