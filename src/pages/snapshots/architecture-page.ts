import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { dataTable } from '../markup/elements.ts'
import { html, type Html } from '../markup/html.ts'
import { operatorText, richText } from '../markup/rich-text.ts'
import type { Page, PageContext } from '../page.ts'
import { graphPicture } from '../pictures/graph-picture.ts'
import { labelFor, stateBadge } from '../texts/enum-labels.ts'
import {
  itemLinks,
  languageNote,
  nameColumn,
  snapshotContent,
  statementList,
} from './snapshot-sections.ts'

type Architecture = SnapshotData<'architecture'>

const COMPONENT_PREFIX = 'part'

export function componentRows(context: PageContext, components: Architecture['components']): Html {
  const { texts, content } = context
  const t = texts.architecture
  return dataTable(components, {
    none: t.none,
    rowId: ({ id }) => `${COMPONENT_PREFIX}-${id}`,
    columns: [
      nameColumn(context, t.part),
      { title: t.kind, cell: ({ kind }) => labelFor(texts, 'partKind', kind) },
      { title: t.state, cell: ({ state }) => stateBadge(texts, 'partState', state) },
      { title: t.role, cell: ({ role }) => html`<p>${operatorText(content, role)}</p>` },
    ],
  })
}

/** Data flows as rows; components link to their own rows. */
export function flowRows(
  context: PageContext,
  { flows, components }: Pick<Architecture, 'flows' | 'components'>,
): Html {
  const { texts, content } = context
  const t = texts.architecture
  const componentLink = (id: string): Html => itemLinks(context, COMPONENT_PREFIX, components, [id])
  return dataTable(flows, {
    none: t.none,
    rowId: ({ id }) => `flow-${id}`,
    columns: [
      { title: t.from, cell: ({ from }) => componentLink(from) },
      { title: t.to, cell: ({ to }) => componentLink(to) },
      { title: t.data, cell: ({ data }) => html`<p>${operatorText(content, data)}</p>` },
      {
        title: t.means,
        cell: ({ means }) => means && html`<p>${operatorText(content, means)}</p>`,
      },
      { title: t.state, cell: ({ state }) => stateBadge(texts, 'partState', state) },
    ],
  })
}

function diagram({ locale, texts, content }: PageContext, { components, flows }: Architecture) {
  const t = texts.picture
  const hasPlanned = [...components, ...flows].some(({ state }) => state !== 'live')
  return graphPicture({
    id: 'architecture-picture',
    title: t.architectureTitle,
    description: hasPlanned ? t.architectureText : t.architectureTextLive,
    locale,
    nodes: components.map(({ id, name, kind, state }) => ({
      id,
      title: name,
      kind: texts.labels.partKind[kind],
      target: `${COMPONENT_PREFIX}-${id}`,
      isPlanned: state !== 'live',
    })),
    edges: flows.map(({ id, from, to, data, state }) => ({
      from,
      to,
      isPlanned: state !== 'live',
      label: { text: data, target: `flow-${id}`, isEnglish: content.isUntranslated(data) },
    })),
  })
}

/** The components of the service, its data flows, guarantees and boundaries. */
export const ARCHITECTURE_PAGE: Page = {
  path: 'architecture',
  title: (texts) => texts.architecture.title,
  description: (texts) => texts.architecture.description,
  body(context) {
    const t = context.texts.architecture
    const { content } = context
    const data = content.snapshot('architecture')
    return {
      main: html`<h1>${t.title}</h1>
        ${languageNote(context, 'architecture')}
        ${snapshotContent(context, 'architecture', (each) => () => diagram(context, each))}`,
      sections: data && [
        [
          'guarantees',
          t.guarantees,
          statementList(
            context,
            data.guarantees,
            'guarantee',
            t.none,
            ({ statement, verification }) =>
              html`<p>${operatorText(content, statement)}</p>
                <p>${richText(t.toCheck, { how: operatorText(content, verification) })}</p>`,
          ),
        ],
        ['boundaries', t.boundaries, statementList(context, data.boundaries, 'boundary', t.none)],
        ['parts', t.parts, () => componentRows(context, data.components)],
        ['flows', t.flows, () => flowRows(context, data)],
      ],
    }
  },
}
