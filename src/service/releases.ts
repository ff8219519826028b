import { canonicalJson } from '../contract/canonical-json.ts'
import type { SnapshotName } from '../contract/snapshot-schemas.ts'
import {
  formatSnapshotId,
  VERSION_HASH_LABEL,
  type VersionEntry,
} from '../contract/version-chain.ts'
import type { RedactedResource } from '../contract/redaction.ts'
import type { ReleaseStore } from '../storage/release-store.ts'
import { payloadOfCanonical, type Payload } from './payload.ts'
import {
  readMatching,
  readReleases,
  type ChainHead,
  type LoadedReleases,
  type ReleaseUpdate,
  type ResourceFault,
  type ServedReleases,
} from './read-releases.ts'

/** Published, checked releases, ready to send. Immutable: an update creates a new object. */
export interface Releases {
  /** Data of the newest version of a snapshot, or undefined when it is missing or damaged. */
  snapshot(name: SnapshotName): Payload | undefined
  /** Data of any resource of the newest version, `site/…` included, or undefined when it is missing or damaged. */
  resource(name: string): Payload | undefined
  /** Text of a resource of any version, read and checked when called; undefined if missing or damaged. */
  readResource(name: string, digest: string): string | undefined
  /** Whether a version names this resource. */
  namesResource(name: string, digest: string): boolean
  /** The newest version entry. */
  readonly head: Payload
  /** The version entry with this id, or undefined. */
  version(snapshotId: string): Payload | undefined
  /** The history index. */
  readonly history: Payload
  /** One page of the history index, made when called. */
  historyPage(request: HistoryPageRequest): HistoryPage
  readonly headSnapshotId: string
  readonly faults: readonly ResourceFault[]
  /** Resources of older versions whose bytes were permanently removed. */
  readonly redactions: readonly RedactedResource[]
}

/** Which entries of the history index a page has: all that are older than a version, or the newest of them. */
export interface HistoryPageRequest {
  /** A whole number of at least 1; undefined for no limit. */
  readonly limit: number | undefined
  /** Ignored if no version has this id. */
  readonly before: string | undefined
}

/** The history index with the entries of one page. */
export interface HistoryPage {
  readonly payload: Payload
  /** The oldest version of the page if older ones exist: `before` of the next page. */
  readonly nextBefore: string | undefined
}

/** Releases that can be extended. */
export interface ServableReleases extends Releases {
  /** The newest version entry and its unavailable resources. */
  readonly served: ServedReleases
  /**
   * These releases with an update. Throws an Error if the update follows another version.
   */
  extend(update: ReleaseUpdate): ServableReleases
}

/** How hashes are computed, as stated in the history index. */
const CHAIN_ALGORITHM = `SHA-256 over the line ${VERSION_HASH_LABEL}, a newline and the RFC 8785 canonical JSON of the entry without its hash`

function parseEntry(text: string): VersionEntry {
  return JSON.parse(text) as VersionEntry
}

interface State {
  readonly store: ReleaseStore
  /** The canonical JSON of each version entry, oldest first. */
  readonly versionTexts: readonly string[]
  /** The summaries of all entries as members of a JSON array, newest first. */
  readonly summaries: string
  readonly served: ReadonlyMap<string, Payload>
  readonly faults: readonly ResourceFault[]
  readonly redactions: readonly RedactedResource[]
}

/** The history index as canonical JSON, with the summaries of its entries (newest first) between the two parts. */
function historyFrame(count: number, head: ChainHead): readonly [before: string, after: string] {
  const before = `{"algorithm":${JSON.stringify(CHAIN_ALGORITHM)},"count":${count},"entries":[`
  return [before, `],"head":${canonicalJson({ ...head })}}`]
}

/** The end of a version's entry in the summaries. Canonical JSON writes snapshotId last. */
function endOfSummary(summaries: string, sequence: number, from: number): number {
  const end = `"snapshotId":"${formatSnapshotId(sequence)}"}`
  return summaries.indexOf(end, from) + end.length
}

function createState(state: State): ServableReleases {
  const { store, versionTexts, summaries, served, faults, redactions } = state

  const count = versionTexts.length
  const headText = versionTexts.at(-1) ?? ''
  const head = parseEntry(headText)
  const { snapshotId: headSnapshotId, hash } = head
  // Concatenated text, because parsing ten thousand summaries would block for long.
  const [before, after] = historyFrame(count, { snapshotId: headSnapshotId, hash })
  const history = payloadOfCanonical(before + summaries + after)

  /** Resources that were found in a version. */
  const named = new Set<string>()

  /** Made when a version is first requested. */
  const payloads = new Map<string, Payload>()

  /** The sequence number of the version with this id, or undefined. */
  function sequenceOf(snapshotId: string): number | undefined {
    const sequence = Number(snapshotId.slice('VS-'.length))
    if (!(sequence >= 1 && sequence <= count) || formatSnapshotId(sequence) !== snapshotId) {
      return undefined
    }
    return sequence
  }

  function historyPage({ limit = count, before: olderThan }: HistoryPageRequest): HistoryPage {
    const newest = (sequenceOf(olderThan ?? '') ?? count + 1) - 1
    const oldest = Math.max(1, newest - limit + 1)
    if (newest === count && oldest === 1) return { payload: history, nextBefore: undefined }
    // Slices of the one index: no version is parsed and no page is cached.
    const members = history.json.slice(before.length, -after.length)
    let entries = ''
    if (newest >= 1) {
      const start = newest === count ? 0 : endOfSummary(members, newest + 1, 0) + ','.length
      entries = members.slice(start, endOfSummary(members, oldest, start))
    }
    return {
      payload: payloadOfCanonical(before + entries + after),
      nextBefore: newest >= 1 && oldest > 1 ? formatSnapshotId(oldest) : undefined,
    }
  }

  function version(snapshotId: string): Payload | undefined {
    const sequence = sequenceOf(snapshotId)
    if (sequence === undefined) return undefined
    const known = payloads.get(snapshotId)
    if (known !== undefined) return known
    const payload = payloadOfCanonical(versionTexts[sequence - 1] ?? '')
    payloads.set(snapshotId, payload)
    return payload
  }

  return {
    head: payloadOfCanonical(headText),
    headSnapshotId,
    history,
    historyPage,
    snapshot: (name) => served.get(name),
    resource: (name) => served.get(name),
    readResource(name, digest) {
      try {
        return readMatching(store, name, digest)
      } catch {
        return undefined
      }
    },
    namesResource(name, digest) {
      // Canonical JSON has one way to write the member, and no other text of an entry can contain its quotes.
      const member = `${JSON.stringify(name)}:${JSON.stringify(digest)}`
      if (named.has(member)) return true
      const isNamed = versionTexts.findLastIndex((text) => text.includes(member)) !== -1
      if (isNamed) named.add(member)
      return isNamed
    },
    version,
    faults,
    redactions,
    served: {
      head,
      redactions,
      unavailable: Object.keys(head.resources).filter((name) => !served.has(name)),
    },
    extend({
      after: base,
      versionTexts: newTexts,
      summaries: newSummaries,
      resources,
      faults: newFaults,
      redactions: newRedactions,
    }) {
      if (base.snapshotId !== headSnapshotId || base.hash !== hash) {
        throw new Error(`The update follows ${base.snapshotId}; expected ${headSnapshotId}`)
      }
      const texts = [...versionTexts, ...newTexts]
      const newest = parseEntry(texts.at(-1) ?? '')
      const loaded = payloadsOf(resources)
      const kept = [...served].filter(
        ([name]) => newest.resources[name] === head.resources[name] && !loaded.has(name),
      )
      return createState({
        store,
        versionTexts: texts,
        summaries: [newSummaries, history.json.slice(before.length, -after.length)]
          .filter((each) => each !== '')
          .join(','),
        served: new Map([...kept, ...loaded]),
        faults: newFaults,
        redactions: newRedactions,
      })
    },
  }
}

function payloadsOf(resources: LoadedReleases['resources']): Map<string, Payload> {
  return new Map(
    resources.map(({ name, digest, json }) => [name, payloadOfCanonical(json, digest)]),
  )
}

/** Reads and checks all published releases, or those up to a version. Throws like `readReleases`. */
export function loadReleases(store: ReleaseStore, upTo?: ChainHead): ServableReleases {
  const { versionTexts, summaries, resources, faults, redactions } = readReleases(store, upTo)
  return createState({
    store,
    versionTexts,
    summaries,
    served: payloadsOf(resources),
    faults,
    redactions,
  })
}
