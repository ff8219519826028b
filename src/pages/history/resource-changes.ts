import type { VersionEntry } from '@public-api/contract/history/version-chain'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import {
  isTranslatedName,
  translatedSchema,
  translationsOf,
  isTranslation,
} from '@public-api/contract/registry/resource-names'
import { fieldChangesBetween } from '@public-api/contract/snapshots/field-changes'
import {
  CONTENT_LOCALE,
  type Overlay,
  type Translations,
} from '@public-api/contract/snapshots/translations'
import { archivePath } from '../addresses.ts'
import { anchor, link } from '../markup/elements.ts'
import { code, html, type Html } from '../markup/html.ts'
import { newestShown, type ShownLimits } from '../markup/newest-shown.ts'
import { countText, inEnglish, richText } from '../markup/rich-text.ts'
import type { PageContext } from '../page.ts'
import { translatedValue } from '../site-facts.ts'
import { resourceTitle } from '../snapshots/snapshot-sections.ts'
import { momentHtml } from '../texts/moments.ts'
import { changesInWords, type ComparedData, titlesById } from './changes-in-words.ts'

/** Number of differences shown per resource. The archive has the rest. */
const SHOWN_CHANGES: ShownLimits = { items: 60, bytes: 9000 }
/** Limit for all resources together, so that the page stays small. */
const SHOWN_RESOURCES: ShownLimits = { items: 20, bytes: 35_000 }
/** Limit for the translations, which few readers open. */
const SHOWN_TRANSLATIONS: ShownLimits = { items: 20, bytes: 10_000 }
/** Id of the changes of a resource on the page of a version. */
export const changesId = (name: string): string => `changes-${name.replaceAll('/', '-')}`

type Versions = readonly [before: VersionEntry | undefined, after: VersionEntry]

/** The title of a resource with its name. */
export function resourceName(context: PageContext, name: string): Html {
  return html`${resourceTitle(context, name)} ${code(name)}`
}

/** Translations with a list for each group of texts by position, so that an inserted text is one change. */
function withLists(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value as Overlay).map(
    ([name, each]) => [name, withLists(each)] as const,
  )
  const isByPosition = members.length > 0 && members.every(([name]) => /^\d+$/.test(name))
  // An object has such names in numeric order.
  return isByPosition ? members.map(([, each]) => each) : Object.fromEntries(members)
}

/** The data of a resource before and after, translated as each version was; undefined if it is damaged or redacted. */
function comparedData(
  { locale, facts }: PageContext,
  name: string,
  versions: Versions,
): ComparedData | undefined {
  const schemaOf = (resource: string) =>
    isTranslatedName(resource) ? translatedSchema(resource) : {}
  const english = new Set<string>()
  const archived = (version: VersionEntry | undefined, resource: string) => {
    const digest = version?.resources[resource]
    return digest === undefined ? undefined : facts.archived(resource, digest)
  }
  const dataOf = (resource: string) =>
    versions.map((version) => {
      const data = archived(version, resource) as JsonValue | undefined
      if (data !== undefined && isTranslation(resource)) return withLists(data)
      if (typeof data !== 'object' || data === null) return data
      if (locale === CONTENT_LOCALE || !isTranslatedName(resource)) return data
      const overlay = archived(version, translationsOf(locale, resource)) as
        | Translations
        | undefined
      const texts = overlay?.resources[resource]
      const translated = translatedValue(locale, schemaOf(resource), data, texts)
      for (const text of translated.untranslated) english.add(text)
      return translated.data as JsonValue
    })
  const [before, after] = dataOf(name)
  const isMissing = [before, after].some(
    (data, index) => data === undefined && versions[index]?.resources[name] !== undefined,
  )
  if (isMissing) return undefined
  const of = name.split('/')[2]
  const overlayLanguage = of === locale ? undefined : of
  // An item of the queue names an item of the roadmap, which a version may remove.
  const related = name === 'development-queue' ? dataOf('roadmap') : []
  return {
    schema: schemaOf(name),
    before,
    after,
    languageOf: (text) =>
      isTranslation(name) ? overlayLanguage : english.has(text) ? CONTENT_LOCALE : undefined,
    titles: titlesById([...related, before, after]),
  }
}

/** When and why a resource of a version was redacted; nothing if it was not. */
export function redactionNote(
  context: PageContext,
  name: string,
  version: VersionEntry | undefined,
) {
  const { locale, texts, facts } = context
  const digest = version?.resources[name]
  const redaction = digest === undefined ? undefined : facts.redaction(name, digest)
  return (
    redaction &&
    html`<p class="note note-warn">
      ${richText(texts.version.redacted, {
        resource: resourceName(context, name),
        version: code(version?.snapshotId ?? ''),
        time: momentHtml(locale, redaction.redactedAt),
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
  const kind =
    data?.before === undefined ? 'added' : data.after === undefined ? 'removed' : undefined
  // Every resource of the first version is new.
  const isWhole = versions[0] !== undefined && data !== undefined && kind !== undefined
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
    ${
      isWhole &&
      html`<p class="data-change">
        <span class="tag tag-${kind}">${t.kinds[kind]}</span> ${t.wholeResource}
      </p>`
    }
    ${
      shown.length > 0 &&
      html`<ul class="plain-list data-changes stacked">
        ${shown}
      </ul>`
    }
    ${left > 0 && html`<p class="muted">${countText(locale, t.moreChanges, left)}</p>`}
    ${
      noise.length > 0 &&
      html`<details class="noise small">
        <summary>
          ${t.reviewedOnly}<span class="hidden-text">: ${resourceTitle(context, name)}</span>
        </summary>
        <ul class="plain-list data-changes stacked">
          ${noise}
        </ul>
      </details>`
    }
    ${jsonLinks(context, name, versions)}
  </section> `
}

/** The changes of resources, as many as the page has room for. Links to the others lead to their names. */
function changesWithin(
  context: PageContext,
  names: readonly string[],
  versions: Versions,
  limits: ShownLimits,
): Html {
  const { locale, texts } = context
  const { shown, left } = newestShown(names, limits, (name) =>
    resourceChanges(context, name, versions),
  )
  const hidden = names.slice(names.length - left)
  return html`${shown}${
    left > 0 &&
    html`<p class="muted">${countText(locale, texts.version.moreResources, left)}</p>
      <ul>
        ${hidden.map((name) => html`<li id="${changesId(name)}">${code(name)}</li>`)}
      </ul>`
  }`
}

/** What changed in these resources from a version to another. Changes of translations are folded. */
export function changesOfResources(
  context: PageContext,
  names: readonly string[],
  versions: Versions,
): Html {
  const ofData = names.filter((name) => !isTranslation(name))
  const ofTranslations = names.filter(isTranslation)
  return html`${() => changesWithin(context, ofData, versions, SHOWN_RESOURCES)}${
    ofTranslations.length > 0 &&
    html`<details class="noise">
      <summary>${context.texts.version.translations}</summary>
      ${() => changesWithin(context, ofTranslations, versions, SHOWN_TRANSLATIONS)}
    </details>`
  }`
}
