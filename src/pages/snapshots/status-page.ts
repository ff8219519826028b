import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { DAY_MS } from '@public-api/contract/text/instant'
import { anchor, pageSection, pendingSteps } from '../markup/elements.ts'
import { html, type Html } from '../markup/html.ts'
import { newestShown, type ShownLimits } from '../markup/newest-shown.ts'
import { countText, operatorText, plainText, richText } from '../markup/rich-text.ts'
import type { Page, PageContext } from '../page.ts'
import { stateBadge } from '../texts/enum-labels.ts'
import { dayHtml } from '../texts/moments.ts'
import { type BarDetail, dayBars, dayLegend, incidentsOfBars } from './day-bars.ts'
import { monthLinks } from './month-page.ts'
import { fromSnapshot, languageNote, snapshotSource } from './snapshot-sections.ts'
import { eventList, isOpen, type StatusEvent, statusEvents, worstState } from './status-events.ts'
import {
  firstMaintenance,
  nextMaintenance,
  openIncidents,
  stateNow,
  troubledComponents,
} from './status-now.ts'
import { subscribeSection } from './subscribe-section.ts'

type Status = SnapshotData<'status'>
type Component = Status['components'][number]

/** Days before today whose incidents and maintenances the page lists. Older ones are on the pages of their months. */
const RECENT_DAYS = 14
const SHOWN_EVENTS: ShownLimits = { items: 20, bytes: 14_000 }

/** A component: name, state and days; what it does, and what else is to be said only where something is unusual. */
function componentItem(
  context: PageContext,
  status: Status,
  { id, name, summary, note, state, since }: Component,
  recent: readonly StatusEvent[],
  detail: BarDetail,
): Html {
  const { locale, texts, content } = context
  const isUnusual = state !== 'operational'
  return html`<li id="component-${id}">
    <div class="entry-head">
      <h3>${anchor(`component-${id}`, operatorText(content, name))}</h3>
      <p>
        ${stateBadge(texts, 'componentState', state)}
        ${
          isUnusual &&
          html`<span class="muted small"
            >${richText(texts.status.sinceDay, { day: dayHtml(locale, since) })}</span
          >`
        }
      </p>
    </div>
    <p>${operatorText(content, summary)}</p>
    ${note !== undefined && html`<p class="component-note">${operatorText(content, note)}</p>`}
    ${dayBars(context, status, id, recent, detail)}
  </li> `
}

/** Most components whose bars have tooltips, and links, while they work: a page of more stays small. */
const DETAILED_COMPONENTS = 6
const LINKED_COMPONENTS = 12

/** The components, each with its state and its last days. A group is folded while all of it is operational. */
function componentList(context: PageContext, status: Status, events: readonly StatusEvent[]): Html {
  const { texts, content } = context
  const recent = incidentsOfBars(context, events)
  const list = (components: readonly Component[]): Html =>
    html`<ul class="plain-list components full">
      ${components.map((each) => {
        const count = each.state === 'operational' ? status.components.length : 0
        const detail =
          count <= DETAILED_COMPONENTS ? 'tooltips' : count <= LINKED_COMPONENTS ? 'links' : 'none'
        return componentItem(context, status, each, recent, detail)
      })}
    </ul>`
  const groups = Map.groupBy(status.components, ({ group }) => group ?? '')
  const folded = Array.from(groups, ([name, components]) => {
    if (name === '') return undefined
    const worst = worstState(components)
    return html`<details class="component-group full" ${worst !== 'operational' && html`open`}>
      <summary>
        ${operatorText(content, name)} ${stateBadge(texts, 'componentState', worst)}
      </summary>
      ${() => list(components)}
    </details>`
  })
  const ungrouped = groups.get('')
  return html`${dayLegend(context)} ${ungrouped && list(ungrouped)}
  ${groups.size > (ungrouped ? 1 : 0) && html`<div class="component-groups">${folded}</div>`}`
}

function shownEvents(context: PageContext, events: readonly StatusEvent[]): Html {
  const { shown, left } = newestShown(events, SHOWN_EVENTS, (event) => eventList(context, [event]))
  const { locale, texts } = context
  return html`${shown}
  ${left > 0 && html`<p class="muted">${countText(locale, texts.status.moreEvents, left)}</p>`}`
}

/** What ended in the last days, and the months before. */
function recentEvents(context: PageContext, events: readonly StatusEvent[]): Html {
  const { texts, facts } = context
  const t = texts.status
  const fromMs = facts.todayMs - RECENT_DAYS * DAY_MS
  const ended = events.filter((each) => !isOpen(each))
  const recent = ended.filter(
    ({ endMs, removed }) => endMs >= fromMs || Date.parse(removed?.removedAt ?? '') >= fromMs,
  )
  const none = ended.length < events.length ? t.recentNoneElse : t.recentNone
  return html`${
    recent.length === 0
      ? html`<p class="muted">
          ${events.length === 0 ? t.noIncidents : plainText(none, { days: RECENT_DAYS })}
        </p>`
      : shownEvents(context, recent)
  }
  ${() => monthLinks(context, events)}`
}

/** The maintenances that are planned or running, but for the first one, which has its own place. Undefined without others. */
function maintenancesAhead(context: PageContext, status: Status, events: readonly StatusEvent[]) {
  const first = firstMaintenance(status)?.id
  const ahead = events.filter(
    (each) => each.kind === 'maintenances' && isOpen(each) && each.id !== first,
  )
  if (ahead.length === 0) return undefined
  const { heading } = context.texts.status.maintenance
  return pageSection('maintenance', heading, shownEvents(context, ahead.toReversed()))
}

/** The open incidents, and beside them the components that do not work and the next maintenance. Undefined on calm days. */
function troubleNow(context: PageContext, status: Status): Html | undefined {
  const open = openIncidents(context, status, { isOnStatus: true })
  const components = troubledComponents(context, status)
  const maintenance = nextMaintenance(context, status)
  return open === undefined && components === undefined
    ? maintenance
    : html`<div class="trouble">
        ${open !== undefined && html`<div>${open}</div>`}
        <div>${components} ${maintenance}</div>
      </div>`
}

/** The live checks in the browser, folded: the line below the published state has their result. The script fills both in. */
function liveCheck({ texts }: PageContext): Html {
  const { live } = texts.status
  return html`<noscript><p class="note">${live.noScript}</p></noscript>
    <details class="panel needs-script" id="live" data-browser>
      <summary>${live.title}</summary>
      <p class="muted small">${live.text}</p>
      <div id="self-check">${pendingSteps(Object.values(live.steps), texts.proof.states)}</div>
    </details>`
}

/** The published state with its age and the live result, what is broken and planned, the components, and the last days. */
export const STATUS_PAGE: Page = {
  path: 'status',
  feeds: ['status'],
  isOfStatus: true,
  scripts: () => ['status-page.js'],
  title: (texts) => texts.status.title,
  description: (texts) => texts.status.description,
  body(context) {
    const { texts, facts, content } = context
    const t = texts.status
    return {
      main: html`<div class="title-row row">
          <h1>${t.title}</h1>
          ${
            content.snapshot('status') !== undefined &&
            html`<p data-browser>
              <a class="button-quiet" href="#subscribe">${t.subscribe.heading}</a>
            </p>`
          }
        </div>
        ${languageNote(context, 'status')}
        ${fromSnapshot(context, 'status', (status) => {
          const events = statusEvents(context)
          return [
            () => stateNow(context, status, 'self-check'),
            () => troubleNow(context, status),
            pageSection('components', t.components, () => componentList(context, status, events)),
            () => maintenancesAhead(context, status, events),
            html`<div class="columns-2">
              <div class="flow">
                ${pageSection('incidents', plainText(t.recent, { days: RECENT_DAYS }), () =>
                  recentEvents(context, events),
                )}
                ${facts.keyId !== undefined && liveCheck(context)}
                ${snapshotSource(context, 'status', status)}
              </div>
              ${() => subscribeSection(context, status)}
            </div>`,
          ]
        })}`,
    }
  },
}
