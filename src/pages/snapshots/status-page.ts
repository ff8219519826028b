import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { anchor, factList, pageSection, pendingSteps, scriptTexts } from '../markup/elements.ts'
import { html, type Html } from '../markup/html.ts'
import { newestShown, type ShownLimits } from '../markup/newest-shown.ts'
import { operatorText, richText } from '../markup/rich-text.ts'
import type { Page, PageContext } from '../page.ts'
import { incidentTimeline } from '../pictures/incident-timeline.ts'
import { labelFor, stateBadge } from '../texts/enum-labels.ts'
import { dayHtml, momentHtml } from '../texts/moments.ts'
import { dayBars, dayLegend } from './day-bars.ts'
import { eventUpdates } from './event-updates.ts'
import { maintenanceSection } from './maintenance-section.ts'
import {
  fromSnapshot,
  itemLinks,
  languageNote,
  notShown,
  publishedState,
  snapshotSource,
} from './snapshot-sections.ts'
import { subscribeSection } from './subscribe-section.ts'

type Status = SnapshotData<'status'>
type Incident = Status['incidents'][number]

/** Number of incidents on the page, and of updates in each. */
const SHOWN_INCIDENTS: ShownLimits = { items: 20, bytes: 28_800 }
const SHOWN_UPDATES: ShownLimits = { items: 10, bytes: 8000 }
/** Number of incidents with a picture, the newest ones. A picture takes as much space as the text of an incident. */
const TIMELINES = 3

/** The components, each with its state and its last days. */
function componentList(context: PageContext, status: Status): Html {
  const { locale, texts, content } = context
  const t = texts.status
  return html`${dayLegend(context)}
    <ul class="plain-list components">
      ${status.components.map(
        ({ id, name, summary, note, state, since }) =>
          html`<li id="component-${id}">
            <div class="entry-head">
              <h3>${anchor(`component-${id}`, operatorText(content, name))}</h3>
              <p>
                ${stateBadge(texts, 'componentState', state)}
                <span class="muted small"
                  >${richText(t.sinceDay, { day: dayHtml(locale, since) })}</span
                >
              </p>
            </div>
            <p class="muted small">${operatorText(content, summary)}</p>
            ${note !== undefined && html`<p>${operatorText(content, note)}</p>`}
            ${dayBars(context, status, id)}
          </li> `,
      )}
    </ul>`
}

function incidentArticle(
  context: PageContext,
  status: Status,
  incident: Incident,
  hasTimeline: boolean,
): Html {
  const { locale, texts, content } = context
  const { id, title, state, impact, startedAt, resolvedAt, components, updates } = incident
  const t = texts.status
  const badgeOf = (each: typeof state) => stateBadge(texts, 'incidentState', each)
  return html`<article id="incident-${id}">
    <h3>${anchor(`incident-${id}`, operatorText(content, title))}</h3>
    ${factList([
      [t.state, stateBadge(texts, 'incidentState', state)],
      [t.impact, labelFor(texts, 'incidentImpact', impact)],
      [t.started, momentHtml(locale, startedAt)],
      [t.ended, resolvedAt && momentHtml(locale, resolvedAt)],
      [
        t.affected,
        components.length > 0 && itemLinks(context, 'component', status.components, components),
      ],
    ])}
    ${hasTimeline && incidentTimeline(context, incident)}
    ${eventUpdates(context, `incident-${id}`, updates, SHOWN_UPDATES, badgeOf)}
  </article>`
}

/** The newest incidents, and older ones that are still open. */
function incidentList(context: PageContext, status: Status): Html {
  const { status: t } = context.texts
  if (status.incidents.length === 0) return html`<p class="muted">${t.noIncidents}</p>`
  const { shown, left } = newestShown(
    status.incidents,
    SHOWN_INCIDENTS,
    (incident, index) => incidentArticle(context, status, incident, index < TIMELINES),
    ({ state }) => state !== 'resolved',
  )
  return html`${shown}${notShown(context, 'status', t.older, left)}`
}

/** The live checks in the browser. The script fills in the steps, and the line below the published state. */
function liveCheck({ texts }: PageContext): Html {
  const { live } = texts.status
  const content = html`<p class="muted small">${live.text}</p>
    <noscript><p class="note">${live.noScript}</p></noscript>
    <div id="self-check" data-browser>
      ${pendingSteps(Object.values(live.steps), texts.proof.states)}
    </div>
    ${scriptTexts('live', live)} ${scriptTexts('proof', texts.proof)}`
  return html`<div class="panel">${pageSection('live', live.title, content)}</div>`
}

/** The state and its age, and beside it what the live check finds: the page never shows one without the other. */
function stateNow(context: PageContext, status: Status): Html {
  const { texts, facts, content } = context
  const { running } = texts.status.live.result
  return html`<div class="state-now" id="state-now">
    ${publishedState(context, status)}
    <p>${operatorText(content, status.summary)}</p>
    ${
      facts.keyId !== undefined &&
      html`<p class="live-result small" role="status" data-browser>
        <a class="state state-idle" href="#live">${running}</a>
      </p>`
    }
  </div>`
}

/** The published state with its age and the live result, the components with their last days, and the incidents. */
export const STATUS_PAGE: Page = {
  path: 'status',
  resources: ['status'],
  feed: 'status',
  scripts: () => ['status-page.js'],
  title: (texts) => texts.status.title,
  description: (texts) => texts.status.description,
  body(context) {
    const { texts, facts } = context
    const t = texts.status
    return {
      main: html`<h1>${t.title}</h1>
        ${languageNote(context, 'status')}
        ${fromSnapshot(context, 'status', (status) => [
          stateNow(context, status),
          pageSection('components', t.components, componentList(context, status)),
          maintenanceSection(context, status),
          pageSection('incidents', t.incidents, incidentList(context, status)),
          subscribeSection(context),
          facts.keyId !== undefined && liveCheck(context),
          snapshotSource(context, 'status', status),
        ])}`,
    }
  },
}
