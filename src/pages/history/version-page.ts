import { formatSnapshotId, type VersionEntry } from '@public-api/contract/history/version-chain'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { isTranslatedName, TRANSLATED_SCHEMAS } from '@public-api/contract/registry/resource-names'
import { fieldChangesBetween, type FieldChange } from '@public-api/contract/snapshots/field-changes'
import {
  CONTENT_LOCALE,
  translateData,
  translationResource,
  type Translations,
} from '@public-api/contract/snapshots/translations'
import { anchor, codeLink, dataTable, factList, link, pageSection } from '../markup/elements.ts'
import { code, html, type Html } from '../markup/html.ts'
import { newestShown, type ShownLimits } from '../markup/newest-shown.ts'
import { countText, inEnglish, plainText, richText } from '../markup/rich-text.ts'
import { type Page, type PageContext, pathOfPage } from '../page.ts'
import { isTranslation, notesLanguage, resourceTitle } from '../snapshots/snapshot-sections.ts'
import { momentInText } from '../texts/moments.ts'
import { logWitnesses } from '../verify/log-witnesses.ts'
import { changesInWords, type ComparedData } from './changes-in-words.ts'

/** Number of differences shown per resource. The archive has the rest. */
const SHOWN_CHANGES: ShownLimits = { items: 60, bytes: 9000 }
/** Limit for all resources together, so that the page stays small. */
const SHOWN_RESOURCES: ShownLimits = { items: 20, bytes: 30_000 }
/** Id of the changes of a resource on the page of a version. */
export const changesId = (name: string): string => `changes-${name.replaceAll('/', '-')}`

type Versions = readonly [before: VersionEntry | undefined, after: VersionEntry]

function resourceName(context: PageContext, name: string): Html {
  return html`${resourceTitle(context, name)} ${code(name)}`
}

const archivePath = (name: string, digest: string): string =>
  `/archive/resources/${name}/${digest}.json`

/** The data of a resource before and after, translated as each version was; undefined if it is damaged or redacted. */
function comparedData(
  { locale, facts }: PageContext,
  name: string,
  versions: Versions,
): ComparedData | undefined {
  const schema = isTranslatedName(name) ? TRANSLATED_SCHEMAS[name] : {}
  const english = new Set<string>()
  const archived = (version: VersionEntry | undefined, resource: string) => {
    const digest = version?.resources[resource]
    return digest === undefined ? undefined : facts.archived(resource, digest)
  }
  const [before, after] = versions.map((version) => {
    const data = archived(version, name) as JsonValue | undefined
    if (data === undefined || locale === CONTENT_LOCALE || !isTranslatedName(name)) return data
    const overlay = archived(version, translationResource(locale)) as Translations | undefined
    const translated = translateData(schema, data, overlay?.resources[name])
    for (const text of translated.untranslated) english.add(text)
    return translated.data
  })
  const isMissing = [before, after].some(
    (data, index) => data === undefined && versions[index]?.resources[name] !== undefined,
  )
  return isMissing ? undefined : { schema, before, after, isEnglish: (text) => english.has(text) }
}

function wholeChange({ before, after }: ComparedData): readonly FieldChange[] | undefined {
  if (before === undefined && after !== undefined) return [{ path: '', kind: 'added', after }]
  if (after === undefined && before !== undefined) return [{ path: '', kind: 'removed', before }]
  return undefined
}

/** When and why a resource of a version was redacted; nothing if it was not. */
function redactionNote(context: PageContext, name: string, version: VersionEntry | undefined) {
  const { locale, texts, facts } = context
  const digest = version?.resources[name]
  const redaction = digest === undefined ? undefined : facts.redaction(name, digest)
  return (
    redaction &&
    html`<p class="note note-warn">
      ${richText(texts.version.redacted, {
        resource: resourceName(context, name),
        version: code(version?.snapshotId ?? ''),
        time: momentInText(locale, redaction.redactedAt),
        reason: inEnglish(locale, redaction.reason),
      })}
    </p> `
  )
}

/** The data without its texts and items, so that each of them is an addition to it. */
function emptied(data: JsonValue): JsonValue {
  if (Array.isArray(data)) return []
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(
    Object.entries(data).flatMap(([name, value]): [string, JsonValue][] => {
      const isText = typeof value !== 'object' || value === null
      const isTexts = Array.isArray(value) && value.some((each) => typeof each !== 'object')
      return isText || isTexts ? [] : [[name, emptied(value)]]
    }),
  )
}

/** Links to the exact bytes of a resource before and after, as far as they were not redacted. */
function jsonLinks({ texts, facts }: PageContext, name: string, versions: Versions): Html {
  const t = texts.version
  const links = versions.map((version, index) => {
    const digest = version?.resources[name]
    return (
      digest !== undefined &&
      facts.redaction(name, digest) === undefined &&
      html`<li>${link(archivePath(name, digest), index === 0 ? t.jsonBefore : t.jsonAfter)}</li> `
    )
  })
  return html`<ul class="plain-list links small">
    ${links}
  </ul>`
}

/** What changed in a resource, in words, with its JSON one click away. */
function resourceChanges(context: PageContext, name: string, versions: Versions): Html {
  const { locale, texts } = context
  const t = texts.version
  const id = changesId(name)
  const data = comparedData(context, name, versions)
  const redacted = versions.flatMap((version) => redactionNote(context, name, version) ?? [])
  // Every resource of the first version is new.
  const whole = versions[0] && data && wholeChange(data)
  const isShown = data?.before !== undefined || isTranslatedName(name)
  const changes =
    data?.after !== undefined && isShown
      ? fieldChangesBetween(data.before ?? emptied(data.after), data.after, data.schema)
      : []
  const { items, noise } =
    data === undefined ? { items: [], noise: [] } : changesInWords(context, changes, data)
  const { shown, left } = newestShown(items, SHOWN_CHANGES, (item) => item)
  return html`<section aria-labelledby="${id}">
    <h3 id="${id}">${anchor(id, resourceTitle(context, name))}</h3>
    ${redacted}
    ${
      data === undefined &&
      redacted.length === 0 &&
      html`<p class="note note-warn">${t.unavailable}</p>`
    }
    ${whole?.map(
      ({ kind }) =>
        html`<p class="data-change">
          <span class="tag tag-${kind}">${t.kinds[kind]}</span> ${t.wholeResource}
        </p>`,
    )}
    ${
      shown.length > 0 &&
      html`<ul class="plain-list data-changes">
        ${shown}
      </ul>`
    }
    ${left > 0 && html`<p class="muted">${countText(locale, t.moreChanges, left)}</p>`}
    ${
      noise.length > 0 &&
      html`<details class="noise small">
        <summary>${t.reviewedOnly}</summary>
        <ul class="plain-list data-changes">
          ${noise}
        </ul>
      </details>`
    }
    ${jsonLinks(context, name, versions)}
  </section> `
}

/** What changed from the version before, or what the first version says. Changes of translations are folded. */
function allChanges(context: PageContext, entry: VersionEntry): Html {
  const { locale, texts, facts } = context
  const { sequence, changes } = entry
  if (changes.length === 0) return html`<p class="muted">${texts.history.noChanges}</p>`
  const isFirst = sequence === 1
  const before = isFirst ? undefined : facts.version(formatSnapshotId(sequence - 1))
  const versions = [before, entry] as const
  const ofData = changes.filter(({ resource }) => !isTranslation(resource))
  const { shown, left } = newestShown(ofData, SHOWN_RESOURCES, ({ resource }) =>
    resourceChanges(context, resource, versions),
  )
  // Links to a change lead here even if the page has no room for it.
  const hidden = ofData.slice(ofData.length - left)
  const ofTranslations = changes.filter(({ resource }) => !isFirst && isTranslation(resource))
  return html`${isFirst && html`<p>${texts.version.genesis}</p>`}${shown}${
    left > 0 &&
    html`<p class="muted">${countText(locale, texts.version.moreResources, left)}</p>
      <ul>
        ${hidden.map(
          ({ resource }) => html`<li id="${changesId(resource)}">${code(resource)}</li>`,
        )}
      </ul>`
  }${
    ofTranslations.length > 0 &&
    html`<details class="noise">
      <summary>${texts.version.translations}</summary>
      ${
        newestShown(ofTranslations, SHOWN_RESOURCES, ({ resource }) =>
          resourceChanges(context, resource, versions),
        ).shown
      }
    </details>`
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
  const log = logWitnesses(context, entry.sequence)
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
      <p class="muted">
        ${richText(t.publishedOn, { time: momentInText(locale, entry.createdAt) })}
      </p>
      ${note !== '' && notesLanguage(context)}
      <nav class="actions" aria-label="${t.neighbors}">
        ${sequence > 1 && neighbor(sequence - 1, t.previous, 'prev')}
        ${sequence < facts.head.sequence && neighbor(sequence + 1, t.next, 'next')}
        ${link(pathOfPage(locale, 'history'), t.all)}
      </nav>
      ${kept} ${pageSection('changes', history.changes, allChanges(context, entry))}
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
      ${pageSection(
        'resources',
        t.resources,
        html`<details>
          <summary>
            ${countText(locale, t.resourceCount, Object.keys(entry.resources).length)}
          </summary>
          <p>${t.resourcesText}</p>
          ${resourceTable(context, entry)}
        </details>`,
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
