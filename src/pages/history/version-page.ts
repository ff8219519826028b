import { formatSnapshotId, type VersionEntry } from '@public-api/contract/history/version-chain'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { isTranslation } from '@public-api/contract/registry/resource-names'
import { archivePath, pathOfPage } from '../addresses.ts'
import { codeLink, dataTable, factList, link, pageSection } from '../markup/elements.ts'
import { code, html, type Html } from '../markup/html.ts'
import { countText, inEnglish, plainText, richText } from '../markup/rich-text.ts'
import { type Page, type PageContext } from '../page.ts'
import { notesLanguage } from '../snapshots/snapshot-sections.ts'
import { momentHtml } from '../texts/moments.ts'
import { logWitnesses } from '../verify/log-witnesses.ts'
import { changesOfResources, redactionNote, resourceName } from './resource-changes.ts'
import { sinceLink } from './since-page.ts'

/** What changed from the version before, or what the first version says. */
function allChanges(context: PageContext, entry: VersionEntry): Html {
  const { texts, facts } = context
  const { sequence, changes } = entry
  if (changes.length === 0) return html`<p class="muted">${texts.history.noChanges}</p>`
  const isFirst = sequence === 1
  const before = isFirst ? undefined : facts.version(formatSnapshotId(sequence - 1))
  const names = changes.map(({ resource }) => resource)
  const shown = isFirst ? names.filter((name) => !isTranslation(name)) : names
  return html`${isFirst && html`<p>${texts.version.genesis}</p>`}${changesOfResources(context, shown, [before, entry])}`
}

function resourceTable(context: PageContext, entry: VersionEntry): Html {
  const t = context.texts.version
  const kinds = new Map(entry.changes.map(({ resource, kind }) => [resource, kind]))
  return dataTable(Object.entries(entry.resources), {
    columns: [
      { title: t.resource, isHeader: true, cell: ([name]) => resourceName(context, name) },
      {
        title: t.change,
        cell([name]) {
          const kind = kinds.get(name)
          return kind === undefined
            ? html`<span class="muted">${t.unchanged}</span>`
            : html`<span class="tag tag-${kind}">${t.kinds[kind]}</span>`
        },
      },
      {
        title: t.digest,
        cell([name, digest]) {
          const shown = html`<code class="small">${digest}</code>`
          const isRedacted = context.facts.redaction(name, digest) !== undefined
          return isRedacted ? shown : link(archivePath(name, digest), shown)
        },
      },
    ],
  })
}

function body(context: PageContext, entry: VersionEntry) {
  const { locale, texts, facts } = context
  const { snapshotId, sequence, note, hash, previousHash } = entry
  const { history, version: t } = texts
  // The pages of a copy's versions never change, and the time of the newest cosignature does.
  const log = facts.copy === undefined ? logWitnesses(context, entry.sequence) : undefined
  const changed = new Set(entry.changes.map(({ resource }) => resource))
  // The notes of changed resources are with their changes.
  const kept = Object.keys(entry.resources).map(
    (name) => !changed.has(name) && redactionNote(context, name, entry),
  )
  const neighbor = (each: number, text: string, rel: string): Html =>
    html`<a href="${pathOfPage(locale, `history/${formatSnapshotId(each)}`)}" rel="${rel}"
      >${text}</a
    >`
  return {
    main: html`<p class="eyebrow">${link(pathOfPage(locale, 'history'), history.title)}</p>
      <h1>${plainText(t.title, { version: snapshotId })}</h1>
      ${note !== '' && html`<p class="lead">${inEnglish(locale, note)}</p>`}
      <p class="muted">${richText(t.publishedOn, { time: momentHtml(locale, entry.createdAt) })}</p>
      ${note !== '' && notesLanguage(context)}
      <nav class="actions" aria-label="${t.neighbors}">
        ${sequence > 1 && neighbor(sequence - 1, t.previous, 'prev')}
        ${sequence < facts.head.sequence && neighbor(sequence + 1, t.next, 'next')}
        ${sequence < facts.head.sequence && sinceLink(context, snapshotId, texts.since.changes)}
        ${link(pathOfPage(locale, 'history'), t.all)}
      </nav>
      ${kept}
      <div class="columns-2">
        ${pageSection('changes', history.changes, () => allChanges(context, entry))}
        <div>
          ${pageSection(
            'entry',
            t.entry,
            factList([
              [history.hash, html`<code class="hash">${hash}</code>`],
              [t.previousHash, html`<code class="hash">${previousHash}</code>`],
              [
                history.registryVersion,
                html`${code(entry.registryVersion)} (${code(entry.apiVersion)})`,
              ],
              [
                history.wholeEntry,
                html`${codeLink(READ_PATHS.versionById.replace('{snapshotId}', snapshotId))}<br />${codeLink(
                    `/archive/versions/${snapshotId}.json`,
                  )}`,
              ],
            ]),
          )}
          ${log && pageSection('log', texts.log.title, log)}
        </div>
      </div>
      ${pageSection(
        'resources',
        t.resources,
        html`<details>
          <summary>
            ${countText(locale, t.resourceCount, Object.keys(entry.resources).length)}
          </summary>
          <p>${t.resourcesText}</p>
          ${() => resourceTable(context, entry)}
        </details>`,
      )}`,
  }
}

/** The page of one version. It is rendered for each request, so that a long history takes no memory. */
export function versionPage(entry: VersionEntry): Page {
  const { snapshotId } = entry
  return {
    path: `history/${snapshotId}`,
    version: entry,
    parent: 'history',
    title: (texts) => plainText(texts.version.title, { version: snapshotId }),
    description: (texts) => plainText(texts.version.description, { version: snapshotId }),
    body: (context) => body(context, entry),
  }
}
