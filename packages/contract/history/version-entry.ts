import { isCanonicalJson } from '../json/canonical-json.ts'
import { parseJson } from '../json/parse-json.ts'
import { DATA_SCHEMAS } from '../registry/schemas.ts'
import { schemaMistakes } from '../schemas/schema-mistake.ts'
import { RESOURCE_NAME_PATTERN } from '../terms/identifier-patterns.ts'
import type { VersionEntry } from './version-chain.ts'

const RESOURCE_NAME = new RegExp(RESOURCE_NAME_PATTERN)

/** A version entry is invalid: unreadable, not JSON, not canonical, or a member is missing or has the wrong shape. */
export class VersionEntryError extends Error {
  /** The expected entry, named by its file or path. */
  readonly snapshotId: string

  constructor(snapshotId: string, fault: string, cause?: unknown) {
    super(`${snapshotId}: ${fault}`, cause === undefined ? undefined : { cause })
    this.name = 'VersionEntryError'
    this.snapshotId = snapshotId
  }
}

/**
 * Parses the stored text of a version entry. Throws a VersionEntryError if the shape is wrong or the text is not the
 * canonical JSON that was hashed. `snapshotId` is the id under which the text was found. Additional members are allowed,
 * and the hash covers them too. `verifyLink` checks the place of the entry in the chain.
 */
export function parseVersionEntry(text: string, snapshotId: string): VersionEntry {
  const value = parseJson(text)
  if (value === undefined) {
    const hasConflict = /^<{7}/m.test(text)
    const conflict =
      'the entry has a merge conflict; expected that of the side that was pushed first'
    throw new VersionEntryError(snapshotId, hasConflict ? conflict : 'the entry is not JSON')
  }
  for (const { path, keyword, expected } of schemaMistakes(DATA_SCHEMAS.VersionSnapshot, value)) {
    const place = path.length === 0 ? 'the entry' : path.join('.')
    const fault = keyword === 'required' ? 'is missing' : `is invalid; expected ${expected}`
    throw new VersionEntryError(snapshotId, `${place} ${fault}`)
  }
  if (!isCanonicalJson(text, value)) {
    throw new VersionEntryError(
      snapshotId,
      'the text is not the canonical JSON (RFC 8785) of the entry',
    )
  }
  // A renamed file would link and hash correctly, but occupy the place of the next version.
  const entry = value as VersionEntry
  // `verifyChanges` compares `changes` with the names of the resources, so this covers those too.
  const wrong = entry.changes.find(({ resource }) => !RESOURCE_NAME.test(resource))
  if (wrong !== undefined) {
    throw new VersionEntryError(snapshotId, 'changes names a resource that is not a resource name')
  }
  if (entry.snapshotId !== snapshotId) {
    throw new VersionEntryError(snapshotId, `the entry there is ${entry.snapshotId}`)
  }
  return entry
}
