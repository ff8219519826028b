import { HORIZONS } from '@public-api/contract/snapshots/snapshot-parts'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { anchor, dataTable, pageSection } from '../markup/elements.ts'
import { html, type Html } from '../markup/html.ts'
import { operatorText, richText, type RichTextValues } from '../markup/rich-text.ts'
import type { Page, PageContext } from '../page.ts'
import { labelFor, stateBadge } from '../texts/enum-labels.ts'
import { dayHtml } from '../texts/moments.ts'
import { itemLinks, languageNote, nameColumn, snapshotContent } from './snapshot-sections.ts'

const ROADMAP_ID = 'roadmap'
const QUEUE_ID = 'queue'

/** A lane for each horizon; what an item depends on is in its words. */
function roadmapLanes(context: PageContext, { items }: SnapshotData<'roadmap'>): Html {
  const { texts, content } = context
  return html`<div class="lanes">
    ${HORIZONS.map((horizon) => {
      const shown = items.filter((item) => item.horizon === horizon)
      return html`<section>
        <h3 id="horizon-${horizon}">
          ${anchor(`horizon-${horizon}`, labelFor(texts, 'horizon', horizon))}
        </h3>
        ${
          shown.length === 0
            ? html`<p class="muted">${texts.roadmap.none}</p>`
            : html`<ul class="plain-list entries" aria-labelledby="horizon-${horizon}">
                ${shown.map(
                  ({ id, title, summary, dependsOn = [] }) =>
                    html`<li id="${ROADMAP_ID}-${id}">
                      <h4>${anchor(`${ROADMAP_ID}-${id}`, operatorText(content, title))}</h4>
                      <p>${operatorText(content, summary)}</p>
                      ${
                        dependsOn.length > 0 &&
                        html`<p class="muted small">
                          ${richText(texts.roadmap.after, {
                            items: itemLinks(context, ROADMAP_ID, items, dependsOn),
                          })}
                        </p>`
                      }
                    </li> `,
                )}
              </ul>`
        }
      </section> `
    })}
  </div>`
}

function queueRows(context: PageContext, { items }: SnapshotData<'development-queue'>): Html {
  const { locale, texts, content } = context
  const t = texts.roadmap
  const roadmap = content.snapshot('roadmap')?.items ?? []
  const note = (text: string, values: RichTextValues): Html =>
    html`<p class="muted small">${richText(text, values)}</p>`
  return dataTable(items, {
    none: t.queueEmpty,
    rowId: ({ id }) => `${QUEUE_ID}-${id}`,
    columns: [
      { title: t.priority, cell: ({ priority }) => priority },
      nameColumn(context, t.work, ({ roadmapItem, blockedBy }) => [
        roadmapItem !== undefined &&
          note(t.partOf, { item: itemLinks(context, ROADMAP_ID, roadmap, [roadmapItem]) }),
        blockedBy !== undefined &&
          note(t.blockedBy, { items: itemLinks(context, QUEUE_ID, items, blockedBy) }),
      ]),
      { title: t.kind, cell: ({ kind }) => labelFor(texts, 'queueKind', kind) },
      { title: t.state, cell: ({ state }) => stateBadge(texts, 'queueState', state) },
      { title: t.since, cell: ({ since }) => dayHtml(locale, since) },
    ],
  })
}

/** Planned items, and the development queue. */
export const ROADMAP_PAGE: Page = {
  path: 'roadmap',
  title: (texts) => texts.roadmap.title,
  description: (texts) => texts.roadmap.description,
  body(context) {
    const t = context.texts.roadmap
    return {
      main: html`<h1>${t.heading}</h1>
        <p class="lead">${t.intention}</p>
        ${languageNote(context, 'roadmap', 'development-queue')}
        ${pageSection(
          ROADMAP_ID,
          t.roadmap,
          snapshotContent(context, 'roadmap', (roadmap) => roadmapLanes(context, roadmap)),
        )}
        ${pageSection(
          QUEUE_ID,
          t.queue,
          snapshotContent(context, 'development-queue', (queue) => queueRows(context, queue)),
        )}`,
    }
  },
}
