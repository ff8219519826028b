import type { Socket } from 'node:net'

/** Methods that change nothing (RFC 9110 9.2.1). */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** The requests of one connection whose answers are still being made. */
interface Unanswered {
  /** Settles when the last of them is answered. */
  readonly done: Promise<void>
  readonly areSafe: boolean
}

/**
 * Lets the requests that came behind each other on one connection be worked on together only while all their methods are
 * safe (RFC 9112 9.3.2): what stands behind a revocation sees it done, and a revocation waits for what came before it.
 * `serve` returns a promise when the answer takes a while; it must not reject.
 */
export function createPipelinedRequests(): (
  socket: Socket,
  method: string,
  serve: () => Promise<void> | undefined,
) => void {
  const unanswered = new WeakMap<Socket, Unanswered>()
  return (socket, method, serve) => {
    const ahead = unanswered.get(socket)
    const isSafe = SAFE_METHODS.has(method)
    const mustWait = ahead !== undefined && !(ahead.areSafe && isSafe)
    const done = mustWait ? ahead.done.then(serve) : serve()
    if (done === undefined) return
    const now: Unanswered = {
      done: ahead === undefined ? done : Promise.all([ahead.done, done]).then(() => {}),
      areSafe: isSafe && (ahead?.areSafe ?? true),
    }
    unanswered.set(socket, now)
    void now.done.then(() => {
      if (unanswered.get(socket) === now) unanswered.delete(socket)
    })
  }
}
