import type { ResourceName } from '../contract/resource-names.ts'
import type { SnapshotData, SnapshotName } from '../contract/snapshot-schemas.ts'
import type { VersionEntry } from '../contract/version-chain.ts'
import { code, html, type Html, type HtmlValue } from './html.ts'
import type { Texts } from './texts.ts'

type ItemOf<List extends readonly unknown[]> = List[number]
type Incident = ItemOf<SnapshotData<'status'>['incidents']>
type QueueItem = ItemOf<SnapshotData<'development-queue'>['items']>
type Part = ItemOf<SnapshotData<'architecture'>['components']>
type Security = SnapshotData<'wallet/security'>

/** Enum values of published data that a page shows, by the list of their labels. */
export interface EnumLabels {
  readonly componentState: SnapshotData<'status'>['state']
  readonly incidentState: Incident['state']
  readonly incidentImpact: Incident['impact']
  readonly horizon: ItemOf<SnapshotData<'roadmap'>['items']>['horizon']
  readonly queueKind: QueueItem['kind']
  readonly queueState: QueueItem['state']
  readonly changelogKind: ItemOf<SnapshotData<'changelog'>['unreleased']>['kind']
  readonly partKind: Part['kind']
  readonly partState: Part['state']
  readonly custody: Security['custody']
  readonly controlState: ItemOf<Security['controls']>['state']
  readonly evidenceKind: ItemOf<SnapshotData<'wallet/evidence'>['evidence']>['kind']
  readonly capabilityState: ItemOf<SnapshotData<'wallet/capabilities'>['capabilities']>['state']
  readonly direction: ItemOf<SnapshotData<'wallet/integration'>['interfaces']>['direction']
  readonly environment: ItemOf<SnapshotData<'wallet'>['networks']>['environment']
  readonly resourceChange: ItemOf<VersionEntry['changes']>['kind']
  readonly siteResource: Exclude<ResourceName, SnapshotName>
}

type LabelTexts = {
  readonly [List in keyof EnumLabels]: { readonly [Word in EnumLabels[List]]: string }
}

/**
 * The label of an enum value. A value of a schema without a label does not compile. A release may be newer than this
 * program, so an unknown value is shown as it is.
 */
export function labelFor<List extends keyof EnumLabels>(
  texts: Texts,
  list: List,
  word: EnumLabels[List],
): HtmlValue {
  const words: LabelTexts = texts.labels
  const known: { readonly [word: string]: string } = words[list]
  return Object.hasOwn(known, word) ? known[word] : code(word)
}

/** The severity of a state; each has a color and a shape. */
export type Severity = 'good' | 'active' | 'review' | 'warn' | 'bad' | 'idle' | 'closed'

/** The lists whose values are states, with their severities. */
const SEVERITIES = {
  componentState: {
    operational: 'good',
    maintenance: 'warn',
    degraded: 'warn',
    partial_outage: 'bad',
    major_outage: 'bad',
  },
  incidentState: {
    investigating: 'bad',
    identified: 'warn',
    monitoring: 'review',
    resolved: 'good',
  },
  queueState: {
    queued: 'idle',
    in_progress: 'active',
    in_review: 'review',
    blocked: 'warn',
    done: 'good',
  },
  partState: { live: 'good', planned: 'idle', retired: 'idle' },
  controlState: { in_place: 'good', planned: 'idle', retired: 'idle' },
  capabilityState: { available: 'good', planned: 'idle', unavailable: 'closed', never: 'closed' },
} as const satisfies {
  readonly [List in keyof EnumLabels]?: { readonly [Word in EnumLabels[List]]: Severity }
}

/** The severity of a state; idle for a value that this program does not know. */
export function severityOf<List extends keyof typeof SEVERITIES>(
  list: List,
  word: EnumLabels[List],
): Severity {
  const severities: { readonly [word: string]: Severity } = SEVERITIES[list]
  return (Object.hasOwn(severities, word) ? severities[word] : undefined) ?? 'idle'
}

/** A state label with its color and shape. */
export function stateBadge<List extends keyof typeof SEVERITIES>(
  texts: Texts,
  list: List,
  word: EnumLabels[List],
): Html {
  const severity = severityOf(list, word)
  return html`<span class="state state-${severity}">${labelFor(texts, list, word)}</span>`
}
