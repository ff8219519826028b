import type { VersionSummary } from '#contract/history/version-chain'
import { platformFetch } from '#fetch'
import { auditHistory, type AuditReport } from '../audit-history.ts'
import type { AuditOptions } from '../audit-options.ts'
import type { ConnectionLimits, Fetch } from '../connection.ts'
import { auditLog, type LogReport } from './compare-log.ts'
import type { LogPolicy } from './log-policy.ts'

/** Options of `auditHistoryWithLog`. */
export interface LogAuditOptions extends AuditOptions, Pick<ConnectionLimits, 'timeoutMs'> {
  /** Whom you trust about the log; never taken from the service itself. */
  readonly policy: LogPolicy
  /** URLs of copies to compare with. */
  readonly mirrors?: readonly string[]
  /** Reads the log and the copies. Default: the fetch of the platform. */
  readonly fetch?: Fetch
  /** The clock: milliseconds since 1970. */
  readonly now?: () => number
}

/** A history and a log without contradictions. */
export interface LogAuditReport extends AuditReport {
  /** The log. */
  readonly log: LogReport
}

/**
 * Audits the history, and its transparency log by a policy: the newest checkpoint is cosigned and fresh, it extends the
 * one of the last audit, it is of one history with each copy, and it has the versions that the service signed. Throws
 * like `auditHistory`, and a LogFinding for a log that contradicts itself or the history or a service that withholds versions,
 * a LaggingError for one that may, a LogError or a ChainError for
 * what must not be trusted, a SavedCheckpointError, or a ConnectionError.
 *
 * @example
 * ```ts
 * const policy = await openPolicy(await readFile('policy', 'utf8'))
 * const { head, log } = await auditHistoryWithLog({ client, store, policy })
 * ```
 */
export async function auditHistoryWithLog(options: LogAuditOptions): Promise<LogAuditReport> {
  const { policy, mirrors = [], timeoutMs, now = Date.now, ...rest } = options
  const { client, store, signal, onProgress } = rest
  let signed: readonly VersionSummary[] = []
  const report = await auditHistory({
    ...rest,
    onProgress(progress) {
      if (progress.step === 'index') signed = progress.versions
      onProgress?.(progress)
    },
  })
  const log = await auditLog({
    client,
    signed,
    policy,
    mirrors,
    store,
    signal,
    nowMs: now(),
    timeoutMs,
    fetch: options.fetch ?? platformFetch,
  })
  return { ...report, log }
}
