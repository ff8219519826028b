import type { SnapshotData } from '../contract/snapshot-schemas.ts'
import { componentRows, flowRows } from './component-tables.ts'
import { codeLink, type Column, copyButton, dataTable, factList } from './elements.ts'
import { labelFor, stateBadge } from './enum-labels.ts'
import { html, type Html, type HtmlValue } from './html.ts'
import { dayHtml } from './moments.ts'
import type { PageContext } from './page.ts'
import { operatorText } from './rich-text.ts'
import { nameCell, type NamedItem, nameOf, statementList } from './snapshot-sections.ts'
import { ROW_PREFIXES } from './wallet-boundary.ts'

// The content of each wallet view besides its summary. Lists are empty while no wallet is attached, and the page says
// so.

/** Rows whose header is a published name with its id, or a line for an empty list. */
function namedRows<Item extends NamedItem & { readonly summary?: string }>(
  context: PageContext,
  items: readonly Item[],
  { prefix, head, columns }: { prefix: string; head: string; columns: readonly Column<Item>[] },
): Html {
  const header: Column<Item> = {
    title: head,
    isHeader: true,
    cell: (item) => nameCell(context, { ...item, name: nameOf(item) }),
  }
  return dataTable(items, {
    none: context.texts.wallet.none,
    rowId: ({ id }) => `${prefix}-${id}`,
    columns: [header, ...columns],
  })
}

/** A link to a document that may be missing. */
const documentLink = (url: string | undefined): HtmlValue =>
  url !== undefined && html`<a href="${url}">${url}</a>`

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
          cell: ({ environment }) => labelFor(texts, 'environment', environment),
        },
      ],
    })}
    <h3>${t.views}</h3>
    <dl class="facts">
      ${data.views.map(
        ({ id, path, summary }) =>
          html`<dt id="${ROW_PREFIXES.view}-${id}">${codeLink(path)}</dt>
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
  return html`${factList([[t.custody, labelFor(texts, 'custody', custody)]])}
    <h3>${t.controls}</h3>
    ${namedRows(
      context,
      controls.map((control) => ({ ...control, summary: control.statement })),
      {
        prefix: 'control',
        head: t.control,
        columns: [
          { title: t.state, cell: ({ state }) => stateBadge(texts, 'controlState', state) },
        ],
      },
    )}
    <h3>${t.reviews}</h3>
    ${reviews.length === 0 && html`<p class="muted">${t.none}</p>`}
    ${reviews.map(
      ({ id, title, reviewer, completedOn, scope, reportUrl }) =>
        html`<article id="review-${id}">
          <h4>${operatorText(content, title)}</h4>
          ${factList([
            [t.reviewer, operatorText(content, reviewer)],
            [t.completed, dayHtml(locale, completedOn)],
            [t.scope, operatorText(content, scope)],
            [t.report, documentLink(reportUrl)],
          ])}
        </article> `,
    )}
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
        ${factList([
          [t.kind, labelFor(texts, 'evidenceKind', kind)],
          [t.produced, dayHtml(locale, producedOn)],
          [t.toCheck, operatorText(content, verification)],
          [t.document, documentLink(documentUrl)],
          [
            t.documentHash,
            documentSha256 !== undefined &&
              html`<code id="sha256-${id}">${documentSha256}</code>
                ${copyButton(texts, `sha256-${id}`, t.documentHashWhat)}`,
          ],
        ])}
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
  return namedRows(context, capabilities, {
    prefix: 'capability',
    head: t.capability,
    columns: [
      { title: t.state, cell: ({ state }) => stateBadge(texts, 'capabilityState', state) },
      { title: t.needsWallet, cell: ({ needsWallet }) => (needsWallet ? t.yes : t.no) },
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
  return namedRows(context, interfaces, {
    prefix: 'interface',
    head: t.interface,
    columns: [
      { title: t.direction, cell: ({ direction }) => labelFor(texts, 'direction', direction) },
      { title: t.state, cell: ({ state }) => stateBadge(texts, 'partState', state) },
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
  return namedRows(context, items, {
    prefix: 'work',
    head: t.work,
    columns: [
      { title: t.horizon, cell: ({ horizon }) => labelFor(texts, 'horizon', horizon) },
      { title: t.state, cell: ({ state }) => stateBadge(texts, 'queueState', state) },
      { title: t.since, cell: ({ since }) => dayHtml(locale, since) },
    ],
  })
}
