import { COMPONENT_STATES, INCIDENT_IMPACTS } from '@public-api/contract/snapshots/snapshot-schemas'
import { eventPath, pathOfPage } from '../addresses.ts'
import { link } from '../markup/elements.ts'
import { html, type Html, joinHtml } from '../markup/html.ts'
import { inEnglish, operatorText } from '../markup/rich-text.ts'
import { type PageContext } from '../page.ts'
import type { Component, Incident, Maintenance, RecordedItem } from '../published-record.ts'
import { labelFor, stateBadge } from '../texts/enum-labels.ts'
import { elapsedHtml, formatMomentRange, momentInText, plannedHtml } from '../texts/moments.ts'
import { itemLinks } from './snapshot-sections.ts'

/** What happened to the service, or will: an incident or a maintenance, with its time. */
export type StatusEvent = ReturnType<typeof incidentEvent> | ReturnType<typeof maintenanceEvent>

/** Whether an incident is not resolved, or a maintenance is planned or running. */
export function isOpen({ state }: Pick<Incident | Maintenance, 'state'>): boolean {
  return state !== 'resolved' && state !== 'completed' && state !== 'cancelled'
}

/**
 * `removedIn` is the version that removed the incident from the status: its texts are English then. `endMs` is Infinity
 * while it is open.
 */
function incidentEvent(incident: Incident, removedIn?: string) {
  const { startedAt, resolvedAt, updates } = incident
  // A removed incident was open at most until then: what is known of it ends with its last update.
  const endedAt = resolvedAt ?? (removedIn && updates[0]?.at)
  return {
    ...incident,
    kind: 'incidents' as const,
    startMs: Date.parse(startedAt),
    endMs: endedAt === undefined ? Infinity : Date.parse(endedAt),
    incident,
    maintenance: undefined,
    removedIn,
  }
}

function maintenanceEvent(maintenance: Maintenance, removedIn?: string) {
  return {
    ...maintenance,
    kind: 'maintenances' as const,
    impact: undefined,
    startMs: Date.parse(maintenance.startsAt),
    endMs: Date.parse(maintenance.endsAt),
    incident: undefined,
    maintenance,
    removedIn,
  }
}

/** The events of published items, and of recorded ones that a version removed. */
function eventsOf<Item>(
  published: readonly Item[],
  recorded: ReadonlyMap<string, RecordedItem<Item>>,
  toEvent: (item: Item, removedIn?: string) => StatusEvent,
): readonly StatusEvent[] {
  const removed = [...recorded.values()].filter(({ removedIn }) => removedIn !== undefined)
  return [
    ...published.map((each) => toEvent(each)),
    ...removed.map(({ item, removedIn }) => toEvent(item, removedIn)),
  ]
}

/** Every incident and maintenance that was ever published, the newest start first. */
export function statusEvents({ facts, content }: Pick<PageContext, 'facts' | 'content'>) {
  const { incidents = [], maintenances = [] } = content.snapshot('status') ?? {}
  return [
    ...eventsOf(incidents, facts.record.incidents, incidentEvent),
    ...eventsOf(maintenances, facts.record.maintenances, maintenanceEvent),
  ].toSorted((a, b) => b.startMs - a.startMs)
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
  const { title, removedIn } = event
  const text = removedIn === undefined ? operatorText(content, title) : inEnglish(locale, title)
  return link(pathOfPage(locale, eventPath(event)), text)
}

/** Links to components on the status page. */
export function componentLinks(context: PageContext, ids: readonly string[]): Html {
  const components = context.content.snapshot('status')?.components ?? []
  return itemLinks(context, 'component', components, ids, pathOfPage(context.locale, 'status'))
}

/** When an incident began and ended, and how long it took; undefined ends are open. */
function incidentTime({ locale, facts }: PageContext, { startedAt, resolvedAt }: Incident): Html {
  const time =
    resolvedAt === undefined
      ? momentInText(locale, startedAt)
      : html`${formatMomentRange(locale, startedAt, resolvedAt)}`
  return html`${time} · ${elapsedHtml(locale, startedAt, resolvedAt, facts.nowMs)}`
}

function eventRow(context: PageContext, event: StatusEvent): Html {
  const { locale, texts } = context
  const { incident, maintenance, removedIn, components } = event
  const facts = [
    incident && labelFor(texts, 'incidentImpact', incident.impact),
    maintenance && texts.status.maintenance.one,
    incident && incidentTime(context, incident),
    components.length > 0 && componentLinks(context, components),
  ].filter((each) => each !== undefined && each !== false)
  return html`<li>
    <p>
      ${
        removedIn === undefined
          ? incident
            ? stateBadge(texts, 'incidentState', incident.state)
            : maintenance && stateBadge(texts, 'maintenanceState', maintenance.state)
          : html`<span class="state state-closed">${texts.status.removed}</span>`
      }
      ${eventLink(context, event)}
    </p>
    <p class="muted small">${joinHtml(facts, ' · ')}</p>
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
