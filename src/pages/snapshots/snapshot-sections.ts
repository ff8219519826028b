import {
  isSnapshotName,
  SNAPSHOT_SCHEMAS,
  type SnapshotData,
  type SnapshotName,
} from '@public-api/contract/snapshots/snapshot-schemas'
import { CONTENT_LOCALE } from '@public-api/contract/snapshots/translations'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { codeLink, type Column, link } from '../markup/elements.ts'
import { code, html, type Html, type HtmlValue } from '../markup/html.ts'
import {
  countText,
  listHtml,
  operatorText,
  type PluralForms,
  richText,
  sentencesHtml,
} from '../markup/rich-text.ts'
import type { PageContext } from '../page.ts'
import { contractText } from '../texts/contract-texts.ts'
import { momentHtml } from '../texts/moments.ts'

/** The title of a resource that a version names; the name itself if this program does not know it. */
export function resourceTitle({ locale, texts }: PageContext, name: string): HtmlValue {
  if (isSnapshotName(name)) return contractText(locale, SNAPSHOT_SCHEMAS[name].title)
  const siteResources: { readonly [name: string]: string } = texts.labels.siteResource
  return Object.hasOwn(siteResources, name) ? siteResources[name] : code(name)
}

const jsonLink = (name: SnapshotName): Html => codeLink(`${BASE_PATH}/${name}`)

/** The rendered resource or, if its data is damaged, a notice. The rest of the page does not depend on it. */
export function fromSnapshot<Name extends SnapshotName>(
  { facts, texts, locale, content }: PageContext,
  name: Name,
  render: (data: SnapshotData<Name>) => HtmlValue,
): HtmlValue {
  const data = content.snapshot(name)
  if (data !== undefined) return render(data)
  const { damagedTitle, damaged } = texts.snapshot
  return html`<div class="note note-warn">
    <p><strong>${damagedTitle}</strong></p>
    <p>
      ${richText(damaged, {
        resource: contractText(locale, SNAPSHOT_SCHEMAS[name].title),
        version: code(facts.head.snapshotId),
        path: jsonLink(name),
      })}
    </p>
  </div>`
}

/** When a resource was last reviewed, and its link in the API. */
export function snapshotSource(
  { locale, texts, facts }: PageContext,
  name: SnapshotName,
  { updatedAt }: { readonly updatedAt: string },
): Html {
  const { reviewed, asJson, asJsonUnsigned } = texts.snapshot
  return html`<dl class="source row small">
    <div>
      <dt>${reviewed}</dt>
      <dd>${momentHtml(locale, updatedAt)}</dd>
    </div>
    <div>
      <dt>${facts.keyId === undefined ? asJsonUnsigned : asJson}</dt>
      <dd>${jsonLink(name)}</dd>
    </div>
  </dl>`
}

/** A resource: its summary, the date of its last review, its link in the API, and the rest. A notice if damaged. */
export function snapshotContent<Name extends SnapshotName>(
  context: PageContext,
  name: Name,
  render: (data: SnapshotData<Name>) => HtmlValue,
): HtmlValue {
  return fromSnapshot(context, name, (data) => [
    html`<p>${operatorText(context.content, data.summary)}</p>
      ${snapshotSource(context, name, data)}`,
    render(data),
  ])
}

/** The number of items that the page omits, with a link to all items. Nothing if all are shown. */
export function notShown(
  { locale, texts }: PageContext,
  name: SnapshotName,
  forms: PluralForms,
  count: number,
): Html | false {
  if (count === 0) return false
  const all = richText(texts.snapshot.allOfThem, { path: jsonLink(name) })
  return html`<p class="muted">${sentencesHtml(locale, [countText(locale, forms, count), all])}</p>`
}

const englishNote = ({ texts }: PageContext): Html =>
  html`<p class="muted small">${texts.snapshot.inEnglish}</p>`

/** Notice that published texts are in English, if one of these resources has texts without a translation. */
export function languageNote(
  context: PageContext,
  ...names: readonly SnapshotName[]
): Html | undefined {
  return context.content.isComplete(names) ? undefined : englishNote(context)
}

/** The same notice, if one of the published texts in a part of a page is marked as English. */
export function shownLanguageNote(context: PageContext, shown: Html): Html | false {
  return shown.text.includes(' lang="en"') && englishNote(context)
}

/** Notice that the notes of versions are in English, on the pages of other languages. */
export function notesLanguage({ locale, texts }: PageContext): Html | undefined {
  return locale === CONTENT_LOCALE
    ? undefined
    : html`<p class="muted small">${texts.snapshot.notesInEnglish}</p>`
}

/** A published item with its name, or with a title. */
export type NamedItem = { readonly id: string; readonly summary?: string } & (
  | { readonly name: string }
  | { readonly title: string }
)

function nameOf(item: NamedItem): string {
  return 'name' in item ? item.name : item.title
}

/** The header column of a table of published items: the name, and the summary if there is one. */
export function nameColumn<Item extends NamedItem>(
  { content }: PageContext,
  title: string,
  more: (item: Item) => HtmlValue = () => undefined,
): Column<Item> {
  return {
    title,
    isHeader: true,
    cell: (item) => [
      html`<p>${operatorText(content, nameOf(item))}</p>
        ${item.summary !== undefined && html`<p class="small">${operatorText(content, item.summary)}</p>`}`,
      more(item),
    ],
  }
}

/** Links to items of this page or of the page with a path; an unknown id is shown without a link. */
export function itemLinks(
  { locale, content }: PageContext,
  prefix: string,
  items: readonly NamedItem[],
  ids: readonly string[],
  page = '',
): Html {
  const links = ids.map((id) => {
    const item = items.find((each) => each.id === id)
    return item === undefined
      ? code(id)
      : link(`${page}#${prefix}-${id}`, operatorText(content, nameOf(item)))
  })
  return listHtml(locale, links)
}

/** Statements of the operator, each with an anchor. */
export function statementList<
  Item extends { readonly id: string; readonly title: string; readonly statement: string },
>(
  { content }: PageContext,
  items: readonly Item[],
  prefix: string,
  none: string,
  render = ({ statement }: Item): HtmlValue => operatorText(content, statement),
): Html {
  if (items.length === 0) return html`<p class="muted">${none}</p>`
  return html`<dl class="statements">
    ${items.map(
      (item) =>
        html`<div id="${prefix}-${item.id}">
          <dt>${operatorText(content, item.title)}</dt>
          <dd>${render(item)}</dd>
        </div> `,
    )}
  </dl>`
}
