import type { SnapshotData } from '../contract/snapshot-schemas.ts'
import { dataTable } from './elements.ts'
import { labelFor, stateBadge } from './enum-labels.ts'
import type { Html } from './html.ts'
import type { PageContext } from './page.ts'
import { operatorText } from './rich-text.ts'
import { itemLinks, nameColumn } from './snapshot-sections.ts'

type Components = SnapshotData<'architecture'>['components']
type Flows = SnapshotData<'architecture'>['flows']

/** Prefix of the id of a component's row. */
export const COMPONENT_PREFIX = 'part'

/** Components as rows, each with an anchor. */
export function componentRows(context: PageContext, components: Components): Html {
  const { texts, content } = context
  const t = texts.architecture
  return dataTable(components, {
    none: t.none,
    rowId: ({ id }) => `${COMPONENT_PREFIX}-${id}`,
    columns: [
      nameColumn(context, t.part),
      { title: t.kind, cell: ({ kind }) => labelFor(texts, 'partKind', kind) },
      { title: t.state, cell: ({ state }) => stateBadge(texts, 'partState', state) },
      { title: t.role, cell: ({ role }) => operatorText(content, role) },
    ],
  })
}

/** Data flows as rows; components link to their own rows. */
export function flowRows(context: PageContext, flows: Flows, components: Components): Html {
  const { texts, content } = context
  const t = texts.architecture
  const componentLink = (id: string): Html => itemLinks(context, COMPONENT_PREFIX, components, [id])
  return dataTable(flows, {
    none: t.none,
    rowId: ({ id }) => `flow-${id}`,
    columns: [
      { title: t.from, cell: ({ from }) => componentLink(from) },
      { title: t.to, cell: ({ to }) => componentLink(to) },
      { title: t.data, cell: ({ data }) => operatorText(content, data) },
      { title: t.means, cell: ({ means }) => means && operatorText(content, means) },
      { title: t.state, cell: ({ state }) => stateBadge(texts, 'partState', state) },
    ],
  })
}
