import { parseJson } from '@public-api/contract/json/parse-json'
import { isTranslatedName, TRANSLATED_SCHEMAS } from '@public-api/contract/registry/resource-names'
import { schemaViolation } from '@public-api/contract/schemas/schema-violation'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import type { ReleaseStore } from '../storage/release-store.ts'
import {
  appendVersion,
  guardLine,
  type PublishResult,
  readVersions,
  type ReleaseOptions,
  requireVersion,
  resourceFault,
} from './append-version.ts'
import { PublishError } from './publish-error.ts'

/** Why a version cannot be served again: every reason, one line each. */
export function findObstacles(store: ReleaseStore, { resources }: VersionEntry): readonly string[] {
  const obstacles: string[] = []
  for (const [name, digest] of Object.entries(resources)) {
    const fault = resourceFault(store, name, digest)
    if (fault !== undefined) obstacles.push(`${name}: ${fault}`)
    if (fault !== undefined || !isTranslatedName(name)) continue
    // The schemas may have changed since: the content must match the current ones.
    const data = parseJson(store.readResourceText(name, digest))
    const violation = schemaViolation(TRANSLATED_SCHEMAS[name], data)
    if (violation !== undefined) obstacles.push(`${name} does not match its schema: ${violation}`)
  }
  for (const name of SNAPSHOT_NAMES) {
    if (resources[name] === undefined) obstacles.push(`${name} is not in it`)
  }
  return obstacles
}

/**
 * Publishes the content of an older version as the next version. Rejects with a PublishError if there is no such
 * version, or if its content is damaged, redacted or outdated; then nothing changed.
 */
export async function rollBackRelease(
  options: ReleaseOptions & { readonly snapshotId: string },
): Promise<PublishResult> {
  const { store, snapshotId, note } = options
  await guardLine('the note', note)
  const versions = readVersions(store)
  const target = requireVersion(versions, snapshotId)
  return appendVersion(options, versions, target.resources, (isNew) => {
    const obstacles = isNew ? findObstacles(store, target) : []
    if (obstacles.length === 0) return []
    const message = `${snapshotId} cannot be published again: ${obstacles.join('; ')}`
    throw new PublishError('VERSION', message)
  })
}
