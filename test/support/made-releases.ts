import { canonicalJson, type JsonValue } from '../../src/contract/canonical-json.ts'
import { REGISTRY_VERSION } from '../../src/contract/registry-version.ts'
import { SNAPSHOT_NAMES, SNAPSHOT_SCHEMAS } from '../../src/contract/snapshot-schemas.ts'
import {
  formatSnapshotId,
  GENESIS_PREVIOUS_HASH,
  versionHashText,
  type VersionEntry,
} from '../../src/contract/version-chain.ts'
import { sha256Base64url, sha256Hex } from '../../src/crypto/sha256.ts'
import { exampleOf } from '../../src/documents/examples.ts'
import type { ReleaseStore } from '../../src/storage/release-store.ts'

/** A release store in memory whose parts a test can damage. */
export interface MadeReleases {
  readonly store: ReleaseStore
  /** Version texts by id. */
  readonly versions: Map<string, string>
  /** Resource texts by `name digest`. */
  readonly resources: Map<string, string>
}

/** Releases with `count` versions: every resource holds its schema's example, and the status changes each time. */
export function makeReleases(count = 2): MadeReleases {
  const versions = new Map<string, string>()
  const resources = new Map<string, string>()
  let previous: VersionEntry | undefined
  for (let sequence = 1; sequence <= count; sequence += 1) {
    const digests: { [name: string]: string } = {}
    for (const name of SNAPSHOT_NAMES) {
      const example = exampleOf(SNAPSHOT_SCHEMAS[name])
      const data: JsonValue =
        name === 'status'
          ? { ...(example as { [member: string]: JsonValue }), made: sequence }
          : example
      const text = canonicalJson(data)
      digests[name] = sha256Base64url(text)
      resources.set(`${name} ${digests[name]}`, text)
    }
    const entry = {
      snapshotId: formatSnapshotId(sequence),
      sequence,
      createdAt: new Date(Date.UTC(2026, 0, sequence)).toISOString(),
      apiVersion: 'v1',
      registryVersion: REGISTRY_VERSION,
      resources: digests,
      changes: [{ resource: 'status', kind: 'changed' as const }],
      note: 'Made by a test.',
      previousHash: previous?.hash ?? GENESIS_PREVIOUS_HASH,
    }
    previous = { ...entry, hash: sha256Hex(versionHashText(entry)) }
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
      readResourceText: (name, digest) => found(resources.get(`${name} ${digest}`), name),
      writeResource: () => assertUnused(),
      appendVersion: () => assertUnused(),
    },
  }
}

function assertUnused(): never {
  throw new Error('The service never writes a release')
}
