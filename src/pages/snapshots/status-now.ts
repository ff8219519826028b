import type { Incident } from '@public-api/contract/history/published-record'
import {
  COMPONENT_STATES,
  INCIDENT_IMPACTS,
  type SnapshotData,
} from '@public-api/contract/snapshots/snapshot-schemas'
import { eventPath, pathOfPage } from '../addresses.ts'
import { link, proofTexts, scriptTexts } from '../markup/elements.ts'
import { html, type Html } from '../markup/html.ts'
import { newestShown, type ShownLimits } from '../markup/newest-shown.ts'
import {
  countText,
  linkedText,
  listHtml,
  operatorText,
  plainText,
  richText,
} from '../markup/rich-text.ts'
import { type PageContext } from '../page.ts'
import { labelFor, stateBadge, toneOf } from '../texts/enum-labels.ts'
import { agoHtml, elapsedHtml, formatAgeInDays, momentHtml, plannedHtml } from '../texts/moments.ts'
import { isOpen } from './status-events.ts'

type Status = SnapshotData<'status'>

/** Open incidents that are shown with their newest update; the others are named. */
const SHOWN_OPEN: ShownLimits = { items: 20, bytes: 16_000 }
/** Number of open incidents whose newest update is shown whole; of the others, two lines and a link to all. */
const WHOLE_UPDATES = 1
/** Number of components that the first page names. */
const SHOWN_COMPONENTS = 8

/** Tones of the states, which the script needs for a state that it verified. */
const STATE_TONES = Object.fromEntries(
  COMPONENT_STATES.map((state) => [state, toneOf('componentState', state)]),
)

/** The longest of what the live check usually says: its lines are kept free. */
function longestResult({ texts, facts }: PageContext): string {
  const { running, passed, status, noResponse, seeAbove } = texts.status.live.result
  const usual = [running, passed, ...(facts.copy === undefined ? [status, noResponse] : [seeAbove])]
  return plainText(usual.toSorted((a, b) => b.length - a.length)[0] ?? '', { status: 503 })
}

/**
 * The published state with its time and age, and beside it the result of the live check: no page shows one without the
 * other (src/browser/state-check.ts). `details` is the place of the steps.
 */
export function stateNow(context: PageContext, status: Status, details: string): Html {
  const { locale, texts, facts, content } = context
  const { state, summary, updatedAt } = status
  const {
    result,
    loadAgain,
    title: _,
    text: _text,
    noScript: _noScript,
    ...ofScript
  } = texts.status.live
  return html`<div class="state-now edge-${toneOf('componentState', state)}" id="state-now">
    <p class="lead">
      ${stateBadge(texts, 'componentState', state, true)}
      <span class="muted small"
        >${richText(texts.status.asPublished, { time: momentHtml(locale, updatedAt) })}
        ${
          // An open incident says how old its newest update is.
          !facts.hasOpenIncident &&
          html`· <span class="age">${formatAgeInDays(locale, updatedAt, facts.todayMs)}</span>`
        }</span
      >
    </p>
    <p>${operatorText(content, summary)}</p>
    ${
      facts.keyId !== undefined &&
      html`<p
          class="live-result reserved small"
          role="status"
          data-browser
          data-longest="${longestResult(context)}"
        >
          <a class="state state-idle" href="#${details}">${result.running}</a>
        </p>
        <p class="load-again" data-browser hidden>
          <button type="button">${loadAgain}</button>
        </p>
        ${scriptTexts('live', {
          ...ofScript,
          result,
          states: texts.labels.componentState,
          tones: STATE_TONES,
        })}
        ${proofTexts(texts)}`
    }
  </div>`
}

/** The components that are not operational, the worst first. */
export function troubledComponents(
  { locale, texts, content }: PageContext,
  { components }: Status,
): Html | undefined {
  const rank = ({ state }: Status['components'][number]): number => COMPONENT_STATES.indexOf(state)
  const worst = components
    .filter(({ state }) => state !== 'operational')
    .toSorted((a, b) => rank(b) - rank(a))
  const left = worst.length - SHOWN_COMPONENTS
  if (worst.length === 0) return undefined
  return html`<ul class="plain-list component-states stacked">
      ${worst
        .slice(0, SHOWN_COMPONENTS)
        .map(
          ({ id, name, state }) =>
            html`<li class="row">
              ${link(`${pathOfPage(locale, 'status')}#component-${id}`, operatorText(content, name))}
              ${stateBadge(texts, 'componentState', state)}
            </li> `,
        )}
    </ul>
    ${left > 0 && html`<p class="muted small">${countText(locale, texts.status.moreComponents, left)}</p>`}`
}

/** An open incident: since when, how long, its newest update, and the way to all of them and to the next one. */
function openIncident(
  context: PageContext,
  incident: Incident,
  { isOnStatus, index }: { readonly isOnStatus: boolean; readonly index: number },
): Html {
  const { locale, texts, facts, content } = context
  const { id, title, state, impact, startedAt, updates } = incident
  const t = texts.status
  const page = pathOfPage(locale, eventPath({ kind: 'incidents', id }))
  const [newest] = updates
  const heading = link(page, operatorText(content, title))
  return html`<article class="open-incident" id="incident-${id}">
    ${isOnStatus ? html`<h2>${heading}</h2>` : html`<h3>${heading}</h3>`}
    <p class="small">
      ${stateBadge(texts, 'incidentState', state)} · ${labelFor(texts, 'incidentImpact', impact)} ·
      ${richText(t.sinceTime, { time: momentHtml(locale, startedAt) })}&nbsp;·
      ${elapsedHtml(locale, startedAt, undefined, facts.nowMs)}
    </p>
    ${
      newest &&
      html`<p class="small links">
          <span class="muted"
            >${richText(t.lastUpdate, { age: agoHtml(locale, newest.at, facts.nowMs) })}</span
          >
          ${
            isOnStatus
              ? updates.length > 1 && link(page, countText(locale, t.allUpdates, updates.length))
              : index === 0 &&
                link(`${pathOfPage(locale, 'status')}#subscribe`, t.subscribe.heading)
          }
        </p>
        <p>
          ${
            index < WHOLE_UPDATES
              ? linkedText(content, newest.text)
              : html`<span class="first-lines">${operatorText(content, newest.text)}</span>`
          }
        </p>`
    }
  </article>`
}

/**
 * The incidents that are not resolved, the worst first and of these the newest, with their newest updates. Where the state is not operational
 * and no incident says why, it says so. Undefined on calm days.
 */
export function openIncidents(
  context: PageContext,
  status: Status,
  { isOnStatus }: { readonly isOnStatus: boolean },
): Html | undefined {
  const { locale, texts, content } = context
  const t = texts.status
  const open = status.incidents
    .filter(isOpen)
    .toSorted((a, b) => INCIDENT_IMPACTS.indexOf(b.impact) - INCIDENT_IMPACTS.indexOf(a.impact))
  if (open.length === 0) {
    return status.state === 'operational' || status.state === 'maintenance'
      ? undefined
      : html`<p class="muted">${t.noOpenIncident}</p>`
  }
  const { shown } = newestShown(open, SHOWN_OPEN, (incident, index) =>
    openIncident(context, incident, { isOnStatus, index }),
  )
  const others = open.slice(shown.length)
  const links = others
    .slice(0, SHOWN_COMPONENTS)
    .map(({ id, title }) =>
      link(pathOfPage(locale, eventPath({ kind: 'incidents', id })), operatorText(content, title)),
    )
  return html`${shown}
  ${
    others.length > 0 &&
    html`<p>
      ${countText(locale, t.moreOpen, others.length, { incidents: listHtml(locale, links) })}
    </p>`
  }`
}

/** The running maintenance, else the next one. Undefined if none is planned. */
export function firstMaintenance({ maintenances = [] }: Status) {
  const ahead = maintenances.filter(isOpen)
  return (
    ahead.find(({ state }) => state === 'in_progress') ??
    ahead.toSorted((a, b) => Date.parse(a.startsAt) - Date.parse(b.startsAt))[0]
  )
}

/** The running maintenance, else the next one, in the time of the visitor. Undefined if none is planned. */
export function nextMaintenance(context: PageContext, status: Status): Html | undefined {
  const { locale, texts, content } = context
  const next = firstMaintenance(status)
  if (next === undefined) return undefined
  const { id, title, state, startsAt, endsAt } = next
  const t = texts.status.maintenance
  const page = pathOfPage(locale, eventPath({ kind: 'maintenances', id }))
  return html`<div class="next-maintenance">
    <p>
      ${state === 'scheduled' ? t.next : stateBadge(texts, 'maintenanceState', state)}:
      ${link(page, operatorText(content, title))}
    </p>
    <p class="small">${plannedHtml(locale, startsAt, endsAt)}</p>
  </div>`
}
