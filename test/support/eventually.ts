import { setTimeout as sleep } from 'node:timers/promises'
/** Longer than a busy machine takes for anything. */
const DEADLINE_MS = 300_000
const PAUSE_MS = 20

/** Waits until `look` returns a value, looking again every few milliseconds. Throws after the deadline. */
export async function eventually<Value>(
  what: string,
  look: () => Promise<Value | undefined> | Value | undefined,
): Promise<Value> {
  const deadline = performance.now() + DEADLINE_MS
  for (;;) {
    const value = await look()
    if (value !== undefined) return value
    if (performance.now() > deadline) throw new Error(`Never happened: ${what}`)
    await sleep(PAUSE_MS)
  }
}
