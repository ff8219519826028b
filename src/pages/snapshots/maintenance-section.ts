import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { anchor, factList, pageSection } from '../markup/elements.ts'
import { html, type Html } from '../markup/html.ts'
import { newestShown, type ShownLimits } from '../markup/newest-shown.ts'
import { operatorText, richText } from '../markup/rich-text.ts'
import type { PageContext } from '../page.ts'
import { stateBadge } from '../texts/enum-labels.ts'
import { momentInText } from '../texts/moments.ts'
import { eventUpdates } from './event-updates.ts'
import { itemLinks, notShown } from './snapshot-sections.ts'

type Status = SnapshotData<'status'>
type Maintenance = NonNullable<Status['maintenances']>[number]

/** Number of maintenances on the page, and of updates in each. */
const SHOWN: ShownLimits = { items: 10, bytes: 20_000 }
const SHOWN_UPDATES: ShownLimits = { items: 10, bytes: 6000 }

/**
 * A note that the planned start or end has passed. Pages are cached, so the script of the page shows it and fills in the
 * age (src/browser/status-page.ts).
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

function maintenanceArticle(context: PageContext, status: Status, maintenance: Maintenance): Html {
  const { locale, texts, content } = context
  const { id, title, state, startsAt, endsAt, components, updates } = maintenance
  const t = texts.status
  const time = { start: momentInText(locale, startsAt), end: momentInText(locale, endsAt) }
  const badgeOf = (each: typeof state) => stateBadge(texts, 'maintenanceState', each)
  return html`<article id="maintenance-${id}">
    <h3>${anchor(`maintenance-${id}`, operatorText(content, title))}</h3>
    ${factList([
      [t.state, stateBadge(texts, 'maintenanceState', state)],
      [t.maintenance.time, richText(t.maintenance.fromTo, time)],
      [
        t.affected,
        components.length > 0 && itemLinks(context, 'component', status.components, components),
      ],
    ])}
    ${passedNote(context, maintenance)}
    ${eventUpdates(context, `maintenance-${id}`, updates, SHOWN_UPDATES, badgeOf)}
  </article>`
}

/** The newest maintenances, and older ones that are planned or run. Nothing if none was published. */
export function maintenanceSection(context: PageContext, status: Status): Html | false {
  const { maintenances = [] } = status
  if (maintenances.length === 0) return false
  const t = context.texts.status.maintenance
  const { shown, left } = newestShown(
    maintenances,
    SHOWN,
    (each) => maintenanceArticle(context, status, each),
    ({ state }) => state === 'scheduled' || state === 'in_progress',
  )
  const content = html`${shown}${notShown(context, 'status', t.older, left)}`
  return pageSection('maintenance', t.heading, content)
}
