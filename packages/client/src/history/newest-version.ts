import type { Client } from '../client.ts'
import type { ReadData } from '../reads.ts'
import type { ReadOptions, Verified } from '../verified.ts'
import { createHistoryFailure, orBroken } from './history-failure.ts'
import { findEntryFault } from './history-proofs.ts'

/** The newest version. Throws a HistoryError (BROKEN) if the signed entry is malformed or has a wrong hash. */
export async function readNewest(
  client: Client,
  options: ReadOptions,
): Promise<Verified<ReadData<'version'>>> {
  const newest = await orBroken(client, client.version(options))
  const fault = await findEntryFault(newest.data)
  if (fault === undefined) return newest
  throw await createHistoryFailure(client, 'BROKEN', [newest.response], fault)
}
