import type { SnapshotData } from '../contract/snapshot-schemas.ts'
import { flowRows, componentRows } from './component-tables.ts'
import { copyButton } from './code-box.ts'
import { html, type Html, type HtmlValue } from './html.ts'
import { dayHtml } from './moments.ts'
import type { PageContext } from './page.ts'
import { operatorText } from './rich-text.ts'
import { statementList } from './snapshot-sections.ts'
import { stateBadge, labelFor } from './enum-labels.ts'
import { ROW_PREFIXES } from './wallet-boundary.ts'

// The content of each wallet view besides its summary. Lists are empty while no wallet is attached, and the page says
// so.

interface Column {
  readonly title: string
  /** Empty for a cell without content; on narrow screens its label is left out too. */
  readonly cells: readonly HtmlValue[]
}

/** Rows whose header is a published name with its id, or a line for an empty list. */
function namedRows(
  { texts, content }: PageContext,
  items: readonly { readonly id: string; readonly name: string; readonly summary?: string }[],
  { prefix, head, columns }: { prefix: string; head: string; columns: readonly Column[] },
): Html {
  if (items.length === 0) return html`<p class="muted">${texts.wallet.none}</p>`
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${head}</th>
        ${columns.map(({ title }) => html`<th scope="col">${title}</th> `)}
      </tr>
    </thead>
    <tbody>
      ${items.map(
        ({ id, name, summary }, row) =>
          html`<tr id="${prefix}-${id}">
            <th scope="row" class="named">
              <p>${operatorText(content, name)}</p>
              ${summary !== undefined && html`<p class="small">${operatorText(content, summary)}</p>`}
              <p class="muted small"><code>${id}</code></p>
            </th>
            ${columns.map(({ title, cells }) => html`<td data-label="${title}">${cells[row]}</td> `)}
          </tr> `,
      )}
    </tbody>
  </table>`
}

/** Items with a title as `namedRows`. */
const titled = (items: readonly { id: string; title: string; summary?: string }[]) =>
  items.map(({ id, title, summary }) => ({
    id,
    name: title,
    ...(summary === undefined ? {} : { summary }),
  }))

/** `/wallet`: networks, the other views, boundaries. */
export function overviewView(context: PageContext, data: SnapshotData<'wallet'>): Html {
  const { texts, content } = context
  const t = texts.wallet
  return html`<h3>${t.networks}</h3>
    ${namedRows(context, data.networks, {
      prefix: 'network',
      head: t.network,
      columns: [
        {
          title: t.environment,
          cells: data.networks.map((each) => labelFor(texts, 'environment', each.environment)),
        },
      ],
    })}
    <h3>${t.views}</h3>
    <dl class="facts">
      ${data.views.map(
        ({ id, path, summary }) =>
          html`<dt id="${ROW_PREFIXES.view}-${id}">
              <a href="${path}"><code>${path}</code></a>
            </dt>
            <dd>${operatorText(content, summary)}</dd> `,
      )}
    </dl>
    <h3>${t.boundaries}</h3>
    ${statementList(context, data.boundaries, { prefix: ROW_PREFIXES.boundary, none: t.none })}`
}

/** `/wallet/architecture`: components, flows, boundaries. */
export function architectureView(
  context: PageContext,
  data: SnapshotData<'wallet/architecture'>,
): Html {
  const { architecture, wallet } = context.texts
  return html`<h3>${architecture.parts}</h3>
    ${componentRows(context, data.components)}
    <h3>${architecture.flows}</h3>
    ${flowRows(context, data.flows, data.components)}
    <h3>${architecture.boundaries}</h3>
    ${statementList(context, data.boundaries, {
      prefix: ROW_PREFIXES.architectureBoundary,
      none: wallet.none,
    })}`
}

/** `/wallet/security`: custody, controls, reviews, what is never published. */
export function securityView(context: PageContext, data: SnapshotData<'wallet/security'>): Html {
  const { locale, texts, content } = context
  const t = texts.wallet
  const { custody, controls, reviews, neverPublished } = data
  return html`<dl class="facts">
      <dt>${t.custody}</dt>
      <dd>${labelFor(texts, 'custody', custody)}</dd>
    </dl>
    <h3>${t.controls}</h3>
    ${namedRows(
      context,
      controls.map(({ id, title, statement }) => ({ id, name: title, summary: statement })),
      {
        prefix: 'control',
        head: t.control,
        columns: [
          {
            title: t.state,
            cells: controls.map(({ state }) => stateBadge(texts, 'controlState', state)),
          },
        ],
      },
    )}
    <h3>${t.reviews}</h3>
    ${
      reviews.length === 0
        ? html`<p class="muted">${t.none}</p>`
        : reviews.map(
            ({ id, title, reviewer, completedOn, scope, reportUrl }) =>
              html`<article id="review-${id}">
                <h4>${operatorText(content, title)}</h4>
                <dl class="facts">
                  <dt>${t.reviewer}</dt>
                  <dd>${operatorText(content, reviewer)}</dd>
                  <dt>${t.completed}</dt>
                  <dd>${dayHtml(locale, completedOn)}</dd>
                  <dt>${t.scope}</dt>
                  <dd>${operatorText(content, scope)}</dd>
                  ${
                    reportUrl !== undefined &&
                    html`<dt>${t.report}</dt>
                      <dd><a href="${reportUrl}">${reportUrl}</a></dd>`
                  }
                </dl>
              </article> `,
          )
    }
    <h3>${t.neverPublished}</h3>
    ${statementList(
      context,
      neverPublished.map(({ id, title, reason }) => ({ id, title, statement: reason })),
      { prefix: ROW_PREFIXES.neverPublished, none: t.none },
    )}`
}

/** `/wallet/evidence`: documents and how to verify each. */
export function evidenceView(
  context: PageContext,
  { evidence }: SnapshotData<'wallet/evidence'>,
): Html {
  const { locale, texts, content } = context
  const t = texts.wallet
  if (evidence.length === 0) return html`<p class="muted">${t.none}</p>`
  return html`${evidence.map(
    ({ id, title, kind, statement, producedOn, verification, documentUrl, documentSha256 }) =>
      html`<article id="evidence-${id}">
        <h3>${operatorText(content, title)}</h3>
        <p>${operatorText(content, statement)}</p>
        <dl class="facts">
          <dt>${t.kind}</dt>
          <dd>${labelFor(texts, 'evidenceKind', kind)}</dd>
          <dt>${t.produced}</dt>
          <dd>${dayHtml(locale, producedOn)}</dd>
          <dt>${t.toCheck}</dt>
          <dd>${operatorText(content, verification)}</dd>
          ${
            documentUrl !== undefined &&
            html`<dt>${t.document}</dt>
              <dd><a href="${documentUrl}">${documentUrl}</a></dd>`
          }
          ${
            documentSha256 !== undefined &&
            html`<dt>${t.documentHash}</dt>
              <dd>
                <code id="sha256-${id}">${documentSha256}</code>
                ${copyButton(texts, { from: `sha256-${id}`, what: t.documentHashWhat })}
              </dd>`
          }
        </dl>
      </article> `,
  )}`
}

/** `/wallet/capabilities`. */
export function capabilitiesView(
  context: PageContext,
  { capabilities }: SnapshotData<'wallet/capabilities'>,
): Html {
  const { texts } = context
  const t = texts.wallet
  return namedRows(context, titled(capabilities), {
    prefix: 'capability',
    head: t.capability,
    columns: [
      {
        title: t.state,
        cells: capabilities.map(({ state }) => stateBadge(texts, 'capabilityState', state)),
      },
      {
        title: t.needsWallet,
        cells: capabilities.map(({ needsWallet }) => (needsWallet ? t.yes : t.no)),
      },
    ],
  })
}

/** `/wallet/integration`. */
export function integrationView(
  context: PageContext,
  { interfaces }: SnapshotData<'wallet/integration'>,
): Html {
  const { texts } = context
  const t = texts.wallet
  return namedRows(context, titled(interfaces), {
    prefix: 'interface',
    head: t.interface,
    columns: [
      {
        title: t.direction,
        cells: interfaces.map(({ direction }) => labelFor(texts, 'direction', direction)),
      },
      {
        title: t.state,
        cells: interfaces.map(({ state }) => stateBadge(texts, 'partState', state)),
      },
    ],
  })
}

/** `/wallet/development`. */
export function developmentView(
  context: PageContext,
  { items }: SnapshotData<'wallet/development'>,
): Html {
  const { locale, texts } = context
  const t = texts.wallet
  return namedRows(context, titled(items), {
    prefix: 'work',
    head: t.work,
    columns: [
      { title: t.horizon, cells: items.map(({ horizon }) => labelFor(texts, 'horizon', horizon)) },
      { title: t.state, cells: items.map(({ state }) => stateBadge(texts, 'queueState', state)) },
      { title: t.since, cells: items.map(({ since }) => dayHtml(locale, since)) },
    ],
  })
}
