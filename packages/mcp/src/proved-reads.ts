import type { Client } from '@public-api/client-internal/client'
import { readNewest } from '@public-api/client-internal/history/newest-version'
import type { DataOfTarget } from '@public-api/client-internal/reads'
import type { Verified } from '@public-api/client-internal/verified'
import type { VersionSummary } from '@public-api/contract/history/version-chain'
import { propertyOf } from '@public-api/contract/json/property-of'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { formatInstant } from '@public-api/contract/text/instant'
import { ToolFailure } from './tool-failure.ts'

/** The facts that accompany every result. */
export interface ResultProof {
  readonly origin: string
  readonly keyId: string
  readonly isPinned: boolean
  readonly provedAt: string
  readonly source: 'origin' | 'mirror' | 'store'
  readonly version: Pick<VersionSummary, 'snapshotId' | 'createdAt' | 'hash'>
}

/** Data with its proof. */
export interface Proved<Data> {
  readonly proof: ResultProof
  readonly data: Data
}

/** The client, and how its keys are trusted. */
export interface Source {
  readonly client: Client
  readonly isPinned: boolean
}

/** When and by whom data was signed. A response that was received elsewhere has no source. */
type Signed = Pick<Verified<unknown>, 'keyId' | 'provedAtMs'> &
  Partial<Pick<Verified<unknown>, 'source'>>

/** The proof of a verified response that belongs to a version. */
export function proofOf(
  { client, isPinned }: Source,
  { keyId, provedAtMs, source = 'origin' }: Signed,
  { snapshotId, createdAt, hash }: VersionSummary,
): ResultProof {
  const version = { snapshotId, createdAt, hash }
  const provedAt = formatInstant(provedAtMs)
  return { origin: client.origin, keyId, isPinned, provedAt, source, version }
}

/**
 * Reads a resource together with the newest version, and checks that the version contains it. Both are read again
 * without caches if a version was published in between.
 */
export async function readProved<const Name extends string>(
  source: Source,
  name: Name,
): Promise<Proved<DataOfTarget<`${typeof BASE_PATH}/${Name}`>>> {
  const target = `${BASE_PATH}/${name}` as const
  for (const fresh of [false, true]) {
    const [resource, newest] = await Promise.all([
      source.client.get(target, { fresh }),
      readNewest(source.client, { fresh }),
    ])
    const digest = propertyOf(newest.data.resources, name)
    if (resource.etag === `W/"${String(digest)}"`) {
      return { proof: proofOf(source, resource, newest.data), data: resource.data }
    }
  }
  throw new ToolFailure(
    'INCONSISTENT',
    `${target} is not what the newest version contains; ask again, or run the audit`,
  )
}
