import type { VersionEntry, VersionSummary } from '#contract/history/version-chain'
import type { Client } from '../client.ts'
import type { HttpResponse } from '../http-response.ts'
import { publishedOf, toPortable, type PortableResponse } from '../portable-response.ts'
import { parseSigningKeys } from '../signing-keys.ts'
import { importKey } from '../verification-key.ts'
import type { Verified } from '../verified.ts'
import type { AuditOptions } from './audit-options.ts'
import { auditOnce, type AuditedRound, type KnownHead } from './audit-round.ts'
import { AuditStateError } from './audit-state-error.ts'
import { MAX_UNSETTLED, type SavedHead } from './head-store.ts'
import { createHistoryFailure } from './history-failure.ts'
import { findNewestContradiction, type HistoryFinding } from './history-proofs.ts'
import { entriesOf, verifyStatements, type Statement } from './history-statement.ts'
import { readNewest } from './newest-version.ts'
import { readRedactions, type Redaction } from './redactions.ts'
import { type RemovedByVersion, readRemovedEvents } from './removed-events.ts'
import { UnsettledError, type UnsettledContradiction } from './unsettled-error.ts'

/** Another key signs than in the last audit. */
export interface KeyChange {
  /** ID of the key that signed before. */
  readonly from: string
  /** ID of the key that signs now. */
  readonly to: string
  /** Whether an earlier audit saw the new key in the key document, signed by a key it knew. */
  readonly isAnnounced: boolean
}

/** The result of an audit without contradictions. */
export interface AuditReport {
  /** The newest version. */
  readonly head: VersionEntry
  /** The head of the last audit; undefined on the first audit. */
  readonly previousHead: VersionSummary | undefined
  /** RFC 7638 ID of the key that signed the newest version. Through the chain its signature covers all others. */
  readonly keyId: string
  /** Undefined if the key of the last audit still signs. */
  readonly keyChange: KeyChange | undefined
  /** Versions published since the last audit, oldest first; all versions on the first audit. */
  readonly newVersions: readonly VersionEntry[]
  /** Number of versions whose hash and changes this audit recomputed. */
  readonly versionsRead: number
  /** Resources that match the newest version. */
  readonly resources: readonly string[]
  /** Resources of the newest version that the service reported as unavailable. */
  readonly unavailable: readonly string[]
  /** Older resources that the operator removed, from the unsigned list of the archive. */
  readonly redactions: readonly Redaction[]
  /** Incidents and maintenances that the new versions removed, as far as the archive has their statuses. */
  readonly removed: readonly RemovedByVersion[]
}

/** Maximum number of rounds. A new round starts whenever a version was published during the last one. */
const MAX_ROUNDS = 4

/**
 * Recomputes the history: the hash and the changes of every new version, the links between all versions, the link to the
 * head of the last audit, and the served resources against the newest version. Saves the head once everything matches.
 *
 * Throws a HistoryError with evidence if the service contradicts itself, an UnlinkedKeysError if it contradicts the saved
 * head under an unrelated key, an AuditStateError if the saved head belongs to another service, an UnsettledError if a
 * release was in progress, and otherwise what the client throws. The responses of an UnsettledError are saved beside the
 * head, so that the next audit can confirm them.
 *
 * @example
 * ```ts
 * import { createClient } from '@public-api/client'
 * import { auditHistory } from '@public-api/client/audit'
 * import { createFileHeadStore } from '@public-api/client/node'
 *
 * const client = createClient({ baseUrl: 'https://api.example.org', pinnedKeyIds: ['kPrK_qmx…'] })
 * const report = await auditHistory({ client, store: createFileHeadStore('audit-state.json') })
 * console.log(report.head.snapshotId, report.newVersions.length)
 * ```
 */
export async function auditHistory(options: AuditOptions): Promise<AuditReport> {
  let hasEnded = false
  try {
    return await auditRounds({
      ...options,
      onProgress(progress) {
        // Requests that were pending when a step failed may still complete.
        if (!hasEnded) options.onProgress?.(progress)
      },
    })
  } finally {
    hasEnded = true
  }
}

async function auditRounds(options: AuditOptions): Promise<AuditReport> {
  const { client, store } = options
  const saved = await store?.load()
  if (saved !== undefined) requireSameOrigin(saved, options)
  try {
    const { report, newest } = await auditUntilSettled(options, saved)
    await store?.save(await headToSave(client, newest.response, saved))
    return report
  } catch (error) {
    const contradiction = error instanceof UnsettledError ? error.contradiction : undefined
    if (contradiction !== undefined) {
      await store?.save(await unsettledToSave(client, contradiction, saved))
    }
    throw error
  }
}

/** Audits until no version was published in the meantime. Saves nothing. */
async function auditUntilSettled(options: AuditOptions, saved: SavedHead | undefined) {
  const { client, signal } = options
  const readOptions = { fresh: true, ...(signal === undefined ? {} : { signal }) }
  let newest = await readNewest(client, readOptions)
  // Every head that was signed before. The history must extend all of them, because a head that appears between two
  // rounds proves nothing about the saved head.
  const signed = await readSaved(saved)
  const { heads: known } = signed
  const [savedHead] = known
  const previous = saved?.isAudited === false ? undefined : savedHead
  const keyChange =
    saved === undefined || savedHead === undefined
      ? undefined
      : await keyChangeBetween(saved, savedHead, newest.keyId)
  if (saved !== undefined) requireLineage(saved, options, keyChange)
  const entries = new Map<string, Promise<VersionEntry>>()
  for (let round = 1; ; round += 1) {
    const found = await auditOnce({ ...options, readOptions, previous, known, newest, entries })
    const after = await readNewest(client, readOptions)
    if (after.data.hash === newest.data.hash) {
      await requireConsistent(client, signed, [newest, after], found)
      const { resources, unavailable } = found
      const read = await Promise.all(entries.values())
      const lastSequence = previous?.entry.sequence ?? 0
      const newVersions = read
        .filter(({ sequence }) => sequence > lastSequence)
        .toSorted((one, other) => one.sequence - other.sequence)
      const report: AuditReport = {
        head: newest.data,
        previousHead: previous?.entry,
        keyId: newest.keyId,
        keyChange,
        newVersions,
        versionsRead: read.length,
        resources,
        unavailable,
        redactions: await readRedactions(client, signal),
        removed: await readRemovedEvents(client, previous?.entry, newVersions, signal),
      }
      return { report, newest }
    }
    if (round === MAX_ROUNDS) {
      throw new UnsettledError(`a new version was published during each of ${MAX_ROUNDS} rounds`)
    }
    known.push(await knownOf(client, newest))
    newest = after
  }
}

/** The saved heads, the audited one first, and the other unsettled responses. */
async function readSaved(saved: SavedHead | undefined) {
  const heads: KnownHead[] = []
  const earlier: { readonly statement: Statement; readonly response: PortableResponse }[] = []
  if (saved === undefined) return { heads, earlier }
  const { keys, keyDocument, unsettled = [] } = saved
  const keyDocuments = keyDocument === undefined ? [] : [keyDocument]
  const responses = [saved.response, ...unsettled]
  const statements = await verifyStatements(responses, keys).catch((error: unknown) => {
    // An edited head would accuse the service.
    throw new TypeError(`The saved head: its signature is invalid; ${String(error)}`)
  })
  for (const [index, statement] of statements.entries()) {
    const response = responses[index] ?? saved.response
    const { claim, data, keyId, provedAtMs } = statement
    const [entry] = claim?.kind === 'newest' ? entriesOf(data) : []
    if (entry !== undefined) {
      heads.push({ entry, data, keyId, provedAtMs, response, keys, keyDocuments })
    } else if (index > 0) earlier.push({ statement, response })
    else throw new TypeError('The saved head: expected a response of version')
  }
  return { heads, earlier }
}

/** Throws if a response of this round contradicts the newest version, or if this round confirms an unsettled one. */
async function requireConsistent(
  client: Client,
  { heads, earlier }: Awaited<ReturnType<typeof readSaved>>,
  [newest, after]: readonly [Verified<VersionEntry>, Verified<VersionEntry>],
  { contradiction }: AuditedRound,
): Promise<void> {
  // The earliest response with this version proves the most.
  const [head] = heads
    .filter(({ entry }) => entry.hash === newest.data.hash)
    .toSorted((one, other) => one.provedAtMs - other.provedAtMs)
  const before = head?.response ?? newest.response
  const failureOf = (response: HttpResponse | PortableResponse, finding: HistoryFinding) => {
    const responses = [before, response, after.response]
    return createHistoryFailure(client, 'INCONSISTENT', responses, finding, head)
  }
  for (const { statement, response } of earlier) {
    const finding = findNewestContradiction(statement, newest.data)
    const failure = finding && (await failureOf(response, finding))
    // Without proof, the response of the earlier audit belongs to a release that was in progress then.
    if (failure !== undefined && !(failure instanceof UnsettledError)) throw failure
  }
  if (contradiction === undefined) return
  const { response, ...finding } = contradiction
  throw await failureOf(response, finding)
}

function requireSameOrigin({ origin }: SavedHead, { client, moved = false }: AuditOptions): void {
  if (origin === undefined || origin === client.origin || moved) return
  throw new AuditStateError(
    'OTHER_ORIGIN',
    `the saved head belongs to ${origin}, this is ${client.origin}`,
  )
}

/** The change from the key that signed before, and whether the saved head announces the new key. */
async function keyChangeBetween(
  saved: SavedHead,
  { keyId: from }: KnownHead,
  to: string,
): Promise<KeyChange | undefined> {
  if (from === to) return undefined
  const published = await Promise.all(saved.keys.map(importKey))
  const known = [...published.map(({ keyId }) => keyId), ...(saved.keyIds ?? [])]
  return { from, to, isAnnounced: known.includes(to) }
}

/** At another origin, only announced keys prove that it is the same service. */
function requireLineage(
  { origin }: SavedHead,
  { client }: AuditOptions,
  keyChange: KeyChange | undefined,
): void {
  if (origin === client.origin || keyChange === undefined || keyChange.isAnnounced) return
  throw new AuditStateError(
    'OTHER_KEYS',
    `the saved head ${origin === undefined ? 'names no origin' : `belongs to ${origin}`}, and the key ${keyChange.to} that signs at ${client.origin} is not announced in it`,
  )
}

async function knownOf(
  client: Client,
  { data, keyId, provedAtMs, response }: Verified<VersionSummary>,
): Promise<KnownHead> {
  return {
    entry: data,
    data,
    keyId,
    provedAtMs,
    response: toPortable(response),
    keys: publishedOf(await client.keys()),
    keyDocuments: [],
  }
}

async function headToSave(
  client: Client,
  response: HttpResponse | PortableResponse,
  saved: SavedHead | undefined,
): Promise<SavedHead> {
  const document = await client.signingKey({ fresh: true })
  const keys = await parseSigningKeys(document.data)
  const keyIds = [...(saved?.keyIds ?? []), ...keys.map(({ keyId }) => keyId)]
  // The rest is kept: what `svc audit` or a later version of this library saved.
  const { isAudited: _isAudited, unsettled: _unsettled, ...kept } = saved ?? {}
  return {
    ...kept,
    origin: client.origin,
    response: 'body' in response ? toPortable(response) : response,
    keys: publishedOf(keys),
    keyIds: [...new Set(keyIds)],
    keyDocument: toPortable(document.response),
  }
}

/** The saved head as it is, with the responses of a contradiction that a later audit can confirm. */
async function unsettledToSave(
  client: Client,
  { evidence }: UnsettledContradiction,
  saved: SavedHead | undefined,
): Promise<SavedHead> {
  // The last response is what a later one replaces.
  const kept = evidence.responses.slice(0, -1)
  const [head] = kept
  const base =
    saved ?? (head && { ...(await headToSave(client, head, undefined)), isAudited: false as const })
  if (base === undefined) throw new TypeError('Expected a contradiction of several responses')
  const all = [...kept, ...(saved?.unsettled ?? [])].filter(
    ({ bodyBase64 }) => bodyBase64 !== base.response.bodyBase64,
  )
  const unsettled = [...new Map(all.map((each) => [each.bodyBase64, each])).values()]
  return { ...base, keys: evidence.keys, unsettled: unsettled.slice(0, MAX_UNSETTLED) }
}
