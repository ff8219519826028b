import fs from 'node:fs'
import { messageOf } from '@public-api/contract/errors/error-message'
import { changesBetween } from '@public-api/contract/history/version-chain'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { parseJson } from '@public-api/contract/json/parse-json'
import {
  isTranslation,
  type ResourceName,
  type TranslatedName,
} from '@public-api/contract/registry/resource-names'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import { ReleaseFileError } from '../../releases/release-store.ts'
import { checkRepublished } from '../compile/republished-rules.ts'
import { PublishError } from '../rules/publish-error.ts'
import { appendVersion, type ReleaseOptions } from './append-version.ts'
import { readBase, writeBase } from './content-base.ts'
import { guardLine } from './published-line.ts'
import { contentMs, readVersions, requireVersion } from './published-versions.ts'
import { restoreContent, usualSummaryOf } from './restore-content.ts'
import {
  digestsOf,
  type ResourceSource,
  type ResourceSources,
  selectResources,
  sourcesOfVersion,
  storeSources,
  withoutRedacted,
} from './select-resources.ts'
import { noteOfRollback } from './version-note.ts'

/**
 * Why a version cannot be served again, every reason in one line; and what `svc check` would refuse besides, which does
 * not prevent it: at night, an older state is better than a wrong one.
 */
export function checkResources(sources: ResourceSources, nowMs: number) {
  const faults: string[] = []
  const values = new Map<ResourceName, JsonValue>()
  for (const [name, { read }] of sources) {
    try {
      values.set(name as ResourceName, parseJson(read()) as JsonValue)
    } catch (error) {
      if (!(error instanceof ReleaseFileError)) throw error
      faults.push(`${name}: ${error.message}`)
    }
  }
  for (const name of SNAPSHOT_NAMES) {
    if (!sources.has(name)) faults.push(`${name} is not in it`)
  }
  const { obstacles, warnings } = checkRepublished(values, nowMs)
  return { obstacles: [...faults, ...obstacles], warnings }
}

/**
 * Publishes the content of an older version as the next version, or only some of its resources with their translations,
 * and brings the content folder along if it is based on the newest version. A redacted resource stays as it is in the
 * newest version. Rejects with a PublishError if there is no such version, or if its content is damaged or outdated; then
 * nothing changed.
 */
export async function rollBackRelease(
  options: ReleaseOptions & {
    readonly snapshotId: string
    /** The folder that is brought along. */
    readonly contentDir?: string | undefined
    readonly only?: ReadonlySet<TranslatedName> | undefined
  },
) {
  const { store, snapshotId, contentDir, only } = options
  const nowMs = contentMs(store, options.nowMs)
  const note = options.note ?? noteOfRollback(snapshotId, only)
  await guardLine('the note', note)
  const versions = options.readVersions?.() ?? readVersions(store)
  const target = requireVersion(versions, snapshotId)
  const head = versions.at(-1) ?? target
  const current = sourcesOfVersion(store, head)
  const redacted = Object.entries(target.resources)
    .filter(([name, digest]) => store.readRedaction(name, digest) !== undefined)
    .map(([name]) => name)
  const older = withoutRedacted(sourcesOfVersion(store, target), current, redacted)
  const chosen = only === undefined ? older : selectResources(current, older, only)
  const resources = digestsOf(chosen)
  const { obstacles, warnings } = checkResources(chosen, nowMs)
  if (obstacles.length > 0 && changesBetween(head.resources, resources).length > 0) {
    const message = `${snapshotId} cannot be published again: ${obstacles.join('; ')}`
    throw new PublishError('VERSION', message)
  }
  const prepared = (await options.prepare?.((name) => chosen.get(name)?.read())) ?? []
  const hasFolder = contentDir !== undefined && fs.existsSync(contentDir)
  const base = hasFolder ? readBase(contentDir, versions)?.hash : undefined
  const result = appendVersion({ ...options, note }, versions, resources, (next) => {
    const isNew = ([name, { digest }]: [string, ResourceSource]) => head.resources[name] !== digest
    if (next !== undefined) storeSources(store, [...chosen].filter(isNew))
    return []
  })
  // A killed rollback may have written its version and left the folder as it was before.
  const isRepeated = result.outcome === 'unchanged'
  const from = isRepeated ? versions.at(-2) : head
  const basedOn = from !== undefined && base === from.hash ? contentDir : undefined
  if (isRepeated && basedOn === undefined) return { ...result, restored: undefined }
  const usualSummary = usualSummaryOf(store, versions.slice(0, versions.indexOf(target) + 1))
  const known = from ?? head
  const brought = { name: known.snapshotId, wanted: chosen, usualSummary }
  const { restored, unwritten } =
    basedOn === undefined
      ? {}
      : await restoreContent(basedOn, sourcesOfVersion(store, known), brought, nowMs).then(
          (done) => ({ restored: done, unwritten: writeBase(basedOn, result.entry) }),
          // The version is published by then.
          (error: unknown) => ({
            restored: undefined,
            unwritten: `${basedOn} could not be brought to ${snapshotId} (${messageOf(error)}); svc discard does it when it can be`,
          }),
        )
  const all = [
    ...prepared,
    ...result.warnings,
    ...redacted.map(
      (name) =>
        `${name} is redacted in ${snapshotId}; it stays as in ${head.snapshotId}${
          isTranslation(name) ? ', where it translates the same text' : ''
        }`,
    ),
    ...warnings.map((warning) => `svc check would refuse ${warning}`),
    hasFolder &&
      basedOn === undefined &&
      `${contentDir} is not based on ${head.snapshotId} and was not changed; see svc diff`,
    unwritten,
  ].filter((each) => typeof each === 'string')
  return { ...result, restored, warnings: all }
}
