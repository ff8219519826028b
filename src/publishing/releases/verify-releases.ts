import { parseSignedCheckpoint } from '@public-api/client-internal/log/checkpoint'
import { openPolicy } from '@public-api/client-internal/log/log-policy'
import { messageOf } from '@public-api/contract/errors/error-message'
import {
  createRecorder,
  isFollowed,
  isRecord,
  keptRecord,
  type RecordedVersions,
} from '@public-api/contract/history/published-record'
import { ChainError, type VersionEntry } from '@public-api/contract/history/version-chain'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { readHistory } from '../../crypto/published-history.ts'
import { foreignFault, ReleaseFileError, type ReleaseStore } from '../../releases/release-store.ts'
import { ARCHIVE_INDEX, type ReleasesPlace } from '../../releases/releases-place.ts'
import { createItemParser } from './item-parser.ts'
import { eventsRemovedBetween, readUnlessDamaged, recordedVersions } from './published-versions.ts'

/** One thing that is wrong with a release folder. */
export interface ReleaseFinding {
  /** Version, resource, file or folder. */
  readonly where: string
  /** One line: what was found and what was expected. */
  readonly message: string
}

/** Every redacted resource, with the versions that named it, oldest first. */
function redactedOf(
  redactions: ReturnType<ReleaseStore['listRedactions']>,
  versions: readonly VersionEntry[],
) {
  return redactions.map((redaction) => ({
    ...redaction,
    snapshotIds: versions
      .filter(({ resources }) => resources[redaction.resource] === redaction.digest)
      .map(({ snapshotId }) => snapshotId),
  }))
}

const CARD = /^cards\/([^/]+)\.png$/

/** Parsed resources with their digests, by name. */
type Parsed = Map<string, { readonly digest: string; readonly data: unknown }>

type Report = (where: string, message: string) => void

/** Links, special files and unknown files, and cards, a record and files of the log that are not of their kind. */
async function checkFiles(store: ReleaseStore, kind: ReleasesPlace['kind'], add: Report) {
  for (const entry of store.listEntries()) {
    const { name } = entry
    if (kind !== 'releases' && ARCHIVE_INDEX.test(name)) continue
    const fault = foreignFault(entry)
    const [, card] = CARD.exec(name) ?? []
    if (fault !== undefined) add(name, fault)
    else if (card !== undefined && store.readCard(card) === undefined) {
      add(name, 'found another kind of file, expected a PNG')
    } else if (name === 'record.json' && !isRecord(store.readRecord())) {
      add(name, 'found another kind of file, expected a record; remove it and publish again')
    }
  }
  const files = store.readTlogFiles()
  if (files === undefined) return
  const { origin, policy, checkpoint } = files
  await openPolicy(policy)
  if (checkpoint === undefined && store.readTlogFile('pending') === undefined) {
    add('log/checkpoint', 'is missing, expected the checkpoint of the log')
  }
  for (const name of ['checkpoint', 'pending'] as const) {
    const note = store.readTlogFile(name)
    if (note === undefined || parseSignedCheckpoint(note, `log/${name}`).origin === origin) continue
    add('log/origin', `found another origin than that of log/${name}`)
  }
  const memory = store.readTlogFile('witnesses.json')
  if (memory !== undefined && parseJson(memory) === undefined) {
    add('log/witnesses.json', 'found another kind of file, expected JSON')
  }
  // Throws unless it is empty.
  store.readTlogFile('lock')
}

/**
 * Checks a release folder from end to end: every entry with its hash and its `changes`, the digest of every resource of
 * every version, every redaction, and that all other files are of the kind that their name says. Needs no content and no
 * clock. `resources` is the number of resources that were compared with their digest; `redacted` lists the others if
 * nothing is wrong.
 */
export async function verifyReleases(
  store: ReleaseStore,
  kind: ReleasesPlace['kind'] = 'releases',
) {
  // Read before the versions, because a publication writes it after them.
  const kept = store.readRecord()
  const findings: ReleaseFinding[] = []
  const add: Report = (where, message) => void findings.push({ where, message })
  try {
    await checkFiles(store, kind, add)
  } catch (error) {
    add('releases folder', messageOf(error))
  }
  let versions: readonly VersionEntry[] = []
  let read: RecordedVersions | undefined
  try {
    versions = readHistory(store)
    if (versions.length === 0) add('version history', 'found no version, expected one')
    read = recordedVersions(store, versions, () => kept)
  } catch (error) {
    const isEdited = error instanceof ChainError && error.code === 'HASH'
    const text = isEdited ? `${error.snapshotId} was edited after publication` : messageOf(error)
    add('version history', text)
  }
  const head = versions.at(-1)
  if (head === undefined || read === undefined)
    return { versions, resources: 0, redacted: [], removed: [], findings }
  const recorded = read
  /** Whether each resource is redacted. */
  const seen = new Map<string, boolean>()
  const end = keptRecord(recorded)?.last.sequence ?? 0
  const recorder = createRecorder()
  let record: string | undefined
  /** What is followed from version to version, as this version and the one before it have it: each file is read once. */
  let now: Parsed = new Map()
  let before = now
  const parsers = new Map<string, ReturnType<typeof createItemParser>>()

  function check(where: string, name: string, digest: string): boolean {
    try {
      const { content, fault } = readUnlessDamaged(() => store.readResource(name, digest))
      if (isFollowed(name)) {
        const parse = parsers.get(name) ?? createItemParser()
        parsers.set(name, parse)
        now.set(name, { digest, data: content && parse(content) })
      }
      // Looking for the redaction of each of many resources is an eighth of an audit.
      const mayBeRedacted = fault !== undefined || recorded.redactionCount > 0
      const isRedacted = mayBeRedacted && store.readRedaction(name, digest) !== undefined
      if (!isRedacted && fault !== undefined) add(where, fault.message)
      // Also bytes that do not match the digest.
      if (isRedacted && fault?.code !== 'REDACTED') {
        add(where, 'found the bytes of a redacted resource, expected none; redact it again')
      }
      return isRedacted
    } catch (error) {
      if (!(error instanceof ReleaseFileError)) throw error
      add(where, error.message)
      return false
    }
  }

  /** What a version that was checked says; undefined where it cannot be read. */
  function dataOf(name: string, digest: string): unknown {
    for (const parsed of [now, before]) {
      const known = parsed.get(name)
      if (known?.digest === digest) return known.data
    }
    return recorded.archived(name, digest)
  }

  const removed = versions.flatMap((entry, index) => {
    const { snapshotId, sequence, resources, changes } = entry
    before = now
    now = new Map(before)
    // What did not change was checked with the version before.
    const names = entry === head ? Object.keys(resources) : changes.map(({ resource }) => resource)
    for (const name of names) {
      const digest = resources[name]
      if (digest === undefined) continue
      const where = `${snapshotId} ${name}`
      const isRedacted = seen.get(`${name}/${digest}`) ?? check(where, name, digest)
      seen.set(`${name}/${digest}`, isRedacted)
      if (entry === head && isRedacted) {
        add(where, 'found a redaction of what the newest version serves, expected the resource')
      }
    }
    if (sequence <= end) {
      recorder.advance({ ...recorded, kept: () => undefined, head: entry, archived: dataOf })
      if (sequence === end) record = recorder.format()
    }
    const events = eventsRemovedBetween(dataOf, versions[index - 1], entry)
    return events.map((event) => ({ snapshotId, ...event }))
  })
  let listed: ReturnType<ReleaseStore['listRedactions']> = []
  try {
    if (recorded.redactionCount > 0) listed = store.listRedactions()
    for (const { resource, digest } of listed) {
      if (seen.has(`${resource}/${digest}`)) continue
      const message = 'found a redaction of a resource that no version names, expected none'
      add(`${resource}/${digest}`, message)
    }
  } catch (error) {
    if (!(error instanceof ReleaseFileError)) throw error
    // A redaction that a version names was reported above.
    if (findings.length === 0) add('redactions', error.message)
  }
  // One that is used was read, and is of no later version.
  const recordEnd = end === 0 && propertyOf(parseJson(kept ?? ''), 'sequence')
  if (typeof recordEnd === 'number' && recordEnd > versions.length) {
    add(
      'record.json',
      `found the record of ${recordEnd} versions, expected it of ${versions.length}`,
    )
  }
  if (end > 0 && findings.length === 0 && record !== kept) {
    add(
      'record.json',
      'found another record than that of its versions; remove it and publish again',
    )
  }
  const redacted = findings.length > 0 ? [] : redactedOf(listed, versions)
  const redactions = [...seen.values()].filter(Boolean).length
  return { versions, resources: seen.size - redactions, redacted, removed, findings }
}
