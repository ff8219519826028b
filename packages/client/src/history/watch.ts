import { formatSnapshotId } from '#contract/history/version-chain'
import { ApiResponseError } from '../api-response-error.ts'
import type { Client } from '../client.ts'
import { readHeaders } from '../header-fields.ts'
import type { ReadData } from '../reads.ts'
import { waitByTimer, type Wait } from '../retries.ts'
import type { ReadOptions, Verified } from '../verified.ts'
import { createHistoryFailure, orBroken } from './history-failure.ts'
import {
  findChangesFinding,
  findEntryFault,
  findLinkFault,
  ROLLOUT_MS,
  type HistoryFault,
  type HistoryFinding,
} from './history-proofs.ts'
import { readNewest } from './newest-version.ts'

type Version = Verified<ReadData<'version'>>

/** A failure that may pass. */
export interface WatchFailure {
  /** What went wrong. */
  readonly error: unknown
  /** How long `watch` waits before it asks again. */
  readonly waitSeconds: number
}

/** Options of `watch`. */
export interface WatchOptions {
  /** The last version that is known, such as `await client.versionById('VS-0012')`. The versions since then come first. */
  readonly after?: Version
  /** Ends the iteration with its reason. */
  readonly signal?: AbortSignal
  /** Called for each failure that may pass. An exception ends the iteration. */
  readonly onFailure?: (failure: WatchFailure) => void
  /** Waits between two requests. Default: the timer of the platform. */
  readonly wait?: Wait
}

const USUAL_PACE_SECONDS = 60
const SHORTEST_PACE_SECONDS = 5
const LONGEST_PACE_SECONDS = 900
/** A gateway can ask for years, which is also more than a timer can wait. */
const LONGEST_ASKED_SECONDS = 3600

/** How long a cache would use a response. */
function paceOf({ response }: Version): number {
  const control = readHeaders(response.headers)('cache-control') ?? ''
  const [, seconds = USUAL_PACE_SECONDS] = /\bmax-age=(\d{1,9})\b/.exec(control) ?? []
  return Math.min(Math.max(Number(seconds), SHORTEST_PACE_SECONDS), LONGEST_PACE_SECONDS)
}

const isMissing = (error: unknown) => error instanceof ApiResponseError && error.status === 404

/** Throws a HistoryError with evidence, or what explains the contradiction. */
async function refuse(
  client: Client,
  fault: HistoryFault,
  versions: readonly Version[],
  finding: HistoryFinding | undefined,
): Promise<void> {
  if (finding === undefined) return
  const responses = versions.map(({ response }) => response)
  throw await createHistoryFailure(client, fault, responses, finding)
}

/**
 * The newest version of the service. One that is older than the last version is read again without caches, and returned if
 * a node of the service that is late explains it. Throws a HistoryError (SHORTENED) once it does not.
 */
async function readHead(
  client: Client,
  last: Version | undefined,
  options: ReadOptions,
): Promise<Version> {
  const newest = await readNewest(client, options)
  if (last === undefined || newest.data.sequence >= last.data.sequence) return newest
  const fresh = await readNewest(client, { ...options, fresh: true })
  const { snapshotId: expected, sequence } = last.data
  const isLate = fresh.provedAtMs - last.provedAtMs <= ROLLOUT_MS
  if (fresh.data.sequence >= sequence || isLate) return fresh
  const finding = { at: expected, expected, found: fresh.data.snapshotId }
  throw await createHistoryFailure(client, 'SHORTENED', [last.response, fresh.response], finding)
}

/** The versions after the last one, oldest first, each checked against the one before it. */
async function* versionsSince(
  client: Client,
  last: Version | undefined,
  newest: Version,
  options: ReadOptions,
): AsyncGenerator<Version, void, undefined> {
  if (last === undefined) {
    yield newest
    return
  }
  const [known, head] = [last.data, newest.data]
  await refuse(client, 'BROKEN', [last], await findEntryFault(known))
  if (head.sequence === known.sequence && head.hash !== known.hash) {
    const finding = { at: known.snapshotId, expected: known.hash, found: head.hash }
    await refuse(client, 'REWRITTEN', [last, newest], finding)
  }
  let before = last
  for (let sequence = known.sequence + 1; sequence <= head.sequence; sequence += 1) {
    let version = newest
    if (sequence < head.sequence) {
      const id = formatSnapshotId(sequence)
      version = await orBroken(client, client.versionById(id, options))
      await refuse(client, 'BROKEN', [version], await findEntryFault(version.data, id))
    }
    const pair = [before, version]
    await refuse(client, 'BROKEN', pair, findLinkFault(version.data, before.data))
    await refuse(client, 'CHANGES_FALSE', pair, findChangesFinding(before.data, version.data))
    yield version
    before = version
  }
}

/**
 * Iterates over new versions as they are published: the newest one, or those since `after`, then each later one. Each must
 * continue the one before it. Asks with a conditional request as often as a cache would, from 5 s to 15 min. After a failure
 * that may pass it waits twice as long each time, a part of it random, or as long as the service asks, up to an hour. A copy
 * of the service is never yielded, nor a version older than the last one.
 *
 * Never ends by itself. Rejects with the reason of `signal`, with a HistoryError as `history` does, and with every error of
 * the client that waiting does not help against, such as a VerificationError.
 *
 * @example
 * ```ts
 * import { createClient } from '@public-api/client'
 * import { watch } from '@public-api/client/audit'
 *
 * const client = createClient({ baseUrl: 'https://api.example.org', pinnedKeyIds: ['kPrK_qmx…'] })
 * for await (const { data } of watch(client)) {
 *   console.log(data.snapshotId, data.note)
 * }
 * ```
 */
export async function* watch(
  client: Client,
  { after, signal, onFailure, wait = waitByTimer }: WatchOptions = {},
): AsyncGenerator<Version, void, undefined> {
  // A copy may be old.
  const options = { copies: false, ...(signal === undefined ? {} : { signal }) }
  let last = after
  let pace = USUAL_PACE_SECONDS
  let failures = 0
  let missingSeconds = 0
  for (;;) {
    let waitSeconds: number
    try {
      const newest = await readHead(client, last, options)
      for await (const version of versionsSince(client, last, newest, options)) {
        last = version
        yield version
      }
      pace = paceOf(newest)
      failures = missingSeconds = 0
      waitSeconds = pace
    } catch (error) {
      signal?.throwIfAborted()
      const reason = client.retryReason(error)
      // A node that is late does not have a version that another one named.
      const mayBeLate = isMissing(error) && missingSeconds * 1000 <= ROLLOUT_MS
      if (reason === undefined && !mayBeLate) throw error
      failures += 1
      const longer = Math.min(pace * 2 ** failures, LONGEST_PACE_SECONDS)
      const asked = Math.min(reason?.afterSeconds ?? 0, LONGEST_ASKED_SECONDS)
      waitSeconds = Math.max(longer * (0.5 + Math.random() / 2), asked)
      missingSeconds = isMissing(error) ? missingSeconds + waitSeconds : 0
      onFailure?.({ error, waitSeconds })
    }
    await wait(waitSeconds * 1000, signal)
  }
}
