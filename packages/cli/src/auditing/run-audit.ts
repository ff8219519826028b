import { CommandFailure, EXIT_CODES } from '@public-api/cli-kit/command'
import { createProgress, type Progress, type ProgressStream } from '@public-api/cli-kit/progress'
import { ApiResponseError } from '@public-api/client-internal/api-response-error'
import { createClient, type Client } from '@public-api/client-internal/client'
import { ConnectionError } from '@public-api/client-internal/connection'
import { auditHistory, type AuditReport } from '@public-api/client-internal/history/audit-history'
import type { AuditProgress } from '@public-api/client-internal/history/audit-options'
import { AuditStateError } from '@public-api/client-internal/history/audit-state-error'
import { UnlinkedKeysError } from '@public-api/client-internal/history/history-error'
import { UnsettledError } from '@public-api/client-internal/history/unsettled-error'
import {
  auditHistoryWithLog,
  type LogReport,
  SavedCheckpointError,
} from '@public-api/client-internal/log/compare-log'
import { LogError } from '@public-api/client-internal/log/log-error'
import { LaggingError, LogFinding } from '@public-api/client-internal/log/log-finding'
import type { LogPolicy } from '@public-api/client-internal/log/log-policy'
import { isOutage } from '@public-api/client-internal/outage'
import { describeRetiredPin } from '@public-api/client-internal/retired-pin'
import { VerificationError } from '@public-api/client-internal/verification-error'
import { messageOf } from '@public-api/contract/errors/error-message'
import { ChainError } from '@public-api/contract/history/version-chain'
import { isSigningOff } from '../verifying/inconclusive-status.ts'
import { refusalOf } from '../verifying/refusal.ts'
import {
  createHttpClient,
  createFetch,
  type HttpClient,
  UnreachableError,
} from '../verifying/requests.ts'
import { sanitizeForTerminal } from '../verifying/sanitize-for-terminal.ts'
import { createStateStore } from './state-store.ts'

/** Options of one audit. */
export interface AuditSettings {
  readonly origin: string
  readonly pinnedKeyIds: readonly string[] | undefined
  /** The source of the pinned IDs, which the state file remembers. */
  readonly pinFrom: string | undefined
  readonly stateFile: string | undefined
  readonly requireState: boolean
  readonly moved: boolean
  /** Whom to trust about the log; undefined for an audit without the log. */
  readonly policy: LogPolicy | undefined
  /** URLs of copies of the log. */
  readonly mirrors: readonly string[]
  readonly everyVersion: boolean
  readonly timeoutMs: number
  readonly maxTimeMs: number
  readonly quiet: boolean
}

/** Converts an error of the library to a CommandFailure with its exit code. `advice` adds to a failed verification. */
export function failureOf(
  error: unknown,
  { origin, stateFile = '' }: Pick<AuditSettings, 'origin' | 'stateFile'>,
  advice?: string,
): unknown {
  if (error instanceof ConnectionError) {
    return error.cause instanceof UnreachableError
      ? error.cause
      : new UnreachableError(messageOf(error))
  }
  if (error instanceof VerificationError) {
    const isAway = isOutage(error)
    if (isAway && error.response !== undefined && isSigningOff(error.response)) {
      return new UnreachableError(
        `${origin} says that it has no signing key, so its responses are unsigned; nothing is known about the history`,
      )
    }
    return isAway
      ? new UnreachableError(
          `${origin} sent status ${error.response?.status} without a signature, as a proxy does; nothing is known about the history. Try again later`,
        )
      : new CommandFailure(
          error.code,
          `a response failed verification, so nothing is known about the history; ${sanitizeForTerminal(error.message, 400)}${advice === undefined ? '' : `; ${advice}`}`,
        )
  }
  const { usage: exitCode } = EXIT_CODES
  if (error instanceof AuditStateError) {
    const remedy =
      error.code === 'OTHER_ORIGIN'
        ? 'give another --state file, or --moved if the service moved here'
        : 'nothing was compared; give another --state file'
    const detail = `${stateFile}: ${sanitizeForTerminal(error.message, 400)}`
    return new CommandFailure(error.code, `${detail}; ${remedy}`, { exitCode })
  }
  if (error instanceof SavedCheckpointError) {
    const detail = sanitizeForTerminal(error.message, 400)
    return new CommandFailure('STATE', `${detail}, or give another --state file`, { exitCode })
  }
  if (
    error instanceof LogError ||
    error instanceof ChainError ||
    error instanceof UnlinkedKeysError ||
    (error instanceof LogFinding && error.evidence === undefined)
  ) {
    return new CommandFailure(error.code, sanitizeForTerminal(error.message, 600))
  }
  if (error instanceof ApiResponseError) return refusalOf(error, 'the service refused a request')
  if (error instanceof UnsettledError) {
    const isLagging =
      error instanceof LaggingError || error.contradiction?.evidence.fault === 'SHORTENED'
    const remedy =
      (error.contradiction === undefined && !isLagging) || stateFile !== ''
        ? 'audit again later'
        : 'audit again later with --state FILE, which saves the responses for the next audit'
    return new CommandFailure(
      isLagging ? 'LAGGING' : 'UNSETTLED',
      `not settled: ${sanitizeForTerminal(error.message, 400)}; ${remedy}`,
      { exitCode: EXIT_CODES.unreachable },
    )
  }
  return error
}

/** A client that sends its requests with an HTTP client of the commands. */
export function createAuditClient(
  origin: string,
  pinnedKeyIds: readonly string[] | undefined,
  { ask }: HttpClient,
): Client {
  return createClient({
    baseUrl: origin,
    ...(pinnedKeyIds === undefined ? {} : { pinnedKeyIds }),
    fetch: createFetch(ask),
    // No limit here, because the HTTP client has its own limits with messages for the terminal.
    timeoutMs: Infinity,
    maxBodyBytes: Infinity,
  })
}

/**
 * The progress of an audit, whose total is known once the index of the history is verified. It starts again with
 * the remaining work if a version is published during the audit.
 */
export function createAuditProgress(stream?: ProgressStream) {
  let shown: Progress | undefined
  return {
    /** For `onProgress` of the audit. */
    hear(progress: AuditProgress): void {
      if (progress.step === 'index') {
        shown?.end()
        shown = createProgress('Auditing', progress.toRead + progress.resources, stream)
      } else if (progress.step !== 'head') shown?.advance(1)
    },
    end: () => shown?.end(),
  }
}

/** The report of an audit. */
export interface FullReport extends AuditReport {
  /** Undefined without a policy. */
  readonly log?: LogReport
}

/**
 * Audits a deployment, and shows how far it is. Throws a HistoryError or a LogFinding, or a CommandFailure with its exit code.
 */
export async function runAudit(settings: AuditSettings): Promise<FullReport> {
  const { origin, pinnedKeyIds, stateFile, policy, mirrors, timeoutMs, maxTimeMs } = settings
  const httpClient = createHttpClient(origin, timeoutMs)
  const shown = createAuditProgress()
  const client = createAuditClient(origin, pinnedKeyIds, httpClient)
  const deadline = AbortSignal.timeout(maxTimeMs)
  const store = stateFile === undefined ? undefined : createStateStore(stateFile, settings)
  const options = {
    client,
    ...(store === undefined ? {} : { store }),
    moved: settings.moved,
    everyVersion: settings.everyVersion,
    signal: deadline,
    onProgress: (progress: AuditProgress) => {
      if (!settings.quiet) shown.hear(progress)
    },
  }
  try {
    return policy === undefined
      ? await auditHistory(options)
      : await auditHistoryWithLog({ ...options, policy, mirrors, timeoutMs })
  } catch (error) {
    if (error === deadline.reason) {
      throw new UnreachableError(
        `the audit of ${origin} took longer than ${maxTimeMs / 1000} s; --max-time allows more`,
      )
    }
    throw failureOf(error, settings, await describeRetiredPin(error))
  } finally {
    shown.end()
    httpClient.close()
  }
}
