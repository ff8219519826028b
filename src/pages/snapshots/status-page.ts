import { DAY_MS } from '@public-api/contract/text/instant'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { dataTable, factList, pageSection, pendingSteps, scriptTexts } from '../markup/elements.ts'
import { labelFor, stateBadge } from '../texts/enum-labels.ts'
import { html, type Html } from '../markup/html.ts'
import { incidentTimeline } from '../pictures/incident-timeline.ts'
import { formatDay, momentHtml } from '../texts/moments.ts'
import { newestShown, type ShownLimits } from '../markup/newest-shown.ts'
import type { Page, PageContext } from '../page.ts'
import { box } from '../pictures/picture.ts'
import { countText, operatorText } from '../markup/rich-text.ts'
import {
  itemLinks,
  languageNote,
  notShown,
  publishedState,
  snapshotContent,
} from './snapshot-sections.ts'

type Status = SnapshotData<'status'>
type Incident = Status['incidents'][number]

/** Number of incidents on the page, and of updates in each. */
const SHOWN_INCIDENTS: ShownLimits = { items: 20, bytes: 28_000 }
const SHOWN_UPDATES: ShownLimits = { items: 10, bytes: 8000 }
/** Number of incidents with a picture, the newest ones. A picture takes as much space as the text of an incident. */
const TIMELINES = 3

const DAYS = 45
const BAR = { width: 6, gap: 3, height: 30 } as const
const WIDTH = DAYS * (BAR.width + BAR.gap)

/** A day of a component by the worst impact of its incidents. Each state has its own color and height. */
const STATES = {
  before: { className: 'picture-none', height: 6 },
  none: { className: 'picture-good', height: BAR.height },
  minor: { className: 'picture-warn', height: 20 },
  major: { className: 'picture-bad', height: 12 },
} as const

/** The worst impact on a component on one day, from the published incidents. */
function stateOfDay({ incidents }: Status, id: string, dayMs: number): keyof typeof STATES {
  const onDay = incidents.filter(
    ({ components, startedAt, resolvedAt }) =>
      components.includes(id) &&
      Date.parse(startedAt) < dayMs + DAY_MS &&
      (resolvedAt === undefined || Date.parse(resolvedAt) >= dayMs),
  )
  if (onDay.some(({ impact }) => impact === 'critical' || impact === 'major')) return 'major'
  return onDay.some(({ impact }) => impact === 'minor') ? 'minor' : 'none'
}

/**
 * A bar for each day up to the publication: full without incidents, shorter with an incident, minimal before the record
 * began.
 */
function dayBars({ locale, texts, facts }: PageContext, status: Status, id: string): Html {
  const endMs = Math.floor(Date.parse(status.updatedAt) / DAY_MS) * DAY_MS
  const recordMs = Date.parse(facts.version('VS-0001')?.createdAt ?? status.updatedAt)
  const states = Array.from({ length: DAYS }, (_, index) => {
    const dayMs = endMs - (DAYS - 1 - index) * DAY_MS
    return dayMs + DAY_MS <= recordMs ? 'before' : stateOfDay(status, id, dayMs)
  })
  const recorded = states.filter((state) => state !== 'before')
  const withIncident = recorded.filter((state) => state !== 'none').length
  const label = countText(locale, texts.status.daysText, recorded.length, {
    from: formatDay(locale, endMs - (recorded.length - 1) * DAY_MS),
    to: formatDay(locale, endMs),
    incidents: new Intl.NumberFormat(locale).format(withIncident),
  })
  return html`<svg
      class="day-bars"
      role="img"
      aria-label="${label}"
      viewBox="0 0 ${WIDTH} ${BAR.height}"
      width="${WIDTH}"
      height="${BAR.height}"
    >
      ${states.map((state, index) => {
        const { className, height } = STATES[state]
        const [x, y] = [index * (BAR.width + BAR.gap), BAR.height - height]
        return box(className, { x, y, width: BAR.width, height }, 1)
      })}
    </svg>
    <p class="muted small">${label}</p>`
}

function componentRows(context: PageContext, status: Status): Html {
  const { locale, texts, content } = context
  const t = texts.status
  return dataTable(status.components, {
    rowId: ({ id }) => `component-${id}`,
    columns: [
      {
        title: t.component,
        isHeader: true,
        cell: ({ id, name, summary, note }) =>
          html`<p>${operatorText(content, name)}</p>
            <p class="muted small">${operatorText(content, summary)}</p>
            ${note !== undefined && html`<p class="small">${operatorText(content, note)}</p>`}
            ${dayBars(context, status, id)}`,
      },
      { title: t.state, cell: ({ state }) => stateBadge(texts, 'componentState', state) },
      { title: t.since, cell: ({ since }) => momentHtml(locale, since) },
    ],
  })
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
  const newest = newestShown(
    updates,
    SHOWN_UPDATES,
    (update) =>
      html`<dt>${momentHtml(locale, update.at)}</dt>
        <dd>
          ${stateBadge(texts, 'incidentState', update.state)}
          <p>${operatorText(content, update.text)}</p>
        </dd> `,
  )
  return html`<article id="incident-${id}">
    <h3>${operatorText(content, title)}</h3>
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
    <h4>${t.updates}</h4>
    <dl class="facts">${newest.shown}</dl>
    ${notShown(context, 'status', t.olderUpdates, newest.left)}
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

/** The published state of the components, live checks, and the incidents. */
export const STATUS_PAGE: Page = {
  path: 'status',
  scripts: ['status-page.js'],
  title: (texts) => texts.status.title,
  description: (texts) => texts.status.description,
  body(context) {
    const { texts, facts, content } = context
    const t = texts.status
    const { live } = t
    const published = content.snapshot('status')
    // Live checks in the browser, next to the published state.
    const selfCheck = html`<section class="panel" aria-labelledby="self-check-title">
      <h2 id="self-check-title">${live.title}</h2>
      <p class="muted small">${live.text}</p>
      <noscript><p class="note">${live.noScript}</p></noscript>
      <div id="self-check">${pendingSteps(Object.values(live.steps), texts.proof.states)}</div>
      ${scriptTexts('live', live)} ${scriptTexts('proof', texts.proof)}
    </section>`
    return {
      main: html`<h1>${t.title}</h1>
        ${languageNote(context, 'status')} ${published && publishedState(context, published)}
        ${snapshotContent(context, 'status', (status) => [
          facts.keyId !== undefined && selfCheck,
          pageSection('components', t.components, componentRows(context, status)),
          pageSection('incidents', t.incidents, incidentList(context, status)),
        ])}`,
    }
  },
}
