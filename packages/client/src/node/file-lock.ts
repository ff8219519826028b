import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** How often the owner of a lock shows that it runs. */
const BEAT_MS = 1000
/** A lock without a sign of its owner for this time is removed. */
const ABANDONED_MS = 15_000
const RETRY_MS = 100

/** Another process has the lock. */
export class LockedError extends Error {
  override readonly name = 'LockedError'
}

/**
 * Runs work while no other call, in this process or another, runs work under the same name. `name` is the path of a file
 * in an existing folder. Each waiting call creates a lock file of its own beside it, `name.<random>.lock`, and owns the
 * lock if it then finds no other: two calls may both find the other's and retry, but never overlook each other. No name is
 * used twice, so the file of a killed process can be removed without removing the lock of a running one. A process that
 * was suspended for 15 s loses its lock. Rejects with a LockedError after `waitMs`, and otherwise with the error of the
 * system or of `work`.
 */
export async function withFileLock<Result>(
  name: string,
  waitMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const folder = path.dirname(name)
  const prefix = `${path.basename(name)}.`
  const own = `${name}.${randomBytes(6).toString('hex')}.lock`
  /** When the other locks last changed. Compared with this process's timer only, because clocks may differ. */
  const seen = new Map<string, { readonly changedMs: number; readonly seenMs: number }>()

  /** Removes abandoned locks. Returns whether another call has or wants the lock. */
  function isTaken(): boolean {
    const now = performance.now()
    const others = fs
      .readdirSync(folder)
      .filter((each) => each.startsWith(prefix) && /\.[0-9a-f]{12}\.lock$/.test(each))
      .map((each) => path.join(folder, each))
      .filter((each) => path.basename(each) !== path.basename(own))
    const live = others.filter((other) => {
      const changedMs = fs.statSync(other, { throwIfNoEntry: false })?.mtimeMs
      if (changedMs === undefined) return false
      const before = seen.get(other)
      if (before?.changedMs !== changedMs) {
        seen.set(other, { changedMs, seenMs: now })
        return true
      }
      if (now - before.seenMs < ABANDONED_MS) return true
      fs.rmSync(other, { force: true })
      return false
    })
    return live.length > 0
  }

  const deadline = performance.now() + waitMs
  for (;;) {
    if (!isTaken()) {
      fs.closeSync(fs.openSync(own, 'wx', 0o600))
      if (!isTaken()) break
      fs.rmSync(own, { force: true })
    }
    if (performance.now() >= deadline) {
      throw new LockedError(`another process works on ${path.dirname(path.resolve(name))}`)
    }
    await delay(RETRY_MS * (0.5 + Math.random()))
  }
  const beat = setInterval(() => {
    // An error means that the lock was lost, which cannot be repaired here.
    fs.utimes(own, new Date(), new Date(), () => undefined)
  }, BEAT_MS)
  try {
    return await work()
  } finally {
    clearInterval(beat)
    fs.rmSync(own, { force: true })
  }
}
