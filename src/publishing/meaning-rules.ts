import { BASE_PATH } from '../contract/api-version.ts'
import { HORIZONS } from '../contract/snapshot-plans.ts'
import { SNAPSHOT_NAMES, type SnapshotData } from '../contract/snapshot-schemas.ts'
import { COMPONENT_STATES } from '../contract/snapshot-status.ts'
import { describeValue, type FieldPath } from './content-mistake.ts'
import { nearestName } from '../contract/nearest-name.ts'

/** Tells of a mistake at a field. */
export type Report = (path: FieldPath, found: string, expected: string) => void

function expectedOneOf(names: readonly string[], wrong: string): string {
  const nearest = nearestName(wrong, names)
  if (nearest !== undefined) return `the id of an item; did you mean ${nearest}?`
  return names.length === 0
    ? 'no reference: there is nothing to refer to'
    : `one of ${names.join(', ')}`
}

function checkReference(
  report: Report,
  path: FieldPath,
  name: string,
  known: readonly string[],
): void {
  if (known.includes(name)) return
  report(path, `a reference to ${JSON.stringify(name)}`, expectedOneOf(known, name))
}

/** Follows references from item to item and reports the first step of every circle it is in. */
function checkAcyclic(
  report: Report,
  items: readonly {
    readonly id: string
    readonly needs: readonly string[]
    readonly path: FieldPath
  }[],
): void {
  const needsOf = new Map(items.map((item) => [item.id, item.needs]))
  for (const item of items) {
    const waiting = [...item.needs]
    const seen = new Set<string>()
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next === item.id) {
        report(item.path, `${item.id} waiting for itself`, 'an order in which the work can be done')
        break
      }
      if (seen.has(next)) continue
      seen.add(next)
      waiting.push(...(needsOf.get(next) ?? []))
    }
  }
}

/** The best overall state that the components leave: a part that is out is at least a partial outage of the whole. */
function bestOverallState(states: readonly (typeof COMPONENT_STATES)[number][]): number {
  const worst = Math.max(...states.map((state) => COMPONENT_STATES.indexOf(state)))
  const partial = COMPONENT_STATES.indexOf('partial_outage')
  return states.every((state) => state === 'major_outage') ? worst : Math.min(worst, partial)
}

/** A list of moments or days that must not grow later as it goes on. */
export function checkNewestFirst(
  report: Report,
  path: FieldPath,
  member: string,
  moments: readonly string[],
): void {
  for (const [index, moment] of moments.entries()) {
    const before = moments[index - 1]
    if (before !== undefined && Date.parse(moment) > Date.parse(before)) {
      report([...path, index, member], moment, `no later than ${before}: the newest stands first`)
    }
  }
}

/** What the schema of `status` cannot say. */
export function checkStatus(data: SnapshotData<'status'>, report: Report): void {
  const best = bestOverallState(data.components.map((component) => component.state))
  if (COMPONENT_STATES.indexOf(data.state) < best) {
    report(
      ['state'],
      describeValue(data.state),
      `${COMPONENT_STATES.slice(best).join(' or ')}: the whole is no better than its components`,
    )
  }
  const ids = data.components.map((component) => component.id)
  checkNewestFirst(
    report,
    ['incidents'],
    'startedAt',
    data.incidents.map((each) => each.startedAt),
  )
  for (const [index, incident] of data.incidents.entries()) {
    const at = ['incidents', index]
    for (const [place, id] of incident.components.entries()) {
      checkReference(report, [...at, 'components', place], id, ids)
    }
    const isResolved = incident.state === 'resolved'
    if (isResolved !== (incident.resolvedAt !== undefined)) {
      report(
        [...at, 'resolvedAt'],
        describeValue(incident.resolvedAt),
        isResolved ? 'when it was resolved' : 'no such field until the state is resolved',
      )
    }
    if (
      incident.resolvedAt !== undefined &&
      Date.parse(incident.resolvedAt) < Date.parse(incident.startedAt)
    ) {
      report([...at, 'resolvedAt'], incident.resolvedAt, `a moment after ${incident.startedAt}`)
    }
    checkNewestFirst(
      report,
      [...at, 'updates'],
      'at',
      incident.updates.map((update) => update.at),
    )
    const said = incident.updates[0]?.state
    if (said !== undefined && said !== incident.state) {
      report([...at, 'state'], describeValue(incident.state), `${said}, as its newest update says`)
    }
  }
}

/** What the schema of an architecture (the service's or the wallet's) cannot say. */
export function checkArchitecture(
  data: Pick<SnapshotData<'architecture'>, 'components' | 'flows'>,
  report: Report,
): void {
  const states = new Map(data.components.map((component) => [component.id, component.state]))
  const ids = [...states.keys()]
  for (const [index, flow] of data.flows.entries()) {
    for (const end of ['from', 'to'] as const) {
      checkReference(report, ['flows', index, end], flow[end], ids)
    }
    const missing = [flow.from, flow.to].find((id) => (states.get(id) ?? 'live') !== 'live')
    if (flow.state === 'live' && missing !== undefined) {
      report(
        ['flows', index, 'state'],
        '"live"',
        `${states.get(missing) ?? ''}, as its component ${missing} is`,
      )
    }
  }
}

/** What the schema of `roadmap` cannot say. */
export function checkRoadmap(data: SnapshotData<'roadmap'>, report: Report): void {
  const horizons = new Map(data.items.map((item) => [item.id, item.horizon]))
  const rank = (id: string): number => HORIZONS.indexOf(horizons.get(id) ?? 'now')
  for (const [index, item] of data.items.entries()) {
    const before = data.items[index - 1]
    if (before !== undefined && rank(before.id) > rank(item.id)) {
      report(
        ['items', index, 'horizon'],
        describeValue(item.horizon),
        `${before.horizon} or a farther one here: the nearest horizon stands first`,
      )
    }
    for (const [place, id] of (item.dependsOn ?? []).entries()) {
      const at = ['items', index, 'dependsOn', place]
      checkReference(report, at, id, [...horizons.keys()])
      if (rank(id) > rank(item.id)) {
        report(
          at,
          `${id}, which comes ${horizons.get(id) ?? ''}`,
          `something no farther than ${item.horizon}`,
        )
      }
    }
  }
  checkAcyclic(
    report,
    data.items.map((item, index) => ({
      id: item.id,
      needs: item.dependsOn ?? [],
      path: ['items', index, 'dependsOn'],
    })),
  )
}

/** What the schema of `development-queue` cannot say. `roadmapIds` is undefined when the roadmap itself is broken. */
export function checkDevelopmentQueue(
  data: SnapshotData<'development-queue'>,
  roadmapIds: readonly string[] | undefined,
  report: Report,
): void {
  const ids = data.items.map((item) => item.id)
  for (const [index, item] of data.items.entries()) {
    const before = data.items[index - 1]
    if (before !== undefined && before.priority >= item.priority) {
      report(
        ['items', index, 'priority'],
        describeValue(item.priority),
        `a number above ${before.priority}: the items stand in order and share no number`,
      )
    }
    for (const [place, id] of (item.blockedBy ?? []).entries()) {
      checkReference(report, ['items', index, 'blockedBy', place], id, ids)
    }
    if (item.roadmapItem !== undefined && roadmapIds !== undefined) {
      checkReference(report, ['items', index, 'roadmapItem'], item.roadmapItem, roadmapIds)
    }
  }
  checkAcyclic(
    report,
    data.items.map((item, index) => ({
      id: item.id,
      needs: item.blockedBy ?? [],
      path: ['items', index, 'blockedBy'],
    })),
  )
}

/** What the schema of `wallet` cannot say. */
export function checkWallet(data: SnapshotData<'wallet'>, report: Report): void {
  const paths = SNAPSHOT_NAMES.filter((name) => name.startsWith('wallet/')).map(
    (name) => `${BASE_PATH}/${name}`,
  )
  for (const [index, view] of data.views.entries()) {
    checkReference(report, ['views', index, 'path'], view.path, paths)
  }
  for (const path of paths) {
    if (data.views.some((view) => view.path === path)) continue
    report(['views'], `no view with the path ${path}`, 'every wallet view')
  }
  if (!data.attached && data.networks.length > 0) {
    report(['networks'], 'networks', 'an empty list while no wallet is attached')
  }
}

/** What the schema of `wallet/security` cannot say. */
export function checkWalletSecurity(data: SnapshotData<'wallet/security'>, report: Report): void {
  if (data.attached === (data.custody !== 'none')) return
  report(
    ['custody'],
    describeValue(data.custody),
    data.attached
      ? 'who holds the keys of the attached wallet'
      : 'none while no wallet is attached',
  )
}

/** What the schema of `wallet/evidence` cannot say. */
export function checkWalletEvidence(data: SnapshotData<'wallet/evidence'>, report: Report): void {
  if (!data.attached && data.evidence.length > 0) {
    report(['evidence'], 'evidence', 'an empty list while no wallet is attached')
  }
  checkNewestFirst(
    report,
    ['evidence'],
    'producedOn',
    data.evidence.map((each) => each.producedOn),
  )
}

/** What the schema of `wallet/capabilities` cannot say. */
export function checkWalletCapabilities(
  data: SnapshotData<'wallet/capabilities'>,
  report: Report,
): void {
  if (data.attached) return
  for (const [index, capability] of data.capabilities.entries()) {
    if (!capability.needsWallet || capability.state !== 'available') continue
    report(
      ['capabilities', index, 'state'],
      '"available"',
      'planned, unavailable or never: it needs a wallet and none is attached',
    )
  }
}
