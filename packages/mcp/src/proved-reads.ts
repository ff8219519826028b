import type { Client } from '@public-api/client-internal/client'
import { readArchived } from '@public-api/client-internal/history/archived-resource'
import { readNewest } from '@public-api/client-internal/history/newest-version'
import type { DataOfTarget } from '@public-api/client-internal/reads'
import type { Verified } from '@public-api/client-internal/verified'
import type { VersionEntry, VersionSummary } from '@public-api/contract/history/version-chain'
import { propertyOf } from '@public-api/contract/json/property-of'
import { isPastEventsName, pastEventsResource } from '@public-api/contract/snapshots/past-events'
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
  /** That the copy is older than what was verified before. Other warnings of the client quote what was received. */
  readonly warnings?: readonly string[]
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

/** When and by whom data was signed, and from where it, or for a response that was received elsewhere the version, was read. */
type Signed = Pick<Verified<unknown>, 'keyId' | 'provedAtMs' | 'source' | 'warnings'>

/** The proof of a verified response that belongs to a version. */
export function proofOf(
  { client, isPinned }: Source,
  { keyId, provedAtMs, source, warnings }: Signed,
  { snapshotId, createdAt, hash }: VersionSummary,
): ResultProof {
  const version = { snapshotId, createdAt, hash }
  const provedAt = formatInstant(provedAtMs)
  const older = warnings.filter((each) => each.startsWith('OLDER_COPY: '))
  const noted = older.length === 0 ? {} : { warnings: older }
  return { origin: client.origin, keyId, isPinned, provedAt, source, ...noted, version }
}

/**
 * Reads a resource together with the newest version, and checks that the version contains it. Both are read again
 * without caches if a version was published in between.
 */
async function readWithVersion<const Name extends string>(source: Source, name: Name) {
  const target = `${BASE_PATH}/${name}` as const
  for (const fresh of [false, true]) {
    const [resource, newest] = await Promise.all([
      source.client.get(target, { fresh }),
      readNewest(source.client, { fresh }),
    ])
    const digest = propertyOf(newest.data.resources, name)
    if (resource.etag === `W/"${String(digest)}"`) return { resource, newest }
  }
  throw new ToolFailure(
    'INCONSISTENT',
    `${target} is not what the newest version contains; ask again, or run the audit`,
  )
}

/** Reads a resource that the newest version contains. */
export async function readProved<const Name extends string>(
  source: Source,
  name: Name,
): Promise<Proved<DataOfTarget<`${typeof BASE_PATH}/${Name}`>>> {
  const { resource, newest } = await readWithVersion(source, name)
  return { proof: proofOf(source, resource, newest.data), data: resource.data }
}

const YEAR_LENGTH = 4

/** The years of which a version has incidents and maintenances that its status does not have, newest first. */
export const yearsOf = ({ resources }: Pick<VersionEntry, 'resources'>): readonly string[] =>
  Object.keys(resources)
    .filter(isPastEventsName)
    .map((name) => name.slice(-YEAR_LENGTH))
    .toSorted()
    .toReversed()

/** The status, with the newest version, which names the years before it. */
export async function readStatus(source: Source) {
  const { resource, newest } = await readWithVersion(source, 'status')
  return {
    proof: proofOf(source, resource, newest.data),
    data: resource.data,
    entry: newest.data,
  }
}

/** The incidents and maintenances of one year that the version of a status has and the status does not. */
export async function readYear(
  { client }: Source,
  { entry: { resources }, proof: { source } }: Awaited<ReturnType<typeof readStatus>>,
  year: string,
  signal: AbortSignal,
): Promise<{ readonly incidents: readonly unknown[]; readonly maintenances: readonly unknown[] }> {
  const name = pastEventsResource(year)
  const digest = resources[name]
  if (digest === undefined) {
    throw new ToolFailure('NOT_FOUND', 'no older incidents of this year are published')
  }
  const data = await readArchived(client, name, digest, { signal, isAway: source !== 'origin' })
  const [incidents = [], maintenances = []] = [
    propertyOf(data, 'incidents'),
    propertyOf(data, 'maintenances'),
  ]
  if (data === undefined || !Array.isArray(incidents) || !Array.isArray(maintenances)) {
    throw new ToolFailure(
      'UNAVAILABLE',
      'neither the archive of the service nor a mirror gave the bytes of this year',
    )
  }
  return { incidents, maintenances }
}
