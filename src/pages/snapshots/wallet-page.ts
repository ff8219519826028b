import { WALLET_NAMES } from '@public-api/contract/snapshots/no-wallet'
import type { SnapshotData, SnapshotName } from '@public-api/contract/snapshots/snapshot-schemas'
import { componentRows, flowRows } from './architecture-page.ts'
import { codeLink, type Column, copyButton, dataTable, factList, link } from '../markup/elements.ts'
import { labelFor, stateBadge } from '../texts/enum-labels.ts'
import { html, type Html } from '../markup/html.ts'
import { dayHtml } from '../texts/moments.ts'
import type { Page, PageContext, PageSection } from '../page.ts'
import { operatorText } from '../markup/rich-text.ts'
import {
  languageNote,
  nameColumn,
  type NamedItem,
  snapshotContent,
  statementList,
} from './snapshot-sections.ts'
import { ROW_PREFIXES, walletBoundary } from '../pictures/wallet-boundary.ts'

/** Rows of published items, or a line for an empty list. */
function namedRows<Item extends NamedItem>(
  context: PageContext,
  items: readonly Item[],
  prefix: string,
  head: string,
  columns: readonly Column<Item>[],
): Html {
  return dataTable(items, {
    none: context.texts.wallet.none,
    rowId: ({ id }) => `${prefix}-${id}`,
    columns: [nameColumn(context, head), ...columns],
  })
}

function review(
  { locale, texts, content }: PageContext,
  item: SnapshotData<'wallet/security'>['reviews'][number],
): Html {
  const t = texts.wallet
  return html`<article id="review-${item.id}">
    <h4>${operatorText(content, item.title)}</h4>
    ${factList([
      [t.reviewer, operatorText(content, item.reviewer)],
      [t.completed, dayHtml(locale, item.completedOn)],
      [t.scope, operatorText(content, item.scope)],
      [t.report, item.reportUrl && link(item.reportUrl, item.reportUrl)],
    ])}
  </article> `
}

function evidenceArticle(
  { locale, texts, content }: PageContext,
  item: SnapshotData<'wallet/evidence'>['evidence'][number],
): Html {
  const { id, documentUrl: url, documentSha256: digest } = item
  const t = texts.wallet
  const digestId = `sha256-${id}`
  return html`<article id="evidence-${id}">
    <h3>${operatorText(content, item.title)}</h3>
    <p>${operatorText(content, item.statement)}</p>
    ${factList([
      [t.kind, labelFor(texts, 'evidenceKind', item.kind)],
      [t.produced, dayHtml(locale, item.producedOn)],
      [t.toCheck, operatorText(content, item.verification)],
      [t.document, url && link(url, url)],
      [
        t.documentHash,
        digest &&
          html`<code id="${digestId}">${digest}</code>
            ${copyButton(texts, digestId, t.documentHashWhat)}`,
      ],
    ])}
  </article> `
}

/**
 * The wallet views, each with its summary, its lists and its link in the API. Lists are empty while no wallet is attached,
 * and the page says so.
 */
function walletViews(context: PageContext): readonly PageSection[] {
  const { locale, texts, content } = context
  const { architecture, wallet: t } = texts
  const empty = html`<p class="muted">${t.none}</p>`
  const statements = (prefix: string, items: Parameters<typeof statementList>[1]): Html =>
    statementList(context, items, prefix, t.none)
  const view = <Name extends SnapshotName>(
    id: Exclude<keyof typeof t, 'readers'>,
    name: Name,
    render: (data: SnapshotData<Name>) => Html,
  ): PageSection => [id, t[id], snapshotContent(context, name, render)]
  return [
    view(
      'overview',
      'wallet',
      ({ networks, views, boundaries }) =>
        html`<h3>${t.networks}</h3>
          ${namedRows(context, networks, 'network', t.network, [
            {
              title: t.environment,
              cell: ({ environment }) => labelFor(texts, 'environment', environment),
            },
          ])}
          <h3>${t.views}</h3>
          <dl class="facts">
            ${views.map(
              ({ id, path, summary }) =>
                html`<dt id="${ROW_PREFIXES.view}-${id}">${codeLink(path)}</dt>
                  <dd>${operatorText(content, summary)}</dd> `,
            )}
          </dl>
          <h3>${t.boundaries}</h3>
          ${statements(ROW_PREFIXES.boundary, boundaries)}`,
    ),
    view(
      'architecture',
      'wallet/architecture',
      ({ components, flows, boundaries }) =>
        html`<h3>${architecture.parts}</h3>
          ${componentRows(context, components)}
          <h3>${architecture.flows}</h3>
          ${flowRows(context, flows, components)}
          <h3>${architecture.boundaries}</h3>
          ${statements(ROW_PREFIXES.architectureBoundary, boundaries)}`,
    ),
    view('security', 'wallet/security', ({ custody, controls, reviews, neverPublished }) => {
      const described = controls.map((control) => ({ ...control, summary: control.statement }))
      const withheld = neverPublished.map(({ id, title, reason }) => ({
        id,
        title,
        statement: reason,
      }))
      return html`${factList([[t.custody, labelFor(texts, 'custody', custody)]])}
        <h3>${t.controls}</h3>
        ${namedRows(context, described, 'control', t.control, [
          { title: t.state, cell: ({ state }) => stateBadge(texts, 'controlState', state) },
        ])}
        <h3>${t.reviews}</h3>
        ${reviews.length === 0 ? empty : reviews.map((each) => review(context, each))}
        <h3>${t.neverPublished}</h3>
        ${statements(ROW_PREFIXES.neverPublished, withheld)}`
    }),
    view('evidence', 'wallet/evidence', ({ evidence }) =>
      evidence.length === 0
        ? empty
        : html`${evidence.map((each) => evidenceArticle(context, each))}`,
    ),
    view('capabilities', 'wallet/capabilities', ({ capabilities }) =>
      namedRows(context, capabilities, 'capability', t.capability, [
        { title: t.state, cell: ({ state }) => stateBadge(texts, 'capabilityState', state) },
        { title: t.needsWallet, cell: ({ needsWallet }) => (needsWallet ? t.yes : t.no) },
      ]),
    ),
    view('integration', 'wallet/integration', ({ interfaces }) =>
      namedRows(context, interfaces, 'interface', t.interface, [
        { title: t.direction, cell: ({ direction }) => labelFor(texts, 'direction', direction) },
        { title: t.state, cell: ({ state }) => stateBadge(texts, 'partState', state) },
      ]),
    ),
    view('development', 'wallet/development', ({ items }) =>
      namedRows(context, items, 'work', t.work, [
        { title: t.horizon, cell: ({ horizon }) => labelFor(texts, 'horizon', horizon) },
        { title: t.state, cell: ({ state }) => stateBadge(texts, 'queueState', state) },
        { title: t.since, cell: ({ since }) => dayHtml(locale, since) },
      ]),
    ),
  ]
}

/** The seven wallet views. */
export const WALLET_PAGE: Page = {
  path: 'wallet',
  isListed: ({ hasWallet }) => hasWallet,
  title: (texts) => texts.wallet.title,
  description: (texts) => texts.wallet.description,
  body(context) {
    const t = context.texts.wallet
    const wallet = context.content.snapshot('wallet')
    const [severity, word] = wallet?.attached ? ['good', t.attached] : ['idle', t.notAttached]
    return {
      main: html`<h1>${t.title}</h1>
        ${wallet && html`<p class="lead"><span class="state state-${severity}">${word}</span></p>`}
        <p>${t.published}</p>
        ${languageNote(context, ...WALLET_NAMES)}${walletBoundary(context)}`,
      sections: walletViews(context),
    }
  },
}
