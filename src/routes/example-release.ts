import type { ExampleRelease } from '@public-api/contract/documents/openapi'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { ENDPOINTS, type Registry } from '@public-api/contract/registry/endpoints'
import type { Challenge } from '../service/challenge/challenge.ts'
import type { Payload } from '../service/releases/payload.ts'
import type { PublishedHistory } from '../service/releases/releases.ts'
import { describeEarlyAccess } from './early-access.ts'

/** Entries in the example of the history, which may have ten thousand. */
const HISTORY_ENTRIES = 2

/** Reads the examples of the served release. A snapshot that cannot be served is left out. */
export function readExampleRelease(
  registry: Registry,
  releases: PublishedHistory,
  signingKeys: Payload | undefined,
  challenge: Challenge,
): ExampleRelease {
  const snapshots = Object.entries(registry).map(([name, { success }]) => [
    name,
    success && releases.resource(success.data),
  ])
  const payloads: { readonly [name: string]: Payload | undefined } = {
    ...Object.fromEntries(snapshots),
    version: releases.head,
    versions: releases.historyPage({ limit: HISTORY_ENTRIES }).payload,
    versionById: releases.version(ENDPOINTS.versionById.parameter.example),
    signingKey: signingKeys,
  }
  const data: { [name: string]: JsonValue } = {
    earlyAccess: { ...describeEarlyAccess('open', challenge.description) },
  }
  for (const [name, payload] of Object.entries(payloads)) {
    if (payload !== undefined) data[name] = JSON.parse(payload.json) as JsonValue
  }
  const { snapshotId, createdAt } = JSON.parse(releases.head.json) as VersionEntry
  return { snapshotId, createdAt, data }
}
