import { openPolicy } from '@public-api/client-source/log/log-policy'
import { verifyCheckpoint } from '@public-api/client-source/log/verify-checkpoint'
import type { ServedReleases } from '../service/read-releases.ts'
import type { TlogFiles } from '../storage/tlog-files.ts'

/** What a checkpoint says by the operator's policy. */
interface TlogFigures {
  readonly size: number
  readonly witnessedAtMs: number | undefined
}

async function readFigures({
  policy,
  checkpoint = '',
}: TlogFiles): Promise<TlogFigures | undefined> {
  try {
    const { size, witnessedAtMs } = await verifyCheckpoint({
      note: checkpoint,
      policy: await openPolicy(policy),
      nowMs: Date.now(),
      maxAgeSeconds: Infinity,
    })
    return { size, witnessedAtMs }
  } catch {
    // What does not satisfy the policy has no figures, and the alert for missing figures fires.
    return undefined
  }
}

/** The metrics of the transparency log; absent without one. A checkpoint is verified once. */
export function tlogMetrics(served: () => ServedReleases) {
  let files: TlogFiles | undefined
  let figures: TlogFigures | undefined
  function current(): TlogFigures | undefined {
    const { tlog } = served()
    if (tlog !== files) {
      files = tlog
      figures = undefined
      if (tlog !== undefined) {
        void readFigures(tlog).then((read) => {
          if (files === tlog) figures = read
        })
      }
    }
    return figures
  }
  return {
    svc_log_size: {
      help: 'Versions in the served checkpoint of the transparency log; absent without a log.',
      read: () => current()?.size,
    },
    svc_log_quorum_age_seconds: {
      help: 'Seconds since the quorum of witnesses cosigned the served checkpoint; absent without witnesses.',
      read() {
        const at = current()?.witnessedAtMs
        return at === undefined ? undefined : (Date.now() - at) / 1000
      },
    },
    svc_log_pending_versions: {
      help: 'Served versions that the served checkpoint does not contain; absent without a log.',
      read() {
        const size = current()?.size
        return size === undefined ? undefined : Math.max(0, served().head.sequence - size)
      },
    },
  }
}
