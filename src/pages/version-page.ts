import type { JsonValue } from '../contract/canonical-json.ts'
import { fieldChangesBetween, type FieldChange } from '../contract/field-changes.ts'
import { READ_PATHS } from '../contract/read-paths.ts'
import { isTranslatedName, TRANSLATED_SCHEMAS } from '../contract/resource-names.ts'
import { formatSnapshotId, type VersionEntry } from '../contract/version-chain.ts'
import { codeLink, dataTable, factList, pageSection } from './elements.ts'
import { code, html, type Html, type HtmlValue } from './html.ts'
import { momentHtml } from './moments.ts'
import { newestShown, type ShownLimits } from './newest-shown.ts'
import { type Page, type PageContext, pathOfPage } from './page.ts'
import { countText, inEnglish, plainText } from './rich-text.ts'
import { notesLanguage, resourceTitle } from './snapshot-sections.ts'

/** Number of differences shown per resource. The archive has the rest. */
const SHOWN_CHANGES: ShownLimits = { items: 60, bytes: 9000 }
/** Limit for all resources together, so that the page stays small. */
const SHOWN_RESOURCES: ShownLimits = { items: 20, bytes: 30_000 }
/** Longer values are cut; the archive has them in full. */
const VALUE_CHARACTERS = 400

/** Path of a resource in the archive. */
function archivePath(name: string, digest: string): string {
  return `/archive/resources/${name}/${digest}.json`
}

function resourceName(context: PageContext, name: string): Html {
  return html`${resourceTitle(context, name)} ${code(name)}`
}

function valueText(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS)}…` : text
}

function valueHtml({ locale }: PageContext, value: JsonValue): Html {
  return typeof value === 'string' ? inEnglish(locale, valueText(value)) : code(valueText(value))
}

function changeItem(context: PageContext, change: FieldChange): Html {
  const { path, kind, before, after } = change
  const t = context.texts.version
  return html`<li class="data-change">
    <p>
      <span class="tag tag-${kind}">${context.texts.version.kinds[kind]}</span>
      <code>${path === '' ? t.wholeResource : path}</code>
    </p>
    ${before !== undefined && html`<p class="before"><del>${valueHtml(context, before)}</del></p>`}
    ${after !== undefined && html`<p class="after"><ins>${valueHtml(context, after)}</ins></p>`}
  </li> `
}

/** A resource that was added or removed. */
function wholeChange(before: JsonValue | undefined, after: JsonValue | undefined): FieldChange {
  return {
    path: '',
    kind: before === undefined ? 'added' : 'removed',
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }
}

/** The changes of one resource, field by field. */
function resourceChanges(
  context: PageContext,
  name: string,
  { entry, previous }: { entry: VersionEntry; previous: VersionEntry | undefined },
): Html {
  const { locale, texts, facts } = context
  const t = texts.version
  const read = (version: VersionEntry | undefined): unknown => {
    const digest = version?.resources[name]
    return digest === undefined ? undefined : facts.archived(name, digest)
  }
  const [before, after] = [read(previous), read(entry)] as (JsonValue | undefined)[]
  const isUnavailable =
    (previous?.resources[name] !== undefined && before === undefined) ||
    (entry.resources[name] !== undefined && after === undefined)
  const schema = isTranslatedName(name) ? TRANSLATED_SCHEMAS[name] : {}
  const changes: readonly FieldChange[] =
    before !== undefined && after !== undefined
      ? fieldChangesBetween(before, after, schema)
      : [wholeChange(before, after)]
  const { shown, left } = newestShown(changes, SHOWN_CHANGES, (change) =>
    changeItem(context, change),
  )
  return html`<section aria-labelledby="changes-${name.replaceAll('/', '-')}">
    <h3 id="changes-${name.replaceAll('/', '-')}">${resourceName(context, name)}</h3>
    ${
      isUnavailable
        ? html`<p class="note note-warn">${t.unavailable}</p>`
        : html`<ul class="plain-list data-changes">
            ${shown}
          </ul>`
    }
    ${left > 0 && html`<p class="muted">${countText(locale, t.moreChanges, left)}</p>`}
  </section> `
}

function versionLink({ locale }: PageContext, id: string, text: HtmlValue, rel: string): Html {
  return html`<a href="${pathOfPage(locale, `history/${id}`)}" rel="${rel}">${text}</a>`
}

function neighbors(context: PageContext, { sequence }: VersionEntry): Html {
  const t = context.texts.version
  const isNewest = sequence === context.facts.head.sequence
  return html`<nav class="actions" aria-label="${t.neighbors}">
    ${sequence > 1 && versionLink(context, formatSnapshotId(sequence - 1), t.previous, 'prev')}
    ${!isNewest && versionLink(context, formatSnapshotId(sequence + 1), t.next, 'next')}
    <a href="${pathOfPage(context.locale, 'history')}">${t.all}</a>
  </nav>`
}

function versionFacts(context: PageContext, entry: VersionEntry): Html {
  const { locale, texts } = context
  const { snapshotId, createdAt, hash, previousHash, apiVersion, registryVersion } = entry
  const t = texts.history
  const entryPath = READ_PATHS.versionById.replace('{snapshotId}', snapshotId)
  const archived = `/archive/versions/${snapshotId}.json`
  return factList([
    [t.published, momentHtml(locale, createdAt)],
    [t.hash, code(hash)],
    [texts.version.previousHash, code(previousHash)],
    [t.registryVersion, html`${code(registryVersion)} (${code(apiVersion)})`],
    [t.wholeEntry, html`${codeLink(entryPath)}<br />${codeLink(archived)}`],
  ])
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
          html`<a href="${archivePath(name, digest)}"><code class="small">${digest}</code></a>`,
      },
    ],
  })
}

function body(context: PageContext, entry: VersionEntry) {
  const { locale, texts } = context
  const t = texts.version
  const previous =
    entry.sequence === 1 ? undefined : context.facts.version(formatSnapshotId(entry.sequence - 1))
  const { shown, left } = newestShown(entry.changes, SHOWN_RESOURCES, ({ resource }) =>
    resourceChanges(context, resource, { entry, previous }),
  )
  const changes = [
    entry.changes.length === 0
      ? html`<p class="muted">${texts.history.noChanges}</p>`
      : entry.sequence === 1
        ? html`<p>${t.genesis}</p>`
        : shown,
    entry.sequence > 1 &&
      left > 0 &&
      html`<p class="muted">${countText(locale, t.moreResources, left)}</p>`,
  ]
  return {
    main: html`<p class="eyebrow">${texts.history.title}</p>
      <h1>${plainText(t.title, { version: entry.snapshotId })}</h1>
      ${
        entry.note !== '' &&
        html`<p class="lead">${inEnglish(locale, entry.note)}</p>
          ${notesLanguage(context)}`
      }
      ${neighbors(context, entry)} ${versionFacts(context, entry)}
      ${pageSection('changes', texts.history.changes, changes)}
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
