import { createExample } from '@public-api/contract/documents/examples'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import { SNAPSHOT_NAMES, SNAPSHOT_SCHEMAS } from '@public-api/contract/snapshots/snapshot-schemas'
import { digestFault, sha256Base64url } from '../../src/crypto/sha256.ts'
import type { ReleaseStore } from '../../src/releases/release-store.ts'
import { type PublishedHistory, loadReleases } from '../../src/service/releases/releases.ts'
import { madeEntry } from './made-entry.ts'

/** A release store in memory whose parts a test can damage. */
export interface MadeReleases {
  readonly store: ReleaseStore
  /** Version texts by id. */
  readonly versions: Map<string, string>
  /** Resource texts by `name digest`. */
  readonly resources: Map<string, string>
}

interface MadeResource {
  readonly text: string
  readonly digest: string
}

function madeResource(data: JsonValue): MadeResource {
  const text = canonicalJson(data)
  return { text, digest: sha256Base64url(text) }
}

const examples = new Map<string, MadeResource>()

/** A resource that is the same in each version, made once for all tests of a process. */
function exampleResource(name: keyof typeof SNAPSHOT_SCHEMAS): MadeResource {
  const known = examples.get(name) ?? madeResource(createExample(SNAPSHOT_SCHEMAS[name]))
  examples.set(name, known)
  return known
}

/** The status of a version, which changes each time. */
function madeStatus(sequence: number): MadeResource {
  const example = createExample(SNAPSHOT_SCHEMAS.status) as { [member: string]: JsonValue }
  return madeResource({ ...example, summary: `Made ${sequence}.` })
}

/** The number of the version that a made status is of, by its summary. */
export const madeSequence = (summary: string): number => Number(/^Made (\d+)\.$/.exec(summary)?.[1])

/** Releases with `count` versions: every resource is its schema's example, and the status changes each time. */
export function makeReleases(count = 2): MadeReleases {
  const versions = new Map<string, string>()
  const resources = new Map<string, string>()
  let previous: VersionEntry | undefined
  for (let sequence = 1; sequence <= count; sequence += 1) {
    const digests: { [name: string]: string } = {}
    for (const name of SNAPSHOT_NAMES) {
      const { text, digest } = name === 'status' ? madeStatus(sequence) : exampleResource(name)
      digests[name] = digest
      resources.set(`${name} ${digest}`, text)
    }
    previous = madeEntry(previous, digests)
    versions.set(previous.snapshotId, canonicalJson({ ...previous }))
  }
  const found = (text: string | undefined, what: string): string => {
    if (text === undefined) throw new Error(`${what} is missing`)
    return text
  }
  return {
    versions,
    resources,
    store: {
      readVersionIds: () => [...versions.keys()],
      readVersionText: (snapshotId) => found(versions.get(snapshotId), snapshotId),
      readResourceText(name, digest) {
        const text = found(resources.get(`${name} ${digest}`), name)
        const fault = digestFault(text, digest)
        if (fault !== undefined) throw new Error(fault)
        return text
      },
      readResource: () => assertUnused(),
      writeResource: () => assertUnused(),
      appendVersion: () => assertUnused(),
      readTlogFiles: () => undefined,
      readTlogFile: () => undefined,
      listEntries: () => [],
      readRedaction: () => undefined,
      listRedactions: () => [],
      countRedactions: () => 0,
      redactResource: () => assertUnused(),
      readCard: () => undefined,
      writeCard: () => assertUnused(),
      removeCards: () => assertUnused(),
      readRecord: () => undefined,
      writeRecord: () => assertUnused(),
    },
  }
}

function assertUnused(): never {
  throw new Error('The service never writes a release')
}

/** Such releases, loaded as the service loads its own. */
export function madeHistory(count?: number): PublishedHistory {
  return loadReleases(makeReleases(count).store)
}
