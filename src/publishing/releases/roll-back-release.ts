import type { VersionEntry } from '@public-api/contract/history/version-chain'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { parseJson } from '@public-api/contract/json/parse-json'
import type { ResourceName } from '@public-api/contract/registry/resource-names'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import type { ReleaseStore } from '../../releases/release-store.ts'
import { checkRepublished } from '../compile/republished-rules.ts'
import { PublishError } from '../rules/publish-error.ts'
import {
  appendVersion,
  guardLine,
  type PublishResult,
  readVersions,
  type ReleaseOptions,
  requireVersion,
  resourceFault,
} from './append-version.ts'

/**
 * Why a version cannot be served again, every reason in one line; and what `svc check` would refuse besides, which does
 * not prevent it: at night, an older state is better than a wrong one.
 */
export function checkVersion(store: ReleaseStore, { resources }: VersionEntry, nowMs: number) {
  const faults: string[] = []
  const read = new Map<ResourceName, JsonValue>()
  for (const [name, digest] of Object.entries(resources)) {
    const fault = resourceFault(store, name, digest)
    if (fault !== undefined) faults.push(`${name}: ${fault}`)
    else
      read.set(name as ResourceName, parseJson(store.readResourceText(name, digest)) as JsonValue)
  }
  for (const name of SNAPSHOT_NAMES) {
    if (resources[name] === undefined) faults.push(`${name} is not in it`)
  }
  const { obstacles, warnings } = checkRepublished(read, nowMs)
  return { obstacles: [...faults, ...obstacles], warnings }
}

/**
 * Publishes the content of an older version as the next version. Rejects with a PublishError if there is no such
 * version, or if its content is damaged, redacted or outdated; then nothing changed.
 */
export async function rollBackRelease(
  options: ReleaseOptions & { readonly snapshotId: string },
): Promise<PublishResult> {
  const { store, snapshotId, note, nowMs } = options
  await guardLine('the note', note)
  const versions = readVersions(store)
  const target = requireVersion(versions, snapshotId)
  const { obstacles, warnings } = checkVersion(store, target, nowMs)
  const read = (name: string) => {
    const digest = target.resources[name]
    return digest === undefined ? undefined : store.readResourceText(name, digest)
  }
  const prepared = obstacles.length > 0 ? [] : ((await options.prepare?.(read)) ?? [])
  const result = appendVersion(options, versions, target.resources, (isNew) => {
    if (!isNew || obstacles.length === 0) return []
    const message = `${snapshotId} cannot be published again: ${obstacles.join('; ')}`
    throw new PublishError('VERSION', message)
  })
  if (result.outcome === 'unchanged') return result
  const outdated = warnings.map((warning) => `svc check would refuse ${warning}`)
  return { ...result, warnings: [...prepared, ...result.warnings, ...outdated] }
}
