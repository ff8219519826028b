import type { HistoryPageRequest } from '@public-api/contract/history/history-page'
import type { RedactedResource } from '@public-api/contract/history/redaction'
import {
  formatSnapshotId,
  VERSION_HASH_LABEL,
  type VersionEntry,
} from '@public-api/contract/history/version-chain'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { parseJson } from '@public-api/contract/json/parse-json'
import type { ReleaseStore } from '../../releases/release-store.ts'
import { type PublishedTlog, publishTlog } from '../../tlog/served-tlog.ts'
import { createCanonicalPayload, type Payload } from './payload.ts'
import {
  readReleases,
  type LoadedReleases,
  type ReleaseUpdate,
  type ResourceFault,
  type ServedReleases,
} from './read-releases.ts'

/** A stored resource: its canonical JSON, and the object that it is. */
export interface StoredResource {
  readonly json: string
  readonly value: object
}

/** Published, checked releases, ready to send. Immutable: an update creates a new object. */
export interface PublishedHistory {
  /** Data of a resource of the newest version (a snapshot or `site/…`), or undefined when it is missing or damaged. */
  payload(name: string): Payload | undefined
  /** The same if this program can read it: undefined also where a later program gave it another shape. */
  resource(name: string): Payload | undefined
  /**
   * A resource of any version as text and as value; undefined if missing, damaged or redacted. One that the newest version
   * does not serve is read and checked when called.
   */
  readResource(name: string, digest: string): StoredResource | undefined
  namesResource(name: string, digest: string): boolean
  /** PNG of a social card, read when called; undefined without a readable one. */
  readCard(name: string): Uint8Array | undefined
  /** What all versions together say, as the publisher keeps it; undefined without. */
  readRecord(): string | undefined
  readonly head: Payload
  version(snapshotId: string): Payload | undefined
  /** One page of the history index, or all of it. If older versions exist, `nextBefore` selects their page. */
  historyPage(request: HistoryPageRequest): {
    readonly payload: Payload
    readonly nextBefore: string | undefined
  }
  readonly headSnapshotId: string
  /** The newest version entry and what its resources lack, or have beyond their schemas. */
  readonly served: ServedReleases
  readonly faults: readonly ResourceFault[]
  /** Resources of older versions whose bytes were permanently removed. */
  readonly redactions: readonly RedactedResource[]
  /** The published transparency log; undefined without one. */
  readonly tlog: PublishedTlog | undefined
}

export interface ServableReleases extends PublishedHistory {
  /** These releases with an update. Throws an Error if the update follows another version. */
  extend(update: ReleaseUpdate): ServableReleases
}

type LoadedPayload = Payload &
  Pick<LoadedReleases['resources'][number], 'unknownMember' | 'mistake'>

/** How hashes are computed, as stated in the history index. */
const CHAIN_ALGORITHM = `SHA-256 over the line ${VERSION_HASH_LABEL}, a newline and the RFC 8785 canonical JSON of the entry without its hash`

function createReleases(
  store: ReleaseStore,
  served: ReadonlyMap<string, LoadedPayload>,
  { versionTexts, summaries, faults, redactions, tlog }: Omit<LoadedReleases, 'resources'>,
): ServableReleases {
  const count = versionTexts.length
  const headText = versionTexts.at(-1) ?? ''
  const head = JSON.parse(headText) as VersionEntry
  const { snapshotId: headSnapshotId, hash } = head

  /** The history index as canonical JSON. Concatenated: parsing ten thousand summaries would block the process. */
  function historyOf(entries: readonly string[]): Payload {
    const algorithm = JSON.stringify(CHAIN_ALGORITHM)
    const newest = canonicalJson({ snapshotId: headSnapshotId, hash })
    return createCanonicalPayload(
      `{"algorithm":${algorithm},"count":${count},"entries":[${entries.join(',')}],"head":${newest}}`,
    )
  }
  let history: Payload | undefined

  /** Of a version in the chain; undefined if none has this id. */
  function indexOf(snapshotId: string): number | undefined {
    const sequence = Number(snapshotId.slice('VS-'.length))
    const isVersion = sequence <= count && formatSnapshotId(sequence) === snapshotId
    return isVersion && sequence >= 1 ? sequence - 1 : undefined
  }

  const named = new Set<string>()
  const redacted = new Set(redactions.map((each) => `${each.resource}/${each.digest}`))

  return {
    head: createCanonicalPayload(headText),
    headSnapshotId,
    historyPage({ limit = count, before: olderThan }) {
      const newest = indexOf(olderThan ?? '') ?? count
      const oldest = Math.max(1, newest - limit + 1)
      if (newest === count && oldest === 1) {
        // Made when it is asked for: its 2.5 MB would block the process while a version is taken up.
        return { payload: (history ??= historyOf(summaries)), nextBefore: undefined }
      }
      return {
        payload: historyOf(summaries.slice(count - newest, count - oldest + 1)),
        nextBefore: newest >= 1 && oldest > 1 ? formatSnapshotId(oldest) : undefined,
      }
    },
    payload: (name) => served.get(name),
    resource(name) {
      const payload = served.get(name)
      return payload?.mistake === undefined ? payload : undefined
    },
    readResource(name, digest) {
      // Its bytes may still be there: svc redact was killed, or what copies the folder here removes nothing.
      if (redacted.has(`${name}/${digest}`)) return undefined
      try {
        // What is served from memory stays in the archive: readers of past years have no other place.
        const own = head.resources[name] === digest ? served.get(name) : undefined
        const json = own?.json ?? store.readResourceText(name, digest)
        const value = parseJson(json)
        // The schema of an older version may differ, but every resource is an object.
        return typeof value === 'object' && value !== null ? { json, value } : undefined
      } catch {
        return undefined
      }
    },
    readCard: (name) => store.readCard(name),
    readRecord: () => store.readRecord(),
    namesResource(name, digest) {
      // Canonical JSON has one spelling of the member, and no string inside an entry can contain unescaped quotes.
      const member = `${JSON.stringify(name)}:${JSON.stringify(digest)}`
      if (!named.has(member) && versionTexts.some((text) => text.includes(member)))
        named.add(member)
      return named.has(member)
    },
    version(snapshotId) {
      const json = versionTexts[indexOf(snapshotId) ?? -1]
      if (json === undefined) return undefined
      // Computed when a response needs it: pages and copies read all versions several times.
      return {
        json,
        get etag() {
          return createCanonicalPayload(json).etag
        },
      }
    },
    faults,
    redactions,
    tlog: tlog && publishTlog(tlog, { texts: versionTexts, summaries }),
    served: {
      head,
      redactions,
      ...(tlog === undefined ? {} : { tlog }),
      unavailable: Object.keys(head.resources).filter((name) => !served.has(name)),
      unknownMembers: [...served].flatMap(([name, { unknownMember }]) =>
        unknownMember === undefined ? [] : [`${name}${unknownMember}`],
      ),
    },
    extend({ after, resources, ...update }) {
      if (after.snapshotId !== headSnapshotId || after.hash !== hash) {
        throw new Error(`The update follows ${after.snapshotId}; expected ${headSnapshotId}`)
      }
      const texts = [...versionTexts, ...update.versionTexts]
      const newest = JSON.parse(texts.at(-1) ?? '') as VersionEntry
      const loaded = payloadsOf(resources)
      const kept = [...served].filter(
        ([name]) => newest.resources[name] === head.resources[name] && !loaded.has(name),
      )
      return createReleases(store, new Map([...kept, ...loaded]), {
        ...update,
        versionTexts: texts,
        summaries: [...update.summaries, ...summaries],
      })
    },
  }
}

function payloadsOf(resources: LoadedReleases['resources']): Map<string, LoadedPayload> {
  return new Map(
    resources.map(({ name, digest, json, ...inspected }) => [
      name,
      { ...createCanonicalPayload(json, digest), ...inspected },
    ]),
  )
}

/** Reads and checks published releases as `readReleases` does. */
export function loadReleases(
  ...[store, ...which]: Parameters<typeof readReleases>
): ServableReleases {
  const { resources, ...loaded } = readReleases(store, ...which)
  return createReleases(store, payloadsOf(resources), loaded)
}
