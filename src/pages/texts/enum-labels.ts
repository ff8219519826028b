import { html, type Html } from '../markup/html.ts'
import type { Texts } from './texts.ts'

type Labels = Texts['labels']

/** A value of a list. Showing a schema value without a label does not compile. */
type LabeledWord<List extends keyof Labels> = keyof Labels[List] & string

/** The label of an enum value. Loading a release checks its schemas, so the value is known. */
export function labelFor<List extends keyof Labels>(
  { labels }: Texts,
  list: List,
  word: LabeledWord<List>,
): string {
  return labels[list][word] as string
}

/** The severity of a state; each has a color and a shape. */
export type StateTone =
  | 'good'
  | 'active'
  | 'review'
  | 'planned'
  | 'warn'
  | 'bad'
  | 'idle'
  | 'closed'

/** The lists whose values are states, with their severities. */
const TONES = {
  componentState: {
    operational: 'good',
    maintenance: 'planned',
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
  maintenanceState: {
    scheduled: 'idle',
    in_progress: 'planned',
    completed: 'good',
    cancelled: 'closed',
  },
  queueState: {
    queued: 'idle',
    in_progress: 'active',
    in_review: 'review',
    blocked: 'warn',
    done: 'good',
  },
  partState: { live: 'good', planned: 'idle', retired: 'closed' },
  controlState: { in_place: 'good', planned: 'idle', retired: 'closed' },
  capabilityState: { available: 'good', planned: 'idle', unavailable: 'closed', never: 'closed' },
} as const satisfies {
  readonly [List in keyof Labels]?: { readonly [Word in keyof Labels[List]]: StateTone }
}

type StateList = keyof typeof TONES
type State<List extends StateList> = keyof (typeof TONES)[List] & LabeledWord<List>

export function toneOf<List extends StateList>(list: List, word: State<List>): StateTone {
  return TONES[list][word] as StateTone
}

/** A state label with its color and shape. One that is checked states them for the script. */
export function stateBadge<List extends StateList>(
  texts: Texts,
  list: List,
  word: State<List>,
  isChecked = false,
): Html {
  const severity = toneOf(list, word)
  return html`<span class="state state-${severity}" ${isChecked && html`data-tone="${severity}"`}
    >${labelFor(texts, list, word)}</span
  >`
}
