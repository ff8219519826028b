// The audit of the transparency log. The history page loads it when an audit starts, and only where a log exists.
import type { Client } from '@public-api/client-internal/client'
import { ConnectionError, createConnection } from '@public-api/client-internal/connection'
import type { HeadStore } from '@public-api/client-internal/history/head-store'
import { auditLog, type LogReport } from '@public-api/client-internal/log/compare-log'
import { LogError } from '@public-api/client-internal/log/log-error'
import { LaggingError, LogFinding } from '@public-api/client-internal/log/log-finding'
import { MAX_POLICY_BYTES, openPolicy } from '@public-api/client-internal/log/log-policy'
import type { VersionSummary } from '@public-api/contract/history/version-chain'

/** The log of one audit of the history. */
export interface PageLogAudit {
  readonly client: Client
  /** All versions that the service signed, newest first. */
  readonly signed: readonly VersionSummary[]
  /** The policy of the visitor; empty for the one that the service suggests. */
  readonly policy: string
  /** Where the checkpoint of the last audit is saved; undefined without storage. */
  readonly store: HeadStore | undefined
  readonly signal: AbortSignal
}

/** What is wrong with the log, for the page: errors of another script are not instances of its classes. */
export interface PageLogFault {
  /** A code of a LogError or a LogFinding, or LAGGING, CONNECTION or OTHER. */
  readonly code: string
  readonly detail: string
  /** What a third party can check. */
  readonly evidence?: LogFinding['evidence']
}

async function readSuggestedPolicy(signal: AbortSignal): Promise<string> {
  const read = (url: string, init: RequestInit) => fetch(url, { ...init, signal })
  const connection = createConnection(location.origin, read, { maxBodyBytes: MAX_POLICY_BYTES })
  const { status, body } = await connection.send('/log/policy', {}, undefined)
  if (status !== 200) throw new ConnectionError('/log/policy', new Error(`status ${status}`))
  return new TextDecoder('utf-8', { fatal: true }).decode(body)
}

function faultOf(error: unknown): PageLogFault {
  const detail = error instanceof Error ? error.message : String(error)
  if (error instanceof LogFinding) return { code: error.code, detail, evidence: error.evidence }
  // The store keeps what a later audit needs.
  if (error instanceof LaggingError) return { code: error.code, detail }
  if (error instanceof LogError) return { code: error.code, detail }
  return { code: error instanceof ConnectionError ? 'CONNECTION' : 'OTHER', detail }
}

/** Checks the log of an audited history by a policy, and saves its checkpoint. Never rejects. */
export async function auditPageLog(
  audit: PageLogAudit,
): Promise<{ readonly report: LogReport } | { readonly fault: PageLogFault }> {
  const { client, signed, store, signal } = audit
  try {
    const opened = await openPolicy(audit.policy || (await readSuggestedPolicy(signal)))
    // A page of the service may not ask other hosts.
    const witnesses = opened.witnesses.map((each) => ({ ...each, url: undefined }))
    const policy = { ...opened, witnesses }
    const report = await auditLog({
      client,
      signed,
      policy,
      mirrors: [],
      ...(store === undefined ? {} : { store }),
      signal,
      nowMs: Date.now(),
      fetch: (url, init) => fetch(url, init),
    })
    return { report }
  } catch (error) {
    return { fault: faultOf(error) }
  }
}
