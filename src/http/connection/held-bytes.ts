/** The objects of node:http for one parsed request. */
const REQUEST_BYTES = 1700

/**
 * Counts the memory that connections hold for responses that the client has not taken and for requests that are not handled. A body
 * that several responses share counts once. Calls `reduce` when it exceeds `maxBytes`.
 */
export function createHeldBytes(maxBytes: number, reduce: () => void) {
  let total = 0
  const sharers = new Map<Uint8Array, number>()

  function add(bytes: number): void {
    total += bytes
    if (bytes > 0 && total > maxBytes) reduce()
  }

  /** Adds a response to those that share a body. Returns the memory that this takes. */
  function share(body: Uint8Array): number {
    const count = sharers.get(body) ?? 0
    sharers.set(body, count + 1)
    return count === 0 ? body.length : 0
  }

  function unshare(body: Uint8Array): number {
    const count = sharers.get(body) ?? 0
    if (count > 1) sharers.set(body, count - 1)
    else sharers.delete(body)
    return count === 1 ? body.length : 0
  }

  return {
    bytes: () => total,
    /** For one connection. */
    open() {
      let own = 0
      let requests = 0
      let body: Uint8Array | undefined
      function setResponse(unsentBytes: number, shared: Uint8Array | undefined): void {
        const before = own + (body === undefined ? 0 : unshare(body))
        own = Math.max(0, unsentBytes - (shared?.length ?? 0))
        body = shared
        add(own + (body === undefined ? 0 : share(body)) - before)
      }
      /** Counts parsed requests, and the input that contains them. */
      function setRequests(count: number, inputBytes: number): void {
        const before = requests
        requests = count * REQUEST_BYTES + inputBytes
        add(requests - before)
      }
      return {
        /** What this connection holds alone or with others. */
        bytes: () => own + requests + (body?.length ?? 0),
        setResponse,
        setRequests,
        clear(): void {
          setResponse(0, undefined)
          setRequests(0, 0)
        },
      }
    },
  }
}

export type HeldBytes = ReturnType<ReturnType<typeof createHeldBytes>['open']>
