import { changesBetween, type VersionEntry } from '@public-api/contract/history/version-chain'
import { pathOfPage } from '../addresses.ts'
import { dataTable, link, pageSection } from '../markup/elements.ts'
import { code, html } from '../markup/html.ts'
import { countText, inEnglish, plainText, richText } from '../markup/rich-text.ts'
import { linkToService, type Page, type PageBody, type PageContext } from '../page.ts'
import { notesLanguage } from '../snapshots/snapshot-sections.ts'
import { dayHtml, momentHtml } from '../texts/moments.ts'
import { changesOfResources } from './resource-changes.ts'

/** Number of versions that the page lists. The history has the others. */
const LISTED = 20

/** Path below the locale of what changed since a version. */
export const sincePath = (snapshotId: string): string => `history/since/${snapshotId}`

/** A link to what changed since a version. */
export function sinceLink({ locale, facts }: PageContext, snapshotId: string, text: string) {
  return linkToService(facts, pathOfPage(locale, sincePath(snapshotId)), text)
}

/** The versions after an entry, newest first, with what each was published for. */
function versionList(context: PageContext, { sequence }: VersionEntry) {
  const { locale, texts, facts } = context
  const count = facts.versionCount - sequence
  const listed = facts.newestVersions(Math.min(count, LISTED))
  return html`${notesLanguage(context)}
  ${dataTable(listed, {
    columns: [
      {
        title: texts.since.version,
        isHeader: true,
        cell: ({ snapshotId }) =>
          link(pathOfPage(locale, `history/${snapshotId}`), code(snapshotId)),
      },
      { title: texts.history.published, cell: ({ createdAt }) => momentHtml(locale, createdAt) },
      {
        title: texts.since.note,
        cell: ({ note }) => (note === '' ? undefined : inEnglish(locale, note)),
      },
    ],
  })}
  ${
    count > LISTED &&
    html`<p class="muted">${countText(locale, texts.history.older, count - LISTED)}</p>`
  }`
}

function body(context: PageContext, before: VersionEntry): PageBody {
  const { locale, texts, facts } = context
  const t = texts.since
  const after = facts.head
  const { snapshotId } = before
  const names = changesBetween(before.resources, after.resources).map(({ resource }) => resource)
  const time = ({ createdAt }: VersionEntry) => dayHtml(locale, createdAt)
  const name = (entry: VersionEntry) =>
    link(pathOfPage(locale, `history/${entry.snapshotId}`), code(entry.snapshotId))
  const isNewest = before.sequence === after.sequence
  return {
    main: html`<p class="eyebrow">${link(pathOfPage(locale, 'history'), texts.history.title)}</p>
      <h1>${plainText(t.title, { version: snapshotId })}</h1>
      ${
        isNewest
          ? html`<p class="lead">${richText(t.newest, { version: name(before) })}</p>`
          : html`<p class="lead">
                ${richText(t.range, {
                  before: name(before),
                  beforeTime: time(before),
                  after: name(after),
                  afterTime: time(after),
                })}
              </p>
              ${pageSection(
                'changes',
                texts.history.changes,
                names.length === 0
                  ? html`<p class="muted">${texts.history.noChanges}</p>`
                  : changesOfResources(context, names, [before, after]),
              )}
              ${pageSection('versions', t.versions, () => versionList(context, before))}`
      }`,
  }
}

/** What changed from a version to the newest. It is rendered for each request, like the page of a version. */
export function sincePage(before: VersionEntry): Page {
  const { snapshotId } = before
  return {
    path: sincePath(snapshotId),
    parent: 'history',
    isDerived: true,
    title: (texts) => plainText(texts.since.title, { version: snapshotId }),
    description: (texts) => plainText(texts.since.description, { version: snapshotId }),
    body: (context) => body(context, before),
  }
}
