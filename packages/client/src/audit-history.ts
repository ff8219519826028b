import type { VersionEntry, VersionSummary } from '#contract/history/version-chain'
import type { AuditOptions } from './audit-options.ts'
import { AuditStateError } from './audit-state-error.ts'
import { auditOnce, createHistoryFailure, type KnownHead } from './audit-round.ts'
import type { Client } from './client.ts'
import type { SavedHead } from './head-store.ts'
import { entriesOf } from './history-evidence.ts'
import { readNewest } from './newest-version.ts'
import { readRedactions, type Redaction } from './redactions.ts'
import { publishedOf, toPortable, verifyPortable } from './portable-response.ts'
import type { Verified } from './reads.ts'
import { parseSigningKeys } from './signing-keys.ts'
import { UnsettledError } from './unsettled-error.ts'
import { importKey } from './verification-key.ts'

/** Another key signs than in the last audit. */
export interface KeyChange {
  /** Id of the key that signed before. */
  readonly from: string
  /** Id of the key that signs now. */
  readonly to: string
  /** Whether an earlier audit saw the new key in the key document, signed by a key it knew. */
  readonly isAnnounced: boolean
}

/** The result of an audit without contradictions. */
export interface AuditReport {
  /** The newest version. */
  readonly head: VersionSummary
  /** The head of the last audit; undefined on the first audit. */
  readonly previousHead: VersionSummary | undefined
  /** RFC 7638 id of the key that signed the newest version. Through the chain its signature covers all others. */
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
}

/** Maximum number of rounds. A new round starts whenever a version was published during the last one. */
const MAX_ROUNDS = 4

/**
 * Recomputes the history: the hash and the changes of every new version, the links between all versions, the link to the
 * head of the last audit, and the served resources against the newest version. Saves the head if everything matches.
 *
 * Throws a HistoryError with evidence if the service contradicts itself, an UnlinkedKeysError if it contradicts the saved
 * head under an unrelated key, an AuditStateError if the saved head belongs to another service, an UnsettledError if the
 * history kept growing, and otherwise what the client throws.
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
  const { client, store, signal } = options
  const readOptions = { fresh: true, ...(signal === undefined ? {} : { signal }) }
  const saved = await store?.load()
  if (saved !== undefined) requireSameOrigin(saved, options)
  let newest = await readNewest(client, readOptions)
  const previous = saved === undefined ? undefined : await readHead(saved)
  const keyChange =
    saved === undefined || previous === undefined
      ? undefined
      : await keyChangeBetween(saved, previous, newest.keyId)
  if (saved !== undefined) requireLineage(saved, options, keyChange)
  // Every head that was signed before. The history must extend all of them, because a head that appears between two
  // rounds proves nothing about the saved head.
  const known = previous === undefined ? [] : [previous]
  const entries = new Map<string, Promise<VersionEntry>>()
  for (let round = 1; ; round += 1) {
    const found = await auditOnce({ ...options, readOptions, previous, known, newest, entries })
    const after = await readNewest(client, readOptions)
    const isSameHead = after.data.hash === newest.data.hash
    if (isSameHead && found.contradiction !== undefined) {
      const { response, ...finding } = found.contradiction
      const responses = [newest.response, response, after.response]
      throw await createHistoryFailure(client, 'INCONSISTENT', responses, finding)
    }
    if (isSameHead) {
      await store?.save(await headToSave(client, newest, saved))
      const { resources, unavailable } = found
      const read = await Promise.all(entries.values())
      const lastSequence = previous?.entry.sequence ?? 0
      return {
        head: newest.data,
        previousHead: previous?.entry,
        keyId: newest.keyId,
        keyChange,
        newVersions: read
          .filter(({ sequence }) => sequence > lastSequence)
          .toSorted((one, other) => one.sequence - other.sequence),
        versionsRead: read.length,
        resources,
        unavailable,
        redactions: await readRedactions(client, signal),
      }
    }
    if (round === MAX_ROUNDS) {
      throw new UnsettledError(MAX_ROUNDS)
    }
    known.push(await knownOf(client, newest))
    newest = after
  }
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

async function readHead(saved: SavedHead): Promise<KnownHead> {
  const { data, keyId } = await verifyPortable(saved.response, saved.keys)
  const [entry] = entriesOf(data)
  if (entry === undefined) throw new TypeError('The saved head: expected a response of version')
  const { keyDocument } = saved
  return {
    entry,
    data,
    keyId,
    response: saved.response,
    keys: saved.keys,
    keyDocuments: keyDocument === undefined ? [] : [keyDocument],
  }
}

async function knownOf(
  client: Client,
  { data, keyId, response }: Verified<VersionSummary>,
): Promise<KnownHead> {
  return {
    entry: data,
    data,
    keyId,
    response: toPortable(response),
    keys: publishedOf(await client.keys()),
    keyDocuments: [],
  }
}

async function headToSave(
  client: Client,
  newest: Verified<unknown>,
  saved: SavedHead | undefined,
): Promise<SavedHead> {
  const document = await client.signingKey({ fresh: true })
  const keys = await parseSigningKeys(document.data)
  const keyIds = [...(saved?.keyIds ?? []), ...keys.map(({ keyId }) => keyId)]
  return {
    origin: client.origin,
    response: toPortable(newest.response),
    keys: publishedOf(keys),
    keyIds: [...new Set(keyIds)],
    keyDocument: toPortable(document.response),
  }
}
