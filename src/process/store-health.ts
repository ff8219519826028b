import { StorageError } from '../storage/stores/storage-error.ts'
import type { Storage } from '../storage/stores/storage.ts'

/** Why a deployment should not get requests. */
export interface NotReadyReason {
  readonly code: 'STARTING' | 'STOPPING' | 'NO_WORKER' | 'STORE_UNAVAILABLE'
  /** For a person. */
  readonly message: string
}

/** A store that has been unavailable this long makes the process not ready. */
export const STORE_GRACE_MS = 30_000

const PROBE_INTERVAL_MS = 5000

/** While the store works, every so many probes write; each such write costs a sync of the disk. */
const WRITING_PROBE = 12

/** An `UPDATE` that matches no row: it needs the right to write and changes nothing. */
const NO_CHANGE = { keyId: '', fromSecretId: '', secretId: '', keyHash: new Uint8Array() }

/** The calls that need free space: on a full disk others still succeed. */
const ADDING_CALLS: ReadonlySet<string> = new Set([
  'waitlist.add',
  'waitlist.testWrite',
  'apiKeys.add',
])

/**
 * Observes a store, and probes it, so that an outage shows without traffic. While adding fails, only a call that adds shows
 * that the store works again. Every call to the store is followed by one to `onCall`.
 */
export function observeStorage(
  storage: Storage,
  onCall: (call: string, seconds: number, isSuccess: boolean) => void,
  { monotonicMs = () => performance.now(), probeIntervalMs = PROBE_INTERVAL_MS } = {},
) {
  let failingSinceMs: number | undefined
  let isAddingFailing = false

  function record(call: string, startedMs: number, error?: unknown): void {
    // Other errors are refusals of the call, such as a key ID that is taken; the store works.
    const isOutage = error instanceof StorageError && error.code !== 'CLOSED'
    const isAdding = ADDING_CALLS.has(call)
    if (isOutage) {
      failingSinceMs ??= startedMs
      isAddingFailing ||= isAdding
    } else if (isAdding || !isAddingFailing) {
      failingSinceMs = undefined
      isAddingFailing = false
    }
    onCall(call, (monotonicMs() - startedMs) / 1000, !isOutage)
  }

  function observed<Calls extends object>(store: string, calls: Calls): Calls {
    const wrapped = Object.entries(calls).map(([name, call]) => {
      const label = `${store}.${name}`
      const perform = async (...args: unknown[]): Promise<unknown> => {
        const startedMs = monotonicMs()
        try {
          const value: unknown = await call.apply(calls, args)
          record(label, startedMs)
          return value
        } catch (error) {
          record(label, startedMs, error)
          throw error
        }
      }
      return [name, perform]
    })
    return Object.fromEntries(wrapped) as Calls
  }

  const apiKeys = observed('apiKeys', storage.apiKeys)
  const waitlist = observed('waitlist', storage.waitlist)
  let isProbing = false
  let probes = 0
  const probe = setInterval(() => {
    if (isProbing) return
    isProbing = true
    probes += 1
    const writes = failingSinceMs !== undefined || probes % WRITING_PROBE === 0
    void (writes ? waitlist.testWrite() : apiKeys.rehash(NO_CHANGE))
      .catch(() => {})
      .finally(() => {
        isProbing = false
      })
  }, probeIntervalMs).unref()

  /** Milliseconds since the store stopped working, as far as calls showed; 0 while it works. */
  const unavailableForMs = () =>
    failingSinceMs === undefined ? 0 : Math.max(1, monotonicMs() - failingSinceMs)
  return {
    /** The same store, with every call observed. */
    storage: { ...storage, apiKeys, waitlist },
    unavailableForMs,
    reasons(): readonly NotReadyReason[] {
      const forMs = unavailableForMs()
      if (forMs < STORE_GRACE_MS) return []
      const seconds = Math.floor(forMs / 1000)
      const state = isAddingFailing ? 'refused registrations and keys' : 'been unavailable'
      const message = `The store has ${state} for ${seconds} s; reads are served`
      return [{ code: 'STORE_UNAVAILABLE', message }]
    },
    close: () => clearInterval(probe),
  }
}

export type StoreHealth = ReturnType<typeof observeStorage>
