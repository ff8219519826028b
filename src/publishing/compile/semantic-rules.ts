import { HORIZONS } from '@public-api/contract/snapshots/snapshot-parts'
import {
  SNAPSHOT_NAMES,
  type SnapshotData,
  type SnapshotName,
} from '@public-api/contract/snapshots/snapshot-schemas'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { checkChangelog } from '../rules/changelog-rules.ts'
import { describeValue, type Faults, fault } from '../rules/content-mistake.ts'
import { checkReferences } from '../rules/reference-rules.ts'
import { checkStatus } from '../rules/status-rules.ts'
import { checkNewestFirst, checkOrder } from '../rules/value-rules.ts'

/** Finds every item that depends on itself through other items, which `member` names. */
function* checkAcyclic<Member extends string>(
  items: readonly ({ readonly id: string } & {
    readonly [Name in Member]?: readonly string[] | undefined
  })[],
  member: Member,
): Faults {
  const needs = new Map(items.map((item) => [item.id, item[member] ?? []]))
  for (const [index, { id, [member]: own }] of items.entries()) {
    // The loop also visits what it adds to the set.
    const needed = new Set(own)
    for (const each of needed) for (const next of needs.get(each) ?? []) needed.add(next)
    if (!needed.has(id)) continue
    const path = ['items', index, member]
    yield fault(path, `${id}, which depends on itself`, 'an order in which the work can be done')
  }
}

/** The architecture of the service or of the wallet. */
function* checkArchitecture(
  data: Pick<SnapshotData<'architecture'>, 'components' | 'flows'>,
): Faults {
  const states = new Map(data.components.map((component) => [component.id, component.state]))
  const ids = [...states.keys()]
  for (const [index, flow] of data.flows.entries()) {
    for (const end of ['from', 'to'] as const) {
      yield* checkReferences(['flows', index, end], flow[end], ids)
    }
    const missing = [flow.from, flow.to].find((id) => (states.get(id) ?? 'live') !== 'live')
    if (flow.state === 'live' && missing !== undefined) {
      const expected = `${states.get(missing) ?? ''}, because its component ${missing} is`
      yield fault(['flows', index, 'state'], '"live"', expected)
    }
  }
}

function* checkRoadmap(data: SnapshotData<'roadmap'>): Faults {
  const horizons = new Map(data.items.map((item) => [item.id, item.horizon]))
  const rank = (id: string): number => HORIZONS.indexOf(horizons.get(id) ?? 'now')
  yield* checkOrder(['items'], data.items, 'horizon', (before, item) =>
    rank(before.id) > rank(item.id)
      ? `the horizon ${before.horizon} or one after it: the nearest comes first`
      : undefined,
  )
  for (const [index, item] of data.items.entries()) {
    const path = ['items', index, 'dependsOn']
    yield* checkReferences(path, item.dependsOn, [...horizons.keys()])
    for (const [place, id] of (item.dependsOn ?? []).entries()) {
      if (rank(id) <= rank(item.id)) continue
      const found = `${id}, which comes ${horizons.get(id) ?? ''}`
      yield fault([...path, place], found, `an item that comes no later than ${item.horizon}`)
    }
  }
  yield* checkAcyclic(data.items, 'dependsOn')
}

/** The roadmap is undefined if it has mistakes. */
function* checkDevelopmentQueue(
  data: SnapshotData<'development-queue'>,
  { roadmap }: { readonly roadmap?: SnapshotData<'roadmap'> },
): Faults {
  const roadmapIds = roadmap?.items.map(({ id }) => id)
  const ids = data.items.map((item) => item.id)
  yield* checkOrder(['items'], data.items, 'priority', (before, item) =>
    before.priority >= item.priority
      ? `a number above ${before.priority}: items are in order of priority, each with its own number`
      : undefined,
  )
  for (const [index, item] of data.items.entries()) {
    yield* checkReferences(['items', index, 'blockedBy'], item.blockedBy, ids)
    if (item.roadmapItem !== undefined && roadmapIds !== undefined) {
      yield* checkReferences(['items', index, 'roadmapItem'], item.roadmapItem, roadmapIds)
    }
  }
  yield* checkAcyclic(data.items, 'blockedBy')
}

function* checkWallet(data: SnapshotData<'wallet'>): Faults {
  const paths = SNAPSHOT_NAMES.filter((name) => name.startsWith('wallet/')).map(
    (name) => `${BASE_PATH}/${name}`,
  )
  for (const [index, view] of data.views.entries()) {
    yield* checkReferences(['views', index, 'path'], view.path, paths)
  }
  for (const path of paths) {
    if (data.views.some((view) => view.path === path)) continue
    yield fault(['views'], `no view with the path ${path}`, 'every wallet view')
  }
  if (!data.attached && data.networks.length > 0) {
    yield fault(['networks'], 'networks', 'an empty list while no wallet is attached')
  }
}

function* checkWalletSecurity(data: SnapshotData<'wallet/security'>): Faults {
  if (data.attached === (data.custody !== 'none')) return
  const expected = data.attached
    ? 'who holds the keys of the attached wallet'
    : 'none while no wallet is attached'
  yield fault(['custody'], describeValue(data.custody), expected)
}

function* checkWalletEvidence(data: SnapshotData<'wallet/evidence'>): Faults {
  if (!data.attached && data.evidence.length > 0) {
    yield fault(['evidence'], 'evidence', 'an empty list while no wallet is attached')
  }
  yield* checkNewestFirst(['evidence'], data.evidence, 'producedOn')
}

function* checkWalletCapabilities(data: SnapshotData<'wallet/capabilities'>): Faults {
  if (data.attached) return
  for (const [index, capability] of data.capabilities.entries()) {
    if (!capability.needsWallet || capability.state !== 'available') continue
    const expected = 'planned, unavailable or never: it needs a wallet and none is attached'
    yield fault(['capabilities', index, 'state'], '"available"', expected)
  }
}

/** The data of each resource that has its described shape. */
export type ValidData = { [N in SnapshotName]?: SnapshotData<N> }

/** The checks of one resource beyond its schema; `all` has the other resources. */
const CHECKS: {
  readonly [N in SnapshotName]?: (data: SnapshotData<N>, all: ValidData) => Faults
} = {
  status: checkStatus,
  architecture: checkArchitecture,
  roadmap: checkRoadmap,
  'development-queue': checkDevelopmentQueue,
  changelog: (data) => checkChangelog(data),
  wallet: checkWallet,
  'wallet/architecture': checkArchitecture,
  'wallet/security': checkWalletSecurity,
  'wallet/evidence': checkWalletEvidence,
  'wallet/capabilities': checkWalletCapabilities,
}

/** Checks a resource beyond its schema. */
export function* checkSemantics<N extends SnapshotName>(
  name: N,
  data: SnapshotData<N> | undefined,
  all: ValidData,
): Faults {
  if (data === undefined) return
  yield* CHECKS[name]?.(data, all) ?? []
  const attached = all.wallet?.attached
  if (attached === undefined || !('attached' in data) || data.attached === attached) return
  yield fault(['attached'], String(data.attached), `${attached}, as the wallet overview says`)
}
