import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { WALLET_NAMES } from '@public-api/contract/snapshots/no-wallet'
import {
  isSnapshotName,
  type SnapshotData,
  type SnapshotName,
} from '@public-api/contract/snapshots/snapshot-schemas'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import {
  anchor,
  codeLink,
  type Column,
  copyButton,
  dataTable,
  factList,
  link,
} from '../markup/elements.ts'
import { html, type Html, type HtmlValue } from '../markup/html.ts'
import { operatorText } from '../markup/rich-text.ts'
import type { Page, PageBody, PageContext, PageSection } from '../page.ts'
import { ROW_PREFIXES, walletBoundary } from '../pictures/wallet-boundary.ts'
import { labelFor, stateBadge } from '../texts/enum-labels.ts'
import { dayHtml } from '../texts/moments.ts'
import { componentRows, flowRows } from './architecture-page.ts'
import {
  fromSnapshot,
  languageNote,
  nameColumn,
  type NamedItem,
  statementList,
} from './snapshot-sections.ts'

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
    <h4>${anchor(`review-${item.id}`, operatorText(content, item.title))}</h4>
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
    <h3>${anchor(`evidence-${item.id}`, operatorText(content, item.title))}</h3>
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

/** A list with its heading; nothing if the list is empty, because its absence says enough. */
function listed(id: string, title: string, items: readonly unknown[], content: Html): Html | false {
  return (
    items.length > 0 &&
    html`<h3 id="${id}">${anchor(id, title)}</h3>
      ${content}`
  )
}

/** Content that few readers need, one click away, so that the page stays short. */
function folded(summary: string, content: HtmlValue): Html {
  return html`<details>
    <summary>${summary}</summary>
    ${content}
  </details>`
}

/** Every view with its link in the API, what it contains, and when it was last reviewed. */
function viewRows(
  { locale, texts, content }: PageContext,
  { views, updatedAt, summary }: SnapshotData<'wallet'>,
): Html {
  const t = texts.wallet
  const reviewed = (path: string): string => {
    const name = path.slice(BASE_PATH.length + 1)
    return (isSnapshotName(name) ? content.snapshot(name)?.updatedAt : undefined) ?? updatedAt
  }
  const all = [{ id: 'wallet', path: READ_PATHS.wallet, summary }, ...views]
  return dataTable(all, {
    rowId: ({ id }) => `${ROW_PREFIXES.view}-${id}`,
    columns: [
      { title: t.view, isHeader: true, cell: ({ path }) => codeLink(path) },
      { title: t.content, cell: (view) => html`<p>${operatorText(content, view.summary)}</p>` },
      {
        title: texts.snapshot.reviewed,
        cell: ({ path }) => dayHtml(locale, reviewed(path)),
      },
    ],
  })
}

/** The wallet views: what each says first, lists that are empty left out, and long descriptions folded. */
function walletViews(context: PageContext): PageBody['sections'] {
  const { locale, texts, content } = context
  const { architecture, wallet: t } = texts
  const wallet = content.snapshot('wallet')
  const statements = (
    id: string,
    title: string,
    prefix: string,
    items: Parameters<typeof statementList>[1],
  ) => listed(id, title, items, statementList(context, items, prefix, t.none))
  const view = <Name extends SnapshotName>(
    id: keyof typeof t,
    name: Name,
    render: (data: SnapshotData<Name>) => HtmlValue,
  ): PageSection => [
    id,
    t[id],
    fromSnapshot(context, name, (data) => [
      html`<p>${operatorText(content, data.summary)}</p>`,
      render(data),
    ]),
  ]
  return [
    view('overview', 'wallet', ({ networks, boundaries }) => [
      listed(
        'networks',
        t.networks,
        networks,
        namedRows(context, networks, 'network', t.network, [
          {
            title: t.environment,
            cell: ({ environment }) => labelFor(texts, 'environment', environment),
          },
        ]),
      ),
      statements('boundaries', t.boundaries, ROW_PREFIXES.boundary, boundaries),
    ]),
    view('security', 'wallet/security', ({ custody, controls, reviews, neverPublished }) => {
      const described = controls.map((control) => ({ ...control, summary: control.statement }))
      const withheld = neverPublished.map(({ id, title, reason }) => ({
        id,
        title,
        statement: reason,
      }))
      return [
        factList([[t.custody, labelFor(texts, 'custody', custody)]]),
        statements('never-published', t.neverPublished, ROW_PREFIXES.neverPublished, withheld),
        listed(
          'controls',
          t.controls,
          described,
          namedRows(context, described, 'control', t.control, [
            { title: t.state, cell: ({ state }) => stateBadge(texts, 'controlState', state) },
          ]),
        ),
        listed(
          'reviews',
          t.reviews,
          reviews,
          html`${reviews.map((each) => review(context, each))}`,
        ),
      ]
    }),
    view('evidence', 'wallet/evidence', ({ evidence }) =>
      evidence.map((each) => evidenceArticle(context, each)),
    ),
    view('capabilities', 'wallet/capabilities', ({ capabilities }) =>
      namedRows(context, capabilities, 'capability', t.capability, [
        { title: t.state, cell: ({ state }) => stateBadge(texts, 'capabilityState', state) },
        { title: t.needsWallet, cell: ({ needsWallet }) => (needsWallet ? t.yes : undefined) },
      ]),
    ),
    view(
      'architecture',
      'wallet/architecture',
      ({ components, flows, boundaries }) =>
        components.length + flows.length + boundaries.length > 0 &&
        folded(t.partsAndFlows, [
          statements(
            'architecture-boundaries',
            architecture.boundaries,
            ROW_PREFIXES.architectureBoundary,
            boundaries,
          ),
          listed('parts', architecture.parts, components, componentRows(context, components)),
          listed('flows', architecture.flows, flows, flowRows(context, { flows, components })),
        ]),
    ),
    view(
      'integration',
      'wallet/integration',
      ({ interfaces }) =>
        interfaces.length > 0 &&
        folded(
          t.interfaces,
          namedRows(context, interfaces, 'interface', t.interface, [
            {
              title: t.direction,
              cell: ({ direction }) => labelFor(texts, 'direction', direction),
            },
            { title: t.state, cell: ({ state }) => stateBadge(texts, 'partState', state) },
          ]),
        ),
    ),
    view(
      'development',
      'wallet/development',
      ({ items }) =>
        items.length > 0 &&
        folded(
          t.plannedWork,
          namedRows(context, items, 'work', t.work, [
            { title: t.horizon, cell: ({ horizon }) => labelFor(texts, 'horizon', horizon) },
            { title: t.state, cell: ({ state }) => stateBadge(texts, 'queueState', state) },
            { title: t.since, cell: ({ since }) => dayHtml(locale, since) },
          ]),
        ),
    ),
    wallet && ['views', t.views, folded(t.allViews, viewRows(context, wallet))],
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
