// The third entry point: the transparency log. Pure functions, and a client for published files anywhere.

export { createArchiveClient } from './log/archive-client.ts'
export type {
  ArchiveClient,
  ArchiveClientOptions,
  ArchivedRedaction,
  ArchivedResource,
  ArchiveHistory,
} from './log/archive-client.ts'
export type { TreeHead } from './log/checkpoint.ts'
export { auditHistoryWithLog, SavedCheckpointError } from './log/compare-log.ts'
export type {
  LogAuditOptions,
  LogAuditReport,
  LogReport,
  MirrorReport,
  WitnessReport,
} from './log/compare-log.ts'
export { ForkError, verifyForkEvidence, verifyOneHistory } from './log/fork-evidence.ts'
export type { ForkEvidence } from './log/fork-evidence.ts'
export { LogError } from './log/log-error.ts'
export type { LogFault } from './log/log-error.ts'
export { LaggingError, LogFinding } from './log/log-finding.ts'
export { verifyLogMismatch } from './log/log-mismatch.ts'
export type { LogMismatch, MismatchTrust } from './log/log-mismatch.ts'
export { openPolicy } from './log/log-policy.ts'
export type { LogPolicy, PolicyLog, PolicyWitness } from './log/log-policy.ts'
export { verifyProof } from './log/log-proof.ts'
export type { ProofExpectations, VerifiedProof } from './log/log-proof.ts'
export { verifyConsistency, verifyInclusion } from './log/merkle-tree.ts'
export type { Consistency, Inclusion, SubtreeHashes } from './log/merkle-tree.ts'
export { createTileHashes } from './log/tiles.ts'
export type { ReadTile, Tile } from './log/tiles.ts'
export { verifyCheckpoint } from './log/verify-checkpoint.ts'
export type {
  CheckpointExpectations,
  Cosignature,
  VerifiedCheckpoint,
} from './log/verify-checkpoint.ts'
export type { NoteKey } from './log/signed-note.ts'
export { verifyWithheld } from './log/withheld.ts'
export type { WithheldEvidence, WithheldTrust, WithheldVersions } from './log/withheld.ts'
export { ChainError } from '#contract/history/version-chain'
export type { ChainFault } from '#contract/history/version-chain'
