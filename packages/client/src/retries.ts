/** Waits, and rejects with the signal's reason once it is aborted. */
export type Wait = (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>

/** Settles like the promise, or rejects with the signal's reason, whichever comes first. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Waits by the platform's timer. */
export const waitByTimer: Wait = (milliseconds, signal) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const rung = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  return orAborted(rung, signal).finally(() => clearTimeout(timer))
}

/** A retry that is about to be made. */
export interface Retry {
  /** 1 for the first retry. */
  readonly attempt: number
  /** How long the client waits first. */
  readonly waitSeconds: number
  /** The error of the last attempt. */
  readonly error: unknown
}

/** Called before each retry. An exception ends the attempts. */
export type OnRetry = (retry: Retry) => void

/** Limits of retries. */
export interface RetrySettings {
  /** Attempts after the first. */
  readonly maxRetries: number
  /** A response that asks for a longer wait ends the attempts. */
  readonly maxWaitSeconds: number
  /** Waits before a retry. */
  readonly wait: Wait
  /** Called before each retry. */
  readonly onRetry: OnRetry | undefined
}

/** Why an attempt may be repeated, with the seconds that the service asked for, if any. */
export interface RetryReason {
  /** Seconds that the service asked to wait. */
  readonly afterSeconds: number | undefined
}

const FIRST_WAIT_SECONDS = 0.25

/**
 * Repeats an attempt while `reasonOf` returns a reason for its error. Waits as long as the service asked, else
 * 0.25 s, doubled each time, half of it random so that clients that failed together do not return together.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  reasonOf: (error: unknown) => RetryReason | undefined,
  { maxRetries, maxWaitSeconds, wait, onRetry }: RetrySettings,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      const reason = reasonOf(error)
      const backoff = FIRST_WAIT_SECONDS * 2 ** tries * (0.5 + Math.random() / 2)
      const seconds = reason?.afterSeconds ?? backoff
      if (reason === undefined || tries >= maxRetries || seconds > maxWaitSeconds) throw error
      onRetry?.({ attempt: tries + 1, waitSeconds: seconds, error })
      await wait(seconds * 1000, signal)
    }
  }
}
