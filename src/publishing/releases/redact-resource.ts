import type { RedactedResource } from '@public-api/contract/history/redaction'
import { translationsOf } from '@public-api/contract/registry/resource-names'
import { TRANSLATION_LOCALES } from '@public-api/contract/snapshots/translations'
import { formatInstant } from '@public-api/contract/text/instant'
import { expectedName } from '@public-api/contract/text/nearest-name'
import { PublishError } from '../rules/publish-error.ts'
import { type ReleaseOptions, writeRelease } from './append-version.ts'
import { guardLine } from './published-line.ts'
import { keepRecord, readVersions, requireVersion } from './published-versions.ts'

/** The bytes of one resource, as a version names it. */
interface RedactionTarget {
  readonly store: ReleaseOptions['store']
  readonly snapshotId: string
  readonly resource: string
}

/**
 * What redacting a resource would remove: its bytes in every version that names them. `newestDigest` is the digest of the
 * resource in the newest version, if it has one. `translations` are those that these versions have of it, which stay.
 * Throws a PublishError if the newest version serves it, or if the version or the resource does not exist.
 */
export function planRedaction({ store, snapshotId, resource }: RedactionTarget) {
  const versions = readVersions(store)
  const { resources } = requireVersion(versions, snapshotId)
  const digest = new Map(Object.entries(resources)).get(resource)
  if (digest === undefined) {
    const names = Object.keys(resources)
    const missing = `${snapshotId} has no such resource`
    const otherwise = `${missing}; expected one of ${names.join(', ')}`
    throw new PublishError('VERSION', expectedName(resource, names, missing, otherwise))
  }
  const head = versions.at(-1)
  if (head?.resources[resource] === digest) {
    throw new PublishError(
      'VERSION',
      `${head.snapshotId}, the newest version, serves this ${resource}; publish another one first`,
    )
  }
  const named = versions.filter((each) => each.resources[resource] === digest)
  const translations = TRANSLATION_LOCALES.map((locale) => {
    const name = translationsOf(locale, resource)
    const digests = new Set(named.flatMap((each) => each.resources[name] ?? []))
    return { resource: name, digests, newestDigest: head?.resources[name] }
  })
  return {
    resource,
    digest,
    newestDigest: head?.resources[resource],
    snapshotIds: named.map((each) => each.snapshotId),
    translations,
  }
}

/**
 * Permanently removes the bytes of a resource, as the version `snapshotId` names it, and leaves a redaction with the
 * reason. The chain keeps its digest and stays valid. Returns it with every version that named it. Rejects with a
 * PublishError like `planRedaction`, and for a reason that must not be published.
 */
export async function redactResource({
  nowMs,
  reason,
  ...target
}: RedactionTarget & {
  readonly nowMs: number
  /** One line for readers of the history. */
  readonly reason: string
}): Promise<RedactedResource & { readonly snapshotIds: readonly string[] }> {
  await guardLine('the reason', reason)
  const { resource, digest, snapshotIds } = planRedaction(target)
  const redaction = { reason, redactedAt: formatInstant(nowMs) }
  const { store, snapshotId } = target
  writeRelease(snapshotId, () => {
    store.redactResource(resource, digest, redaction)
    // Cards show texts of the organization and its translations. The next publication draws them again.
    if (resource.startsWith('site/')) store.removeCards()
  })
  // It must not name what only the removed bytes had.
  keepRecord(store, readVersions(store))
  return { resource, digest, ...(store.readRedaction(resource, digest) ?? redaction), snapshotIds }
}
