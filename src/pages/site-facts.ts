import type { Registry } from '../contract/endpoints.ts'
import type { Issuance } from '../contract/issuance.ts'
import type { DataOf } from '../contract/schemas.ts'
import type { SnapshotData, SnapshotName } from '../contract/snapshot-schemas.ts'
import type { VersionEntry } from '../contract/version-chain.ts'
import type { Runtime } from '../contract/visible-endpoints.ts'
import type { Challenge } from '../service/challenge.ts'
import type { Payload } from '../service/payload.ts'
import type { Releases } from '../service/releases.ts'
import type { SiteFacts } from './page.ts'

/** What the facts are taken from. */
export interface SiteFactsOptions {
  readonly origin: string
  /** The rows that this runtime serves. */
  readonly registry: Registry
  readonly runtime: Runtime
  readonly registryVersion: string
  readonly issuance: Issuance
  readonly releases: Releases
  readonly keyId: string | undefined
  readonly challenge: Challenge
  readonly contact: string | undefined
  assetPath(file: string): string
}

/** The releases were checked against their digests when they were loaded, and against the schemas when published. */
function valueOf(payload: Payload): unknown {
  return JSON.parse(payload.json)
}

/** What the pages tell of, read from the releases when a page asks for it. */
export function createSiteFacts(options: SiteFactsOptions): SiteFacts {
  const { releases, challenge, ...rest } = options
  const history = (): DataOf<'VersionHistory'> =>
    valueOf(releases.history) as DataOf<'VersionHistory'>
  return {
    ...rest,
    challenge: challenge.description,
    get head() {
      return valueOf(releases.head) as VersionEntry
    },
    get versionCount() {
      return history().count
    },
    newestVersions(count) {
      return history()
        .entries.slice(0, count)
        .flatMap(({ snapshotId }) => {
          const entry = releases.version(snapshotId)
          return entry === undefined ? [] : [valueOf(entry) as VersionEntry]
        })
    },
    snapshot<Name extends SnapshotName>(name: Name) {
      const payload = releases.snapshot(name)
      return payload === undefined ? undefined : (valueOf(payload) as SnapshotData<Name>)
    },
  }
}
