import { setTimeout as sleep } from 'node:timers/promises'
import { CommandFailure } from '@public-api/cli-kit/command'
import { messageOf } from '@public-api/contract/errors/error-message'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'

const MAX_WAIT_MS = 60_000
const INTERVAL_MS = 500

/** What a service says about its newest version: its ID and hash, or why it is unknown. */
async function readServed(url: URL): Promise<{ readonly hash?: unknown; readonly state: string }> {
  try {
    const response = await fetch(url, {
      headers: { 'cache-control': 'no-cache' },
      redirect: 'error',
      signal: AbortSignal.timeout(5000),
    })
    const data = propertyOf(parseJson(await response.text()), 'data')
    const [id, hash] = [propertyOf(data, 'snapshotId'), propertyOf(data, 'hash')]
    if (response.status === 200 && typeof id === 'string') return { hash, state: `it serves ${id}` }
    return { state: `it responded with status ${response.status}` }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return { state: `it could not be read (${messageOf(cause)})` }
  }
}

/** Resolves when a service serves a version as its newest one. Rejects with a CommandFailure. */
export async function waitForVersion(
  base: URL,
  { snapshotId, hash }: VersionEntry,
  maxWaitMs: number = MAX_WAIT_MS,
): Promise<void> {
  const endMs = performance.now() + maxWaitMs
  for (;;) {
    const { hash: served, state } = await readServed(new URL('/api/v1/version', base))
    if (served === hash) return
    if (performance.now() + INTERVAL_MS > endMs) {
      const advice =
        'is SVC_RELEASES_DIR of the service this folder, and may its user read it? The log of the service names refused releases'
      throw new CommandFailure(
        'NOT_SERVED',
        `${snapshotId} is published, and ${base.origin} does not serve it after ${Math.round(maxWaitMs / 1000)} s: ${state}; ${advice}`,
      )
    }
    await sleep(INTERVAL_MS)
  }
}
