import { openPolicy } from '@public-api/client-internal/log/log-policy'
import { verifyCheckpoint } from '@public-api/client-internal/log/verify-checkpoint'
import { messageOf } from '@public-api/contract/errors/error-message'
import type { Log } from '../service/logger.ts'
import type { PublishedTlog } from '../tlog/served-tlog.ts'
import type { TlogFiles } from '../tlog/tlog-files.ts'
import type { Serving } from './server.ts'

/** What the served checkpoint says by the operator's policy. */
async function readFigures({ policy, checkpoint = '' }: TlogFiles) {
  const { size, witnessedAtMs } = await verifyCheckpoint({
    note: checkpoint,
    policy: await openPolicy(policy),
    nowMs: Date.now(),
    maxAgeSeconds: Infinity,
  })
  return { size, witnessedAtMs }
}

type TlogFigures = Awaited<ReturnType<typeof readFigures>>

/** The figures of a published log, or why it is not served or does not satisfy the operator's own policy. */
async function inspect(
  tlog: PublishedTlog,
): Promise<{ readonly figures?: TlogFigures; readonly fault?: string }> {
  if (tlog.files.checkpoint === undefined) {
    return { fault: 'no checkpoint has satisfied log/policy yet; /log responds 503' }
  }
  try {
    const figures = await readFigures(tlog.files)
    if ((await tlog.open()) !== undefined) return { figures }
    return { fault: `${tlog.fault()}; /log responds 503` }
  } catch (error) {
    // It is served all the same, and refused by every client with this policy.
    return { fault: messageOf(error) }
  }
}

/**
 * Checks the transparency log against the served releases and the operator's policy, at the start and after each
 * update. Logs a fault once. Without a log it does nothing.
 */
export function openTlogMonitor({ tlog, served }: Pick<Serving, 'tlog' | 'served'>, log: Log) {
  let checked: PublishedTlog | undefined
  let figures: TlogFigures | undefined
  let fault: string | undefined

  async function check(): Promise<void> {
    const found = tlog()
    if (found === checked) return
    checked = found
    const result = found === undefined ? {} : await inspect(found)
    // A newer one is being checked.
    if (checked !== found) return
    if (result.fault !== undefined && result.fault !== fault) {
      log.error({ reason: result.fault }, 'The transparency log is not usable')
    } else if (result.fault === undefined && fault !== undefined) {
      log.info({ size: result.figures?.size }, 'The transparency log is usable again')
    }
    figures = result.figures
    fault = result.fault
  }

  return {
    check: () => void check(),
    /** Why the log cannot be used; undefined without a log, or if it can. */
    fault: () => fault,
    metrics: {
      svc_log_size: {
        help: 'Versions in the served checkpoint of the transparency log; absent without a usable log.',
        read: () => figures?.size,
      },
      svc_log_quorum_age_seconds: {
        help: 'Seconds since the quorum of witnesses cosigned the served checkpoint; absent without witnesses.',
        read() {
          const at = figures?.witnessedAtMs
          return at === undefined ? undefined : (Date.now() - at) / 1000
        },
      },
      svc_log_pending_versions: {
        help: 'Served versions that the served checkpoint does not contain; absent without a usable log.',
        read() {
          const size = figures?.size
          return size === undefined ? undefined : Math.max(0, served().head.sequence - size)
        },
      },
      svc_log_faulty: {
        help: '1 while the transparency log does not fit the served versions or its own policy; absent without a log.',
        read: () => (checked === undefined ? undefined : Number(fault !== undefined)),
      },
    },
  }
}
