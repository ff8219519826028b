import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../contract/error-message.ts'
import { readUpdate, type ServedReleases } from '../service/read-releases.ts'
import { openReleaseStore } from '../storage/release-store.ts'
import type { UpdateOutcome } from './read-update.ts'

export interface UpdateThreadData {
  readonly releasesDir: string
  readonly served: ServedReleases
}

function outcomeOf({ releasesDir, served }: UpdateThreadData): UpdateOutcome {
  try {
    return { update: readUpdate(openReleaseStore(releasesDir), served) }
  } catch (error) {
    return { refusal: messageOf(error) }
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(outcomeOf(workerData as UpdateThreadData))
