import { propertyOf } from '#contract/json/property-of'
import type { Client } from './client.ts'
import type { ReadData, ReadOptions, Verified } from './reads.ts'
import { entriesOf } from './history-evidence.ts'
import { VerificationError } from './verification-error.ts'

/** Resource names that are valid paths without encoding. */
const RESOURCE = /^\w[\w.-]*(?:\/\w[\w.-]*)*$/

/** The newest version. Throws a VerificationError for signed data that is not a version, or that names resources without a path. */
export async function readNewest(
  client: Client,
  options: ReadOptions,
): Promise<Verified<ReadData<'version'>>> {
  const newest = await client.version(options)
  requireVersion(newest.data)
  const names = Object.keys(newest.data.resources ?? {})
  const wrong = names.find((name) => !RESOURCE.test(name))
  if (wrong === undefined) return newest
  throw new VerificationError('MALFORMED', 'the newest version names a resource that is not a path')
}

/** Throws a VerificationError unless the data is that of one version. */
export function requireVersion(data: unknown): void {
  if (propertyOf(data, 'entries') === undefined && entriesOf(data).length === 1) return
  throw new VerificationError('MALFORMED', 'expected an entry of the history')
}
