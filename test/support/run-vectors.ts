import { decodeBase64, encodeBase64 } from '@public-api/client-internal/base64'
import { readHeaders } from '@public-api/client-internal/header-fields'
import { findChangesFinding, hashOf } from '@public-api/client-internal/history/history-proofs'
import { LogError, type LogFault } from '@public-api/client-internal/log/log-error'
import { openPolicy } from '@public-api/client-internal/log/log-policy'
import { verifyProof } from '@public-api/client-internal/log/log-proof'
import { verifyCheckpoint } from '@public-api/client-internal/log/verify-checkpoint'
import { verifyKeyDocument } from '@public-api/client-internal/signing-keys'
import { VerificationError } from '@public-api/client-internal/verification-error'
import { importKey } from '@public-api/client-internal/verification-key'
import { verifyResponse } from '@public-api/client-internal/verify-response'
import { isVersionEntry } from '@public-api/contract/history/entry-shape'
import { ChainError, verifyLink } from '@public-api/contract/history/version-chain'
import { CLIENT_HEADERS } from '@public-api/contract/terms/client-headers'
import { parseInstant } from '@public-api/contract/text/instant'
import type {
  HeaderPair,
  HistoryOutcome,
  HistoryVector,
  LogVector,
  KeyVector,
  VectorOutcome,
  Vector,
  VectorResponse,
} from './vector.ts'

/** The step of the vectors' README for a failure. This verifier distinguishes some steps further. */
function outcomeOfFailure(error: unknown): VectorOutcome {
  if (!(error instanceof VerificationError)) throw error
  return error.code === 'KEY_MALFORMED' ? 'UNKNOWN_KEY' : error.code
}

function bodyOf({ bodyBase64 }: VectorResponse): Uint8Array {
  return decodeBase64(bodyBase64 ?? '')
}

function ifNoneMatchOf(headers: readonly HeaderPair[]): { readonly ifNoneMatch?: string } {
  const ifNoneMatch = readHeaders(headers)(CLIENT_HEADERS.ifNoneMatch)
  return ifNoneMatch === undefined ? {} : { ifNoneMatch }
}

/** The outcome of `verifyResponse` for a vector, as defined in the vectors' README. Other warnings are reported as ETAG. */
async function outcomeOf(vector: Vector): Promise<VectorOutcome> {
  const { request, response, revalidation, publicKey, pinnedKeyId, maxAgeSeconds } = vector
  try {
    const { warnings } = await verifyResponse({
      method: request.method,
      target: request.target,
      ...ifNoneMatchOf(request.headers),
      status: response.status,
      headers: response.headers,
      body: bodyOf(response),
      keys: [await importKey(publicKey)],
      pinnedKeyIds: [pinnedKeyId],
      maxAgeSeconds,
      nowMs: parseInstant(vector.now) ?? NaN,
      ...(revalidation === undefined ? {} : { revalidated: revalidation.headers }),
    })
    const codes = warnings.map((warning) => warning.split(':')[0])
    return codes.join() === (vector.warnings ?? []).join() ? 'ok' : 'ETAG'
  } catch (error) {
    return outcomeOfFailure(error)
  }
}

/** The outcome of a document of keys. Other keys than the stated ones are reported as UNKNOWN_KEY. */
async function outcomeOfKeys(vector: KeyVector): Promise<VectorOutcome> {
  const { keyRequest, response, pinnedKeyIds, keyIds } = vector
  try {
    const { keys } = await verifyKeyDocument({
      ...keyRequest,
      status: response.status,
      headers: response.headers,
      body: bodyOf(response),
      pinnedKeyIds: pinnedKeyIds.length === 0 ? undefined : pinnedKeyIds,
      nowMs: parseInstant(vector.now) ?? NaN,
    })
    return keys.map(({ keyId }) => keyId).join() === keyIds?.join() ? 'ok' : 'UNKNOWN_KEY'
  } catch (error) {
    return outcomeOfFailure(error)
  }
}

/** Result of one vector, or of one link of its chain. */
export interface VectorResult {
  /** Name of the vector. */
  readonly name: string
  /** What the vector tests. */
  readonly description: string
  /** The expected outcome. */
  readonly expected: VectorOutcome | HistoryOutcome | LogFault
  /** The outcome on this platform. */
  readonly found: VectorOutcome | HistoryOutcome | LogFault
}

/** Checks a chain of entries, oldest first, and returns the result of the first invalid one. */
async function outcomeOfHistory({ entries }: HistoryVector): Promise<HistoryOutcome> {
  let previous: HistoryVector['entries'][number] | undefined
  for (const entry of entries) {
    if (!isVersionEntry(entry)) return 'BROKEN'
    try {
      verifyLink(previous, entry, await hashOf(entry))
    } catch (error) {
      // A TypeError: half of a surrogate pair has no canonical form.
      if (error instanceof ChainError || error instanceof TypeError) return 'BROKEN'
      throw error
    }
    if (findChangesFinding(previous, entry) !== undefined) return 'CHANGES_FALSE'
    previous = entry
  }
  return 'ok'
}

/** What a check of the log returns, as the vector's `result` states it. */
async function resultOfLog(vector: LogVector): Promise<LogVector['result']> {
  const { note, proof, entryBase64, resourceBase64, maxAgeSeconds = Infinity } = vector
  const policy = await openPolicy(vector.policy)
  const checks = { policy, nowMs: Date.parse(vector.now), maxAgeSeconds }
  const proved =
    proof === undefined
      ? undefined
      : await verifyProof({
          proof,
          ...checks,
          ...(entryBase64 === undefined ? {} : { entry: decodeBase64(entryBase64) }),
          ...(resourceBase64 === undefined ? {} : { resource: decodeBase64(resourceBase64) }),
        })
  const { size, root, witnessedAtMs } =
    proved?.checkpoint ?? (await verifyCheckpoint({ note: note ?? '', ...checks }))
  return {
    size,
    root: encodeBase64(root),
    witnessedAt: witnessedAtMs === undefined ? null : new Date(witnessedAtMs).toISOString(),
    ...(proved && { hash: proved.version.hash, resources: proved.resources }),
  }
}

/** The expected outcome of a log vector on this platform. */
async function expectedOfLog({ policy, expected, withoutMlDsa44 }: LogVector) {
  if (withoutMlDsa44 === undefined) return expected
  const { witnesses } = await openPolicy(policy)
  return witnesses.every(({ key }) => key.isCheckable) ? expected : withoutMlDsa44
}

/** The outcome of a log vector. A result that differs from the stated one is reported as LOG_MISMATCH. */
async function outcomeOfLog(vector: LogVector): Promise<'ok' | LogFault> {
  try {
    const result = await resultOfLog(vector)
    return JSON.stringify(result) === JSON.stringify(vector.result) ? 'ok' : 'LOG_MISMATCH'
  } catch (error) {
    if (error instanceof LogError) return error.code
    throw error
  }
}

/** A vector and every link of its chain, each at its own time. */
async function checkVector(name: string, vector: Vector): Promise<readonly VectorResult[]> {
  const { description, chain = [] } = vector
  const moments = [
    { name, vector },
    ...chain.map(({ now, expected, revalidation }) => ({
      name: `${name} at ${now}`,
      vector: { ...vector, now, expected, revalidation },
    })),
  ]
  return Promise.all(
    moments.map(async (moment) => ({
      name: moment.name,
      description,
      expected: moment.vector.expected,
      found: await outcomeOf(moment.vector),
    })),
  )
}

/**
 * Runs every vector on this platform's WebCrypto. `readText` returns the text of a file of the vectors' folder;
 * reading starts from index.json, which lists the others. The run succeeded if `found` equals `expected` in every
 * result.
 *
 * @example
 * ```ts
 * const results = await runVectors((file) => readFile(new URL(file, folder), 'utf8'))
 * const wrong = results.filter(({ expected, found }) => expected !== found)
 * ```
 */
export async function runVectors(
  readText: (file: string) => Promise<string>,
): Promise<readonly VectorResult[]> {
  const names = JSON.parse(await readText('index.json')) as readonly string[]
  const results = await Promise.all(
    names.map(async (name) => {
      // Reading with copies needs a network, and signatures for browsers are not checked by this client.
      if (/^(?:fallback|integrity)\//.test(name)) return []
      const vector = JSON.parse(await readText(`${name}.json`)) as
        | Vector
        | HistoryVector
        | KeyVector
        | LogVector
      if (!('policy' in vector || 'keyRequest' in vector || 'entries' in vector)) {
        return checkVector(name, vector)
      }
      const { description } = vector
      const expected = 'policy' in vector ? await expectedOfLog(vector) : vector.expected
      const found = await ('policy' in vector
        ? outcomeOfLog(vector)
        : 'keyRequest' in vector
          ? outcomeOfKeys(vector)
          : outcomeOfHistory(vector))
      return [{ name, description, expected, found }]
    }),
  )
  return results.flat()
}
