import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { sanitizeForTerminal } from '../verifying/sanitize-for-terminal.ts'

/** The changes of a version in one line. */
export function formatChanges({ changes }: VersionEntry): string {
  if (changes.length === 0) return 'no resource changed'
  return sanitizeForTerminal(
    changes.map(({ resource, kind }) => `${resource} ${kind}`).join(', '),
    400,
  )
}

/** ID, time and note of a version in one line. */
export function formatVersion({ snapshotId, createdAt, note }: VersionEntry): string {
  // A signed note should be text, but the service may have signed any JSON.
  const text = typeof note === 'string' ? note : JSON.stringify(note)
  return `${sanitizeForTerminal(snapshotId, 40)}  ${sanitizeForTerminal(createdAt, 40)}  ${sanitizeForTerminal(text, 500)}`
}

/** A version with the key that signed it, for `--json`. */
export function describeVersion(version: VersionEntry, keyId: string): object {
  const { snapshotId, createdAt, note, changes, hash } = version
  return { snapshotId, createdAt, note, changes, hash, keyId }
}
