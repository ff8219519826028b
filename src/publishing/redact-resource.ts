import { formatInstant } from '@public-api/contract/text/instant'
import type { RedactedResource } from '@public-api/contract/history/redaction'
import { expectedName } from '@public-api/contract/text/nearest-name'
import {
  guardLine,
  readVersions,
  type ReleaseOptions,
  requireVersion,
  writeRelease,
} from './append-version.ts'
import { PublishError } from './publish-error.ts'

/**
 * Permanently removes the bytes of a resource, as the version `snapshotId` names it, and leaves a redaction with the
 * reason. The chain keeps its digest and stays valid. Returns it with every version that named it. Rejects with a
 * PublishError if the newest version serves it.
 */
export async function redactResource({
  store,
  nowMs,
  snapshotId,
  resource,
  reason,
}: Pick<ReleaseOptions, 'store' | 'nowMs'> & {
  readonly snapshotId: string
  readonly resource: string
  /** One line for readers of the history. */
  readonly reason: string
}): Promise<RedactedResource & { readonly snapshotIds: readonly string[] }> {
  await guardLine('the reason', reason)
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
  const redaction = { reason, redactedAt: formatInstant(nowMs) }
  writeRelease(snapshotId, () => store.redactResource(resource, digest, redaction))
  const kept = store.readRedaction(resource, digest) ?? redaction
  return {
    resource,
    digest,
    ...kept,
    snapshotIds: versions
      .filter((each) => each.resources[resource] === digest)
      .map((each) => each.snapshotId),
  }
}
