import { StorageError } from './storage-error.ts'

/** How a server reacts to a database that cannot be opened at the start. */
export interface AvailabilityOptions {
  /**
   * Called when the database cannot be opened for a transient reason. The storage then opens anyway and retries until the
   * database opens or fails permanently. Without this callback, opening rejects.
   */
  readonly onUnavailable?: (error: StorageError) => void
  /** Called when a later attempt has opened the database. */
  readonly onRecovered?: () => void
}

/** The interval between attempts to open a database that was unavailable at the start. */
const RETRY_INTERVAL_MS = 5000

/** Retries until success or a permanent failure. Returns a function that stops it. */
export function retryOpening(
  attempt: () => Promise<unknown>,
  { onUnavailable, onRecovered }: AvailabilityOptions,
  intervalMs: number = RETRY_INTERVAL_MS,
): () => void {
  let timer: NodeJS.Timeout | undefined
  function schedule(): void {
    timer = setTimeout(() => {
      attempt().then(
        () => onRecovered?.(),
        (error: unknown) => {
          if (error instanceof StorageError && error.isTransient) schedule()
          else if (error instanceof StorageError && error.code !== 'CLOSED') onUnavailable?.(error)
        },
      )
    }, intervalMs)
    timer.unref()
  }
  schedule()
  return () => clearTimeout(timer)
}
