import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { fieldChangesBetween, type FieldChange } from '@public-api/contract/snapshots/field-changes'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { isTranslatedName, TRANSLATED_SCHEMAS } from '@public-api/contract/registry/resource-names'
import { formatSnapshotId, type VersionEntry } from '@public-api/contract/history/version-chain'
import { codeLink, dataTable, factList, link, pageSection } from '../markup/elements.ts'
import { code, html, type Html } from '../markup/html.ts'
import { momentHtml } from '../texts/moments.ts'
import { newestShown, type ShownLimits } from '../markup/newest-shown.ts'
import { type Page, type PageContext, pathOfPage } from '../page.ts'
import { countText, inEnglish, plainText } from '../markup/rich-text.ts'
import { notesLanguage, resourceTitle } from '../snapshots/snapshot-sections.ts'

/** Number of differences shown per resource. The archive has the rest. */
const SHOWN_CHANGES: ShownLimits = { items: 60, bytes: 9000 }
/** Limit for all resources together, so that the page stays small. */
const SHOWN_RESOURCES: ShownLimits = { items: 20, bytes: 30_000 }
/** Longer values are cut; the archive has them in full. */
const VALUE_CHARACTERS = 400

/** Id of the changes of a resource on the page of a version. */
export const changesId = (name: string): string => `changes-${name.replaceAll('/', '-')}`

function resourceName(context: PageContext, name: string): Html {
  return html`${resourceTitle(context, name)} ${code(name)}`
}

function valueHtml({ locale }: PageContext, value: JsonValue): Html {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const shown = text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS)}…` : text
  return typeof value === 'string' ? inEnglish(locale, shown) : code(shown)
}

function changeItem(context: PageContext, { path, kind, before, after }: FieldChange): Html {
  const t = context.texts.version
  return html`<li class="data-change">
    <p>
      <span class="tag tag-${kind}">${t.kinds[kind]}</span>
      <code>${path === '' ? t.wholeResource : path}</code>
    </p>
    ${before !== undefined && html`<p class="before"><del>${valueHtml(context, before)}</del></p>`}
    ${after !== undefined && html`<p class="after"><ins>${valueHtml(context, after)}</ins></p>`}
  </li> `
}

/** The changes of one resource, field by field; undefined if data of it are damaged or redacted. */
function changesOf(
  { facts }: PageContext,
  name: string,
  versions: readonly (VersionEntry | undefined)[],
): readonly FieldChange[] | undefined {
  const [oldDigest, newDigest] = versions.map((version) => version?.resources[name])
  const dataOf = (digest: string | undefined) =>
    digest === undefined ? undefined : (facts.archived(name, digest) as JsonValue | undefined)
  const [before, after] = [dataOf(oldDigest), dataOf(newDigest)]
  if (oldDigest === undefined && after !== undefined) return [{ path: '', kind: 'added', after }]
  if (newDigest === undefined && before !== undefined) {
    return [{ path: '', kind: 'removed', before }]
  }
  if (before === undefined || after === undefined) return undefined
  const schema = isTranslatedName(name) ? TRANSLATED_SCHEMAS[name] : {}
  return fieldChangesBetween(before, after, schema)
}

function resourceChanges(
  context: PageContext,
  name: string,
  versions: readonly (VersionEntry | undefined)[],
): Html {
  const { locale, texts } = context
  const t = texts.version
  const id = changesId(name)
  const changes = changesOf(context, name, versions)
  const { shown, left } = newestShown(changes ?? [], SHOWN_CHANGES, (change) =>
    changeItem(context, change),
  )
  return html`<section aria-labelledby="${id}">
    <h3 id="${id}">${resourceName(context, name)}</h3>
    ${
      changes === undefined
        ? html`<p class="note note-warn">${t.unavailable}</p>`
        : html`<ul class="plain-list data-changes">
            ${shown}
          </ul>`
    }
    ${left > 0 && html`<p class="muted">${countText(locale, t.moreChanges, left)}</p>`}
  </section> `
}

/** What changed from the version before. The first version has only additions. */
function allChanges(context: PageContext, entry: VersionEntry): Html {
  const { locale, texts, facts } = context
  const { sequence, changes } = entry
  if (changes.length === 0) return html`<p class="muted">${texts.history.noChanges}</p>`
  if (sequence === 1) return html`<p>${texts.version.genesis}</p>`
  const versions = [facts.version(formatSnapshotId(sequence - 1)), entry]
  const { shown, left } = newestShown(changes, SHOWN_RESOURCES, ({ resource }) =>
    resourceChanges(context, resource, versions),
  )
  return html`${shown}${
    left > 0 && html`<p class="muted">${countText(locale, texts.version.moreResources, left)}</p>`
  }`
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
        cell: ([name, digest]) =>
          link(
            `/archive/resources/${name}/${digest}.json`,
            html`<code class="small">${digest}</code>`,
          ),
      },
    ],
  })
}

function body(context: PageContext, entry: VersionEntry) {
  const { locale, texts, facts } = context
  const { snapshotId, sequence, note, hash, previousHash } = entry
  const { history, version: t } = texts
  const neighbor = (each: number, text: string, rel: string): Html =>
    html`<a href="${pathOfPage(locale, `history/${formatSnapshotId(each)}`)}" rel="${rel}"
      >${text}</a
    >`
  return {
    main: html`<p class="eyebrow">${link(pathOfPage(locale, 'history'), history.title)}</p>
      <h1>${plainText(t.title, { version: snapshotId })}</h1>
      ${
        note !== '' &&
        html`<p class="lead">${inEnglish(locale, note)}</p>
          ${notesLanguage(context)}`
      }
      <nav class="actions" aria-label="${t.neighbors}">
        ${sequence > 1 && neighbor(sequence - 1, t.previous, 'prev')}
        ${sequence < facts.head.sequence && neighbor(sequence + 1, t.next, 'next')}
        ${link(pathOfPage(locale, 'history'), t.all)}
      </nav>
      ${factList([
        [history.published, momentHtml(locale, entry.createdAt)],
        [history.hash, code(hash)],
        [t.previousHash, code(previousHash)],
        [history.registryVersion, html`${code(entry.registryVersion)} (${code(entry.apiVersion)})`],
        [
          history.wholeEntry,
          html`${codeLink(READ_PATHS.versionById.replace('{snapshotId}', snapshotId))}<br />${codeLink(
              `/archive/versions/${snapshotId}.json`,
            )}`,
        ],
      ])}
      ${pageSection('changes', history.changes, allChanges(context, entry))}
      ${pageSection(
        'resources',
        t.resources,
        html`<p>${t.resourcesText}</p>
          ${resourceTable(context, entry)}`,
      )}`,
  }
}

/** The page of one version. It is rendered for each request, so that a long history takes no memory. */
export function versionPage(entry: VersionEntry): Page {
  const { snapshotId } = entry
  return {
    path: `history/${snapshotId}`,
    parent: 'history',
    title: (texts) => plainText(texts.version.title, { version: snapshotId }),
    description: (texts) => plainText(texts.version.description, { version: snapshotId }),
    body: (context) => body(context, entry),
  }
}
