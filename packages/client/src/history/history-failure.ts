import type { Client } from '../client.ts'
import type { HttpResponse } from '../http-response.ts'
import { publishedOf, toPortable, type PortableResponse } from '../portable-response.ts'
import { VerificationError } from '../verification-error.ts'
import type { ReadOptions } from '../verified.ts'
import { formatFinding, HistoryError, UnlinkedKeysError } from './history-error.ts'
import type { HistoryEvidence } from './history-evidence.ts'
import { findIndexFault, PROOFS, type HistoryFault, type HistoryFinding } from './history-proofs.ts'
import { verifyStatements } from './history-statement.ts'
import { areOfOneLineage } from './key-lineage.ts'
import { UnsettledError } from './unsettled-error.ts'

/** The keys and key documents of the time of older responses. */
export type ProofContext = Required<Pick<HistoryEvidence, 'keys' | 'keyDocuments'>>

const NO_CONTEXT: ProofContext = { keys: [], keyDocuments: [] }

/**
 * The error for a contradiction: a HistoryError with evidence if the responses prove it and the keys that signed them are
 * of one lineage, an UnlinkedKeysError for other keys, and an UnsettledError if a release in progress explains it.
 */
export async function createHistoryFailure(
  client: Client,
  fault: HistoryFault,
  responses: readonly (HttpResponse | PortableResponse)[],
  finding: HistoryFinding,
  context: ProofContext = NO_CONTEXT,
): Promise<HistoryError | UnlinkedKeysError | UnsettledError> {
  const all = [...context.keys, ...publishedOf(await client.keys())]
  const keys = [...new Map(all.map((key) => [key.jwk.x, key])).values()]
  const portable = responses.map((response) =>
    'body' in response ? toPortable(response) : response,
  )
  const statements = await verifyStatements(portable, keys)
  const { keyDocuments } = context
  if (!(await areOfOneLineage(statements, await verifyStatements(keyDocuments, keys)))) {
    const keyIds = [...new Set(statements.map(({ keyId }) => keyId))]
    return new UnlinkedKeysError(fault, finding, keyIds)
  }
  const evidence: HistoryEvidence = {
    format: 'svc-history-evidence-v1',
    fault,
    keys,
    responses: portable,
    ...(keyDocuments.length === 0 ? {} : { keyDocuments }),
  }
  if ((await PROOFS[fault](statements)) === 'proven') return new HistoryError(evidence, finding)
  // Also if the clocks of two nodes differ, so that the later response was signed first.
  const shown = `${fault} (${formatFinding(fault, finding)})`
  return new UnsettledError(
    `the responses show ${shown}, as they can during a release; only a response that is signed more than 10 minutes later can confirm it`,
    { evidence, finding },
  )
}

/** The index of the history, whose entries form a chain. */
export async function readIndex(client: Client, options: ReadOptions) {
  const index = await orBroken(client, client.versions(options))
  const fault = findIndexFault(index.data)
  if (fault === undefined) return index
  throw await createHistoryFailure(client, 'BROKEN', [index.response], fault)
}

/**
 * The result of a read. A signed success without the data of its endpoint is a HistoryError (BROKEN) with that response as
 * evidence.
 */
export async function orBroken<Result>(client: Client, read: Promise<Result>): Promise<Result> {
  try {
    return await read
  } catch (error) {
    const isMalformed = error instanceof VerificationError && error.code === 'MALFORMED'
    if (!isMalformed || error.response?.status !== 200) throw error
    const finding = { at: 'the response', expected: 'data', found: 'nothing' }
    try {
      throw await createHistoryFailure(client, 'BROKEN', [error.response], finding)
    } catch (failure) {
      // Without a valid signature the response is evidence of nothing.
      throw failure instanceof HistoryError ? failure : error
    }
  }
}
