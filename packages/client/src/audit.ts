// The second entry point: the audit of the history. It is separate so that pages that only read do not load it.

export { auditHistory } from './audit-history.ts'
export type { AuditReport, KeyChange } from './audit-history.ts'
export type { AuditOptions, AuditProgress } from './audit-options.ts'
export { AuditStateError } from './audit-state-error.ts'
export type { AuditStateFault } from './audit-state-error.ts'
export { history } from './history.ts'
export { createLocalStorageHeadStore } from './head-store.ts'
export type { HeadStore, SavedHead, TextStorage } from './head-store.ts'
export { HistoryError, UnlinkedKeysError } from './history-error.ts'
export { EvidenceError, verifyEvidence } from './history-evidence.ts'
export type {
  HistoryEvidence,
  HistoryFault,
  HistoryFinding,
  ProvenFault,
} from './history-evidence.ts'
export type { Redaction } from './redactions.ts'
export type { PortableResponse } from './portable-response.ts'
export { ChainError } from '#contract/history/version-chain'
export type { ChainFault } from '#contract/history/version-chain'
export { UnsettledError } from './unsettled-error.ts'
