import { messageOf } from '../contract/error-message.ts'
import type { VersionEntry } from '../contract/version-chain.ts'
import { readHistory } from '../crypto/published-history.ts'
import { ReleaseFileError, type ReleaseStore } from '../storage/release-store.ts'
import { resourceFault } from './resource-fault.ts'

/** One thing that is wrong with a release folder. */
export interface ReleaseFinding {
  /** Version, resource, file or folder. */
  readonly where: string
  /** One line: what was found and what was expected. */
  readonly message: string
}

/** What a release folder contains. */
export interface VerifiedReleases {
  readonly versions: readonly VersionEntry[]
  /** Resources that were compared with their digest. */
  readonly resources: number
  readonly redactions: number
  /** Empty if everything matches. */
  readonly findings: readonly ReleaseFinding[]
}

function readChain(store: ReleaseStore): readonly VersionEntry[] | ReleaseFinding {
  try {
    return readHistory(store).map(({ entry }) => entry)
  } catch (error) {
    return { where: 'version history', message: messageOf(error) }
  }
}

/**
 * Checks a release folder from end to end: every entry with its hash and its `changes`, the digest of every resource of
 * every version, and every redaction. Needs no content and no clock.
 */
export function verifyReleases(store: ReleaseStore): VerifiedReleases {
  const versions = readChain(store)
  if ('where' in versions)
    return { versions: [], resources: 0, redactions: 0, findings: [versions] }
  const head = versions.at(-1)
  if (head === undefined) {
    const finding = { where: 'version history', message: 'found no version, expected one' }
    return { versions, resources: 0, redactions: 0, findings: [finding] }
  }
  const findings: ReleaseFinding[] = []
  const seen = new Map<string, { readonly snapshotId: string; readonly isRedacted: boolean }>()

  function check(entry: VersionEntry, name: string, digest: string): boolean {
    const where = `${entry.snapshotId} ${name}`
    try {
      const isRedacted = store.readRedaction(name, digest) !== undefined
      const fault = resourceFault(store, name, digest)
      if (!isRedacted && fault !== undefined) findings.push({ where, message: fault })
      if (isRedacted && fault === undefined) {
        findings.push({
          where,
          message: 'found the bytes of a redacted resource, expected none; redact it again',
        })
      }
      return isRedacted
    } catch (error) {
      if (!(error instanceof ReleaseFileError)) throw error
      findings.push({ where, message: error.message })
      return false
    }
  }

  for (const entry of versions) {
    for (const [name, digest] of Object.entries(entry.resources)) {
      const key = `${name}/${digest}`
      if (!seen.has(key)) {
        seen.set(key, { snapshotId: entry.snapshotId, isRedacted: check(entry, name, digest) })
      }
      if (entry === head && seen.get(key)?.isRedacted === true) {
        findings.push({
          where: `${entry.snapshotId} ${name}`,
          message: 'found a redaction of what the newest version serves, expected the resource',
        })
      }
    }
  }
  try {
    for (const { resource, digest } of store.listRedactions()) {
      if (seen.has(`${resource}/${digest}`)) continue
      findings.push({
        where: `${resource}/${digest}`,
        message: 'found a redaction of a resource that no version names, expected none',
      })
    }
  } catch (error) {
    if (!(error instanceof ReleaseFileError)) throw error
    // A redaction that a version names was reported above.
    if (findings.length === 0) findings.push({ where: 'redactions', message: error.message })
  }
  const redactions = [...seen.values()].filter(({ isRedacted }) => isRedacted).length
  return { versions, resources: seen.size - redactions, redactions, findings }
}
