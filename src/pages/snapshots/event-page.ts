import type { Incident, Maintenance } from '@public-api/contract/history/published-record'
import { formatSnapshotId } from '@public-api/contract/history/version-chain'
import { componentFeed, eventPath, pathOfPage } from '../addresses.ts'
import { anchor, factList, link } from '../markup/elements.ts'
import { code, html, type Html } from '../markup/html.ts'
import { newestShown, type ShownLimits } from '../markup/newest-shown.ts'
import { inEnglish, linkedText, operatorText, plainText, richText } from '../markup/rich-text.ts'
import { type Page, type PageContext } from '../page.ts'
import { incidentTimeline } from '../pictures/incident-timeline.ts'
import { labelFor, stateBadge } from '../texts/enum-labels.ts'
import { elapsedHtml, momentHtml, plannedHtml } from '../texts/moments.ts'
import { notShown, shownLanguageNote } from './snapshot-sections.ts'
import { componentLinks, inLanguage, type StatusEvent, statusEvents } from './status-events.ts'

/** Limit of the updates on a page, the newest first. */
const SHOWN_UPDATES: ShownLimits = { items: 50, bytes: 36_000 }

/** The newest updates of an incident or a maintenance. */
function eventUpdates<State extends string>(
  context: PageContext,
  updates: readonly { readonly at: string; readonly state: State; readonly text: string }[],
  badgeOf: (state: State) => Html,
): Html {
  const { locale, texts, content } = context
  const { shown, left } = newestShown(
    updates,
    SHOWN_UPDATES,
    ({ at, state, text }) =>
      html`<dt>${momentHtml(locale, at)}</dt>
        <dd>
          ${badgeOf(state)}
          <p>${linkedText(content, text)}</p>
        </dd> `,
  )
  return html`<h2 id="updates">${anchor('updates', texts.status.updates)}</h2>
    <dl class="facts">${shown}</dl>
    ${notShown(context, 'status', texts.status.olderUpdates, left)}`
}

function incidentBody(context: PageContext, incident: Incident): Html {
  const { locale, texts, facts } = context
  const { state, impact, startedAt, resolvedAt, components, updates } = incident
  const t = texts.status
  return html`<div class="columns-2">
      ${factList([
        [t.state, stateBadge(texts, 'incidentState', state)],
        [t.impact, labelFor(texts, 'incidentImpact', impact)],
        [t.started, momentHtml(locale, startedAt)],
        [t.ended, resolvedAt && momentHtml(locale, resolvedAt)],
        [t.duration, elapsedHtml(locale, startedAt, resolvedAt, facts.nowMs)],
        [t.affected, components.length > 0 && componentLinks(context, components)],
      ])}
      ${incidentTimeline(context, incident)}
    </div>
    ${eventUpdates(context, updates, (each) => stateBadge(texts, 'incidentState', each))}`
}

/**
 * A note that the planned start or end has passed. Pages are cached, so the script of all pages shows it and fills in the
 * age.
 */
function passedNote({ texts }: PageContext, { state, startsAt, endsAt }: Maintenance) {
  const t = texts.status.maintenance
  const planned = { scheduled: [startsAt, t.start], in_progress: [endsAt, t.end] } as const
  if (state !== 'scheduled' && state !== 'in_progress') return undefined
  const [instant, text] = planned[state]
  return html`<p class="note" data-planned="${instant}" hidden>
    ${richText(text, { age: html`<span class="age"></span>` })}
  </p>`
}

function maintenanceBody(context: PageContext, planned: Maintenance): Html {
  const { locale, texts } = context
  const { state, startsAt, endsAt, components, updates } = planned
  const t = texts.status
  return html`${factList([
    [t.state, stateBadge(texts, 'maintenanceState', state)],
    [t.maintenance.time, plannedHtml(locale, startsAt, endsAt)],
    [t.affected, components.length > 0 && componentLinks(context, components)],
  ])}
  ${passedNote(context, planned)}
  ${eventUpdates(context, updates, (each) => stateBadge(texts, 'maintenanceState', each))}`
}

/** What a page says of an item that a version removed, at the address that it keeps. */
function removedBody({ locale, texts, facts }: PageContext, removedIn: string): Html {
  const note = facts.version(removedIn)?.note
  const sequence = Number(removedIn.slice('VS-'.length))
  const version = (snapshotId: string): Html =>
    link(pathOfPage(locale, `history/${snapshotId}`), code(snapshotId))
  return html`<p class="lead">
      ${richText(texts.status.removedText, {
        version: version(removedIn),
        before: version(formatSnapshotId(sequence - 1)),
      })}
    </p>
    ${note !== undefined && html`<p>${texts.status.removedNote}: ${inEnglish(locale, note)}</p>`}`
}

/** The pages of all published incidents and maintenances, the newest first, or those that removed ones keep. */
export function eventPages(context: PageContext, isRemoved = false): readonly Page[] {
  return statusEvents(context)
    .filter(({ removed }) => (removed !== undefined) === isRemoved)
    .map((event) => pageOf(context, event))
}

/** The page of an incident or of a maintenance. Undefined if none with this id was ever published. */
export function eventPage(
  context: PageContext,
  kind: StatusEvent['kind'],
  id: string,
): Page | undefined {
  const event = statusEvents(context).find((each) => each.kind === kind && each.id === id)
  return event && pageOf(context, event)
}

function pageOf(context: PageContext, listed: StatusEvent): Page {
  const { locale, texts } = context
  const { title, removed, components } = inLanguage(context, listed)
  const t = texts.status
  return {
    path: eventPath(listed),
    parent: 'status',
    isOfStatus: true,
    isOfEvents: true,
    // Other components would repeat the entries, and an outage of all would list them all.
    feeds: ['status', ...(components.length === 1 ? components.map(componentFeed) : [])],
    ...(removed === undefined ? {} : { noIndex: true as const, isGone: true as const }),
    title: () => (removed === undefined ? title : plainText(t.removedTitle, { title })),
    description: () => plainText(t.eventDescription, { title }),
    body(own) {
      const { incident, maintenance } = inLanguage(own, listed)
      const heading =
        removed === undefined
          ? operatorText(own.content, title)
          : plainText(t.removedTitle, { title })
      const shown =
        removed === undefined
          ? html`${incident && incidentBody(own, incident)}
            ${maintenance && maintenanceBody(own, maintenance)}`
          : removedBody(own, removed.removedIn)
      return {
        main: html`<p class="eyebrow">${link(pathOfPage(locale, 'status'), t.title)}</p>
          <h1>${heading}</h1>
          ${shownLanguageNote(own, html`${heading}${shown}`)} ${shown}`,
      }
    },
  }
}
