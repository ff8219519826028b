import { code, html, type Html, type HtmlValue } from './html.ts'
import type { Texts } from './texts.ts'

/** Labels of the enum values of published data, by list. */
type Labels = Texts['labels']

/** A value of a list. Showing a schema value without a label does not compile. */
export type LabeledWord<List extends keyof Labels> = keyof Labels[List] & string

/** The label of an enum value. A release may be newer than this program, so an unknown value is shown as it is. */
export function labelFor<List extends keyof Labels>(
  texts: Texts,
  list: List,
  word: LabeledWord<List>,
): HtmlValue {
  const known: { readonly [word: string]: string } = texts.labels[list]
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
  readonly [List in keyof Labels]?: { readonly [Word in keyof Labels[List]]: Severity }
}

/** The severity of a state; idle for a value that this program does not know. */
export function severityOf<List extends keyof typeof SEVERITIES>(
  list: List,
  word: LabeledWord<List>,
): Severity {
  const severities: { readonly [word: string]: Severity } = SEVERITIES[list]
  return (Object.hasOwn(severities, word) ? severities[word] : undefined) ?? 'idle'
}

/** A state label with its color and shape. */
export function stateBadge<List extends keyof typeof SEVERITIES>(
  texts: Texts,
  list: List,
  word: LabeledWord<List>,
): Html {
  const severity = severityOf(list, word)
  return html`<span class="state state-${severity}">${labelFor(texts, list, word)}</span>`
}
