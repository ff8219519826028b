import type {
  Component,
  Incident,
  Maintenance,
} from '@public-api/contract/history/published-record'
import type { PastEventsName } from '@public-api/contract/snapshots/past-events'
import type { PastEvents } from '@public-api/contract/snapshots/past-events-schema'
import { COMPONENT_STATES, INCIDENT_IMPACTS } from '@public-api/contract/snapshots/snapshot-schemas'
import { DAY_MS } from '@public-api/contract/text/instant'
import { eventPath, pathOfPage } from '../addresses.ts'
import { link } from '../markup/elements.ts'
import { html, type Html, joinHtml } from '../markup/html.ts'
import { inEnglish, linkedText, operatorText } from '../markup/rich-text.ts'
import { type PageContext, type SiteFacts } from '../page.ts'
import type { RemovedItem } from '../site-facts.ts'
import { labelFor, stateBadge } from '../texts/enum-labels.ts'
import { elapsedHtml, momentRangeHtml, momentHtml, plannedHtml } from '../texts/moments.ts'
import { itemLinks } from './snapshot-sections.ts'

/** What happened to the service, or will: an incident or a maintenance, with its time. */
export type StatusEvent = ReturnType<typeof incidentEvent> | ReturnType<typeof maintenanceEvent>

/**
 * Whether an incident is not resolved, or a maintenance is planned or running. What a version removed is not open, whatever
 * it said.
 */
export function isOpen({
  state,
  removed,
}: Pick<Incident | Maintenance, 'state'> & {
  readonly removed?: RemovedItem | undefined
}): boolean {
  return (
    removed === undefined && state !== 'resolved' && state !== 'completed' && state !== 'cancelled'
  )
}

/** Where an event is, if the status does not have it: the texts of both are English. */
interface Elsewhere {
  /** The year before the status. */
  readonly past?: PastEventsName
  /** What a version removed. */
  readonly removed?: RemovedItem
}

/** `endMs` is Infinity while it is open. */
function incidentEvent(incident: Incident, { past, removed }: Elsewhere = {}) {
  const { startedAt, resolvedAt, updates } = incident
  // A removed incident was open at most until then: what is known of it ends with its last update.
  const endedAt = resolvedAt ?? (removed && updates[0]?.at)
  return {
    ...incident,
    kind: 'incidents' as const,
    startMs: Date.parse(startedAt),
    endMs: endedAt === undefined ? Infinity : Date.parse(endedAt),
    incident,
    maintenance: undefined,
    past,
    removed,
  }
}

function maintenanceEvent(maintenance: Maintenance, { past, removed }: Elsewhere = {}) {
  return {
    ...maintenance,
    kind: 'maintenances' as const,
    impact: undefined,
    startMs: Date.parse(maintenance.startsAt),
    endMs: Date.parse(maintenance.endsAt),
    incident: undefined,
    maintenance,
    past,
    removed,
  }
}

const byStart = (a: StatusEvent, b: StatusEvent): number => b.startMs - a.startMs

function eventsIn({ incidents = [], maintenances = [] }: PastEvents, past?: PastEventsName) {
  const where = past === undefined ? {} : { past }
  return [
    ...incidents.map((each) => incidentEvent(each, where)),
    ...maintenances.map((each) => maintenanceEvent(each, where)),
  ]
}

/** The events of each year, made once: it does not change with a version. */
const ofYears = new WeakMap<PastEvents, readonly StatusEvent[]>()

function eventsOfYear(name: PastEventsName, data: PastEvents): readonly StatusEvent[] {
  const known = ofYears.get(data) ?? eventsIn(data, name)
  ofYears.set(data, known)
  return known
}

const NO_EVENTS: PastEvents = {}

/** The events of a site, sorted once: each page of an event looks for its own. */
const ofSites = new WeakMap<SiteFacts, WeakMap<object, readonly StatusEvent[]>>()

/**
 * Every incident and maintenance that was ever published, the newest start first: those of the status, of the years before
 * it, and those that a version removed. Everything that lists events asks this function. Texts of past and removed ones are
 * English (`inLanguage`).
 */
export function statusEvents({
  facts,
  content,
}: Pick<PageContext, 'facts' | 'content'>): readonly StatusEvent[] {
  const status = content.snapshot('status') ?? NO_EVENTS
  const made = ofSites.get(facts) ?? new WeakMap<object, readonly StatusEvent[]>()
  ofSites.set(facts, made)
  const events = made.get(status) ?? sortedEvents(facts, status)
  made.set(status, events)
  return events
}

function sortedEvents(facts: SiteFacts, status: PastEvents): readonly StatusEvent[] {
  const removed = facts.removedEvents.map((each) =>
    each.list === 'incidents'
      ? incidentEvent(each.item as Incident, { removed: each })
      : maintenanceEvent(each.item as Maintenance, { removed: each }),
  )
  const past = facts.pastEvents.flatMap(({ name, data }) =>
    data === undefined ? [] : eventsOfYear(name, data),
  )
  return [...eventsIn(status), ...past, ...removed].toSorted(byStart)
}

/** An event with the texts of the page's language. Removed ones stay in English. */
export function inLanguage(
  { content }: Pick<PageContext, 'content'>,
  event: StatusEvent,
): StatusEvent {
  const { past, incident, maintenance } = event
  if (past === undefined) return event
  return incident === undefined
    ? maintenanceEvent(content.pastEvent(past, 'maintenances', maintenance), { past })
    : incidentEvent(content.pastEvent(past, 'incidents', incident), { past })
}

/** The impact of the worst incident; undefined without one. */
export function worstImpact(events: readonly StatusEvent[]): Incident['impact'] | undefined {
  return INCIDENT_IMPACTS.findLast((impact) => events.some((each) => each.impact === impact))
}

/** The state of the worst component; operational without one. */
export function worstState(components: readonly Component[]): Component['state'] {
  return (
    COMPONENT_STATES.findLast((state) => components.some((each) => each.state === state)) ??
    'operational'
  )
}

/** The title of an event as a link to its page. */
export function eventLink({ locale, content }: PageContext, event: StatusEvent): Html {
  const { title, removed } = event
  const text = removed === undefined ? operatorText(content, title) : inEnglish(locale, title)
  return link(pathOfPage(locale, eventPath(event)), text)
}

/** Links to components on the status page. */
export function componentLinks(context: PageContext, ids: readonly string[]): Html {
  const components = context.content.snapshot('status')?.components ?? []
  return itemLinks(context, 'component', components, ids, pathOfPage(context.locale, 'status'))
}

/** When an incident began and ended, and how long it took. One without an end is open, or was removed while it was. */
function incidentTime(
  { locale, facts }: PageContext,
  incident: Incident,
  isRemoved: boolean,
): Html {
  const { startedAt, resolvedAt } = incident
  if (isRemoved && resolvedAt === undefined) return momentHtml(locale, startedAt)
  const time =
    resolvedAt === undefined
      ? momentHtml(locale, startedAt)
      : momentRangeHtml(locale, startedAt, resolvedAt)
  return html`${time} · ${elapsedHtml(locale, startedAt, resolvedAt, facts.nowMs)}`
}

function eventRow(context: PageContext, listed: StatusEvent): Html {
  const { locale, texts, content } = context
  const event = inLanguage(context, listed)
  const { incident, maintenance, removed, components } = event
  const last = event.updates[0]
  const isFresh =
    last !== undefined &&
    removed === undefined &&
    incident?.state === 'resolved' &&
    event.endMs >= context.facts.nowMs - DAY_MS
  const facts = [
    incident && labelFor(texts, 'incidentImpact', incident.impact),
    maintenance && texts.status.maintenance.one,
    incident && incidentTime(context, incident, removed !== undefined),
    components.length > 0 && componentLinks(context, components),
  ].filter((each) => each !== undefined && each !== false)
  return html`<li>
    <p>
      ${
        removed === undefined
          ? incident
            ? stateBadge(texts, 'incidentState', incident.state)
            : maintenance && stateBadge(texts, 'maintenanceState', maintenance.state)
          : html`<span class="state state-closed">${texts.status.removed}</span>`
      }
      ${eventLink(context, event)}
    </p>
    <p class="muted small">${joinHtml(facts, ' · ')}</p>
    ${
      // Who comes back reads that it is over, and why.
      isFresh && html`<p>${linkedText(content, last.text)}</p>`
    }
    ${
      maintenance &&
      html`<p class="muted small">
        ${plannedHtml(locale, maintenance.startsAt, maintenance.endsAt)}
      </p>`
    }
  </li> `
}

/** A list of events, each in two lines. */
export function eventList(context: PageContext, events: readonly StatusEvent[]): Html {
  return html`<ul class="plain-list entries events">
    ${events.map((event) => eventRow(context, event))}
  </ul>`
}
