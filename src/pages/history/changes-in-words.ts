import type { JsonObject, JsonValue } from '@public-api/contract/json/canonical-json'
import type { FieldChange } from '@public-api/contract/snapshots/field-changes'
import { itemKeyOf } from '@public-api/contract/snapshots/translations'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { partOf } from '@public-api/contract/text/part-of'
import { wordChanges } from '@public-api/contract/text/word-changes'
import { code, html, type Html, type HtmlValue } from '../markup/html.ts'
import { listHtml, plainText } from '../markup/rich-text.ts'
import type { PageContext } from '../page.ts'
import { dayHtml, momentHtml } from '../texts/moments.ts'

/** Longer values are cut; the archive has them in full. */
const VALUE_CHARACTERS = 600
const TITLE_CHARACTERS = 80

/** The time of a review, and the numbers of items: they change when another item comes or goes. */
const NOISE = /(?:^|\.)(?:updatedAt|priority)$/

/** The bytes of a picture. Of a new resource, its texts are shown. */
const BYTES = /\.base64$/

/** Data of a resource before and after, in the language of the page where it is translated. */
export interface ComparedData {
  readonly schema: JsonSchema
  readonly before: JsonValue | undefined
  readonly after: JsonValue | undefined
  /** The language of a text; undefined if it is that of the page. */
  readonly languageOf: (text: string) => string | undefined
  /** Titles of the items that the data refers to, by id. */
  readonly titles: ReadonlyMap<string, string>
}

/** A field in a path: its name, its schema, and the key of an item if it is a list. */
interface Step {
  readonly name: string
  readonly key: string | undefined
  readonly schema: JsonSchema
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function stepsOf(path: string, root: JsonSchema): readonly Step[] {
  let within = root
  return Array.from(path.matchAll(/([A-Za-z]\w*)(?:\[([^\]]*)\])?/g), ([, name = '', key]) => {
    const field = within.properties?.[name] ?? {}
    const schema = key === undefined ? field : (field.items ?? {})
    within = schema
    return { name, key, schema }
  })
}

/** The value at a path; undefined if it does not exist. */
function valueAt(data: JsonValue | undefined, steps: readonly Step[]): JsonValue | undefined {
  return steps.reduce<JsonValue | undefined>((value, { name, key, schema }) => {
    const member = isObject(value) ? value[name] : undefined
    if (key === undefined || !Array.isArray(member)) return member
    return member.find((item, index) => itemKeyOf(schema, item, index) === key)
  }, data)
}

/** What an item is called: its name or title, else its version, its ends, its time or its text. */
function titleOf(
  { locale, texts }: PageContext,
  item: JsonValue | undefined,
  { titles }: ComparedData,
  maxCharacters: number,
): HtmlValue {
  if (!isObject(item)) return undefined
  const { name, title, version, at, text, from, to } = item
  const named = name ?? title
  if (typeof named === 'string') return named
  if (typeof version === 'string') return plainText(texts.changelog.release, { version })
  if (typeof from === 'string' && typeof to === 'string')
    return `${titles.get(from) ?? from} → ${titles.get(to) ?? to}`
  if (typeof at === 'string') return momentHtml(locale, at)
  if (typeof text !== 'string') return undefined
  return text.length > maxCharacters ? `${partOf(text, 0, maxCharacters)}…` : text
}

/** The statement of an item that was added or removed, and those of the items within it. */
function statementsOf(item: JsonObject): readonly string[] {
  const fields = ['summary', 'statement', 'text', 'role', 'reason', 'data', 'description'] as const
  const own = fields.map((name) => item[name]).find((value) => typeof value === 'string')
  const within = Object.values(item).filter(Array.isArray).flat().filter(isObject)
  return [...(own === undefined ? [] : [own]), ...within.flatMap(statementsOf)]
}

function enumLabel({ texts }: PageContext, values: readonly unknown[], value: string) {
  const lists: readonly { readonly [word: string]: string }[] = Object.values(texts.labels)
  const list = lists.find(
    (each) =>
      Object.keys(each).length === values.length &&
      values.every((word) => Object.hasOwn(each, String(word))),
  )
  return list?.[value]
}

/** Titles of the items of resources by id, so that references to them show their titles. */
export function titlesById(
  resources: readonly (JsonValue | undefined)[],
): ReadonlyMap<string, string> {
  const lists = resources
    .filter(isObject)
    .flatMap((each) => Object.values(each).filter(Array.isArray))
  return new Map(
    lists.flat().flatMap((item: JsonValue): [string, string][] => {
      if (!isObject(item)) return []
      const title = item['name'] ?? item['title']
      const { id } = item
      return typeof id === 'string' && typeof title === 'string' ? [[id, title]] : []
    }),
  )
}

/** A text, or markup of it, with its language. */
function inItsLanguage({ languageOf }: ComparedData, text: string, shown: HtmlValue = text) {
  const language = languageOf(text)
  return language === undefined ? shown : html`<span lang="${language}">${shown}</span>`
}

/** A single value as people read it: labels of states, dates, titles of references. */
function shownValue(
  context: PageContext,
  value: JsonValue,
  schema: JsonSchema,
  data: ComparedData,
): HtmlValue {
  const { locale, texts } = context
  if (typeof value === 'boolean') return value ? texts.wallet.yes : texts.wallet.no
  if (Array.isArray(value)) {
    const shown = value.map((each) => shownValue(context, each, schema.items ?? {}, data))
    return listHtml(locale, shown)
  }
  if (typeof value !== 'string') return code(JSON.stringify(value).slice(0, VALUE_CHARACTERS))
  if (schema.enum !== undefined) return enumLabel(context, schema.enum, value) ?? code(value)
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return momentHtml(locale, value)
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return dayHtml(locale, value)
  const cut = value.length > VALUE_CHARACTERS ? `${partOf(value, 0, VALUE_CHARACTERS)}…` : value
  if (schema.pattern !== undefined || schema.format !== undefined)
    return data.titles.get(value) ?? code(cut)
  return inItsLanguage(data, value, cut)
}

/** A changed text word by word; another value as it was and as it is. */
function changedValue(
  context: PageContext,
  change: FieldChange,
  schema: JsonSchema,
  data: ComparedData,
): Html {
  const { before, after } = change
  const isText =
    typeof before === 'string' &&
    typeof after === 'string' &&
    schema.enum === undefined &&
    schema.pattern === undefined &&
    schema.format === undefined &&
    before.length + after.length <= 2 * VALUE_CHARACTERS
  if (isText) {
    const language = data.languageOf(before) ?? data.languageOf(after)
    // The text in English was not changed: its translation was added.
    if (language !== undefined && data.languageOf(after) === undefined) {
      return html`<span class="tag">${context.texts.version.translated}</span> <ins>${after}</ins>`
    }
    const pieces = wordChanges(before, after, language ?? context.locale).map(({ kind, text }) =>
      kind === 'same'
        ? text
        : kind === 'before'
          ? html`<del>${text}</del>`
          : html`<ins>${text}</ins>`,
    )
    return html`${inItsLanguage(data, data.languageOf(before) ? before : after, pieces)}`
  }
  if (data.before === undefined && after !== undefined)
    return html`${shownValue(context, after, schema, data)}`
  return html`${before !== undefined && html`<del>${shownValue(context, before, schema, data)}</del> `}${
    after !== undefined && html`<ins>${shownValue(context, after, schema, data)}</ins>`
  }`
}

/** Name of a field for people. */
function fieldLabel({ texts }: PageContext, name: string): HtmlValue {
  const labels: { readonly [name: string]: string } = texts.fields
  return Object.hasOwn(labels, name) ? labels[name] : code(name)
}

/** The changes of one item, or of the resource itself. */
interface Group {
  readonly key: string
  readonly title: readonly HtmlValue[]
  readonly kind: 'added' | 'changed' | 'removed'
  readonly rows: (readonly [label: HtmlValue, value: HtmlValue])[]
}

function groupsOf(context: PageContext, changes: readonly FieldChange[], data: ComparedData) {
  const groups: Group[] = []
  for (const change of changes) {
    const { path, kind, before, after } = change
    const steps = stepsOf(path, data.schema)
    const item = after ?? before
    const isWhole = kind === 'added' || kind === 'removed'
    // The position of a removed item in a list without keys is the one that it had.
    const values = steps.map((_, index) =>
      isWhole && index === steps.length - 1
        ? item
        : (valueAt(data.after, steps.slice(0, index + 1)) ??
          valueAt(data.before, steps.slice(0, index + 1))),
    )
    const isItem = ({ key }: Step, index: number): boolean =>
      key !== undefined && isObject(values[index])
    const end = steps.findLastIndex(isItem) + 1
    const whole = isWhole && end === steps.length && end > 0
    const names = steps.slice(0, end).map((step) => `${step.name}[${step.key}]`)
    const key = [...names, ...(whole ? [kind] : [])].join('.')
    const title = steps
      .slice(0, end)
      .flatMap((step, index) => {
        // Of an added or removed item, the text is all that is shown.
        const limit = whole && index === end - 1 ? VALUE_CHARACTERS : TITLE_CHARACTERS
        return isItem(step, index) ? [titleOf(context, values[index], data, limit)] : []
      })
      .filter((each) => each !== undefined)
    let group = groups.find((each) => each.key === key)
    if (group === undefined) {
      group = { key, title, kind: whole ? kind : 'changed', rows: [] }
      // The summary and the state of the resource come before its items.
      if (key === '' && data.before === undefined) groups.unshift(group)
      else groups.push(group)
    }
    if (whole && isObject(item)) {
      const last = title.at(-1)
      if (last === undefined) continue
      for (const statement of statementsOf(item)) {
        if (typeof last === 'string' && last.startsWith(statement.slice(0, TITLE_CHARACTERS)))
          continue
        group.rows.push([undefined, shownValue(context, statement, {}, data)])
      }
      continue
    }
    const last = steps.at(-1)
    const label = last && steps.length > end ? fieldLabel(context, last.name) : undefined
    group.rows.push(
      kind === 'reordered'
        ? [label, context.texts.version.reordered]
        : [label, changedValue(context, change, last?.schema ?? {}, data)],
    )
  }
  return groups
}

function groupItem(
  context: PageContext,
  { title, kind, rows }: Group,
  data: ComparedData,
  isNew: boolean,
): Html {
  const names = title.map((each) => (typeof each === 'string' ? inItsLanguage(data, each) : each))
  const t = context.texts.version
  return html`<li class="data-change">
    ${
      title.length > 0 &&
      html`<p>
        ${!isNew && html`<span class="tag tag-${kind}">${t.kinds[kind]}</span>`}
        <strong>${names.map((each, index) => (index === 0 ? each : [' › ', each]))}</strong>
      </p>`
    }
    ${rows.map(([label, value]) =>
      label === undefined
        ? html`<p class="field-change">${value}</p> `
        : html`<p class="field-change"><span class="muted">${label}</span> ${value}</p> `,
    )}
  </li> `
}

/** What was added or removed as a whole in parts: a list as its items, and texts without a schema (translations) one by one. */
function partsOf(change: FieldChange, root: JsonSchema): readonly FieldChange[] {
  const { path, kind, before, after } = change
  const list = after ?? before
  const isWhole = kind === 'added' || kind === 'removed'
  const isItem = path.endsWith(']')
  if (isWhole && !isItem && root.properties === undefined && isObject(list)) {
    return Object.entries(list).flatMap(([name, part]) =>
      partsOf(
        { path: `${path}.${name}`, kind, [after === undefined ? 'before' : 'after']: part },
        root,
      ),
    )
  }
  if (!isWhole || !Array.isArray(list) || !list.every((item) => isObject(item))) return [change]
  const items = stepsOf(path, root).at(-1)?.schema.items ?? {}
  return list.map((item, index) => ({
    path: `${path}[${itemKeyOf(items, item, index)}]`,
    kind,
    ...(after === undefined ? { before: item } : { after: item }),
  }))
}

/**
 * The changes of a resource in words, one piece of markup for each item; and those that follow from others. Those of a
 * resource that is new are shown as plain texts.
 */
export function changesInWords(
  context: PageContext,
  changes: readonly FieldChange[],
  data: ComparedData,
): { readonly items: readonly Html[]; readonly noise: readonly Html[] } {
  const isNew = data.before === undefined
  const render = (isShown: (path: string) => boolean): readonly Html[] => {
    const shown = changes.filter(({ path }) => isShown(path))
    const parts = shown.flatMap((change) => partsOf(change, data.schema))
    return groupsOf(context, parts, data).map((group) => groupItem(context, group, data, isNew))
  }
  return {
    items: render((path) => !NOISE.test(path) && !(isNew && BYTES.test(path))),
    noise: render((path) => NOISE.test(path)),
  }
}
