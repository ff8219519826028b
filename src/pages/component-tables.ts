import type { SnapshotData } from '../contract/snapshot-schemas.ts'
import { html, type Html } from './html.ts'
import type { PageContext } from './page.ts'
import { operatorText } from './rich-text.ts'
import { stateBadge, labelFor } from './enum-labels.ts'

type Components = SnapshotData<'architecture'>['components']
type Flows = SnapshotData<'architecture'>['flows']

/** Prefix of the id of a component's row. */
export const COMPONENT_PREFIX = 'part'

/** Components as rows, each with an anchor. */
export function componentRows(context: PageContext, components: Components): Html {
  const { texts, content } = context
  const t = texts.architecture
  if (components.length === 0) return html`<p class="muted">${t.none}</p>`
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${t.part}</th>
        <th scope="col">${t.kind}</th>
        <th scope="col">${t.state}</th>
        <th scope="col">${t.role}</th>
      </tr>
    </thead>
    <tbody>
      ${components.map(
        ({ id, name, kind, state, role }) =>
          html`<tr id="${COMPONENT_PREFIX}-${id}">
            <th scope="row" class="named">
              <p>${operatorText(content, name)}</p>
              <p class="muted small"><code>${id}</code></p>
            </th>
            <td data-label="${t.kind}">${labelFor(texts, 'partKind', kind)}</td>
            <td data-label="${t.state}">${stateBadge(texts, 'partState', state)}</td>
            <td data-label="${t.role}">${operatorText(content, role)}</td>
          </tr> `,
      )}
    </tbody>
  </table>`
}

/** Data flows as rows; components link to their own rows. */
export function flowRows(context: PageContext, flows: Flows, components: Components): Html {
  const { texts, content } = context
  const t = texts.architecture
  if (flows.length === 0) return html`<p class="muted">${t.none}</p>`
  const componentLink = (id: string): Html => {
    const component = components.find((each) => each.id === id)
    return component === undefined
      ? html`<code>${id}</code>`
      : html`<a href="#${COMPONENT_PREFIX}-${id}">${operatorText(content, component.name)}</a>`
  }
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${t.from}</th>
        <th scope="col">${t.to}</th>
        <th scope="col">${t.data}</th>
        <th scope="col">${t.means}</th>
        <th scope="col">${t.state}</th>
      </tr>
    </thead>
    <tbody>
      ${flows.map(
        ({ id, from, to, data, means, state }) =>
          html`<tr id="flow-${id}">
            <td data-label="${t.from}">${componentLink(from)}</td>
            <td data-label="${t.to}">${componentLink(to)}</td>
            <td data-label="${t.data}">${operatorText(content, data)}</td>
            ${
              means === undefined
                ? html`<td></td>`
                : html`<td data-label="${t.means}">${operatorText(content, means)}</td>`
            }
            <td data-label="${t.state}">${stateBadge(texts, 'partState', state)}</td>
          </tr> `,
      )}
    </tbody>
  </table>`
}
