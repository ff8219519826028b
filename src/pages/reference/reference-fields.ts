import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { code, html, type Html, type HtmlValue } from '../markup/html.ts'
import { codesHtml, countText, richText, sentencesHtml } from '../markup/rich-text.ts'
import type { PageContext } from '../page.ts'
import { contractText } from '../texts/contract-texts.ts'

/** The values of an enumeration; undefined for a constant, whose description is enough. */
function valuesOf({ locale }: PageContext, field: JsonSchema): Html | undefined {
  const values = field.enum ?? field.items?.enum ?? []
  const codes = values.map((value) => code(String(value)))
  return codes.length > 1 ? codesHtml(locale, codes) : undefined
}

/** The rules of a field of a request, one sentence each. */
function rulesOf(context: PageContext, field: JsonSchema): readonly HtmlValue[] {
  const { locale, texts } = context
  const { oneOf, maxLength, maxItems, range, defaultValue, form } = texts.reference
  const values = valuesOf(context, field)
  return [
    values && richText(oneOf, { values }),
    field.maxLength !== undefined && countText(locale, maxLength, field.maxLength),
    field.maxItems !== undefined && countText(locale, maxItems, field.maxItems),
    field.minimum !== undefined &&
      field.maximum !== undefined &&
      richText(range, { least: field.minimum, most: field.maximum }),
    field.default !== undefined &&
      richText(defaultValue, { value: code(JSON.stringify(field.default)) }),
    field.pattern !== undefined && richText(form, { pattern: code(field.pattern) }),
  ]
}

/** Fields that a page shows without a click. A longer list opens level by level, and for a link. */
const MAX_OPEN_FIELDS = 40

/** A field with its address: its name, which the page's script makes a link to it, its type and its meaning. */
function fieldItem(id: string, name: string, type: HtmlValue, meaning: HtmlValue): HtmlValue {
  return [html`<dt id="${id}">${name} ${type}</dt>`, html`<dd>${meaning}</dd>`]
}

/**
 * Parameters or fields of a request body, with their rules and what else holds for each. The address of each begins with
 * `prefix`.
 */
export function requestFields(
  context: PageContext,
  prefix: string,
  title: string,
  { properties = {}, required = [] }: JsonSchema,
  ...more: readonly HtmlValue[]
): Html {
  const { locale, texts } = context
  const t = texts.reference
  return html`<h3 id="${prefix}-fields">${title}</h3>
    <dl class="fields">
      ${Object.entries(properties).map(([name, field]) => {
        const mark = required.includes(name)
          ? html`<strong>${t.required}</strong>`
          : html`<small>${t.optional}</small>`
        const meaning = contractText(locale, field.description ?? '')
        const sentences = sentencesHtml(locale, [meaning, ...rulesOf(context, field), ...more])
        const how =
          name === 'challengeToken' &&
          html` <a href="#${prefix.replace(/body$/, 'token')}">${t.challenge.title}</a>`
        return fieldItem(`${prefix}.${name}`, name, html`<i>${field.type}</i> ${mark}`, [
          sentences,
          how,
        ])
      })}
    </dl>`
}

/** The number of fields of a schema on all levels. */
function countFields({ properties = {} }: JsonSchema): number {
  return Object.values(properties).reduce(
    (count, field) => count + 1 + countFields(field.items ?? field),
    0,
  )
}

function typeText({ type, items, nullable }: JsonSchema): string {
  const name = type === 'array' ? `${items?.type ?? 'any'}[]` : (type ?? 'any')
  return nullable === true ? `${name} | null` : name
}

/** The addresses of the fields of a schema on all levels, such as `status.components.state`. */
export function fieldAddresses(prefix: string, { properties = {} }: JsonSchema): readonly string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const address = `${prefix}.${name}`
    return [address, ...fieldAddresses(address, field.items ?? field)]
  })
}

/** The fields of `data` in a response, each with the fields within it: name, type and meaning. */
export function responseFields(
  context: PageContext,
  endpoint: string,
  schema: JsonSchema,
): HtmlValue {
  const { locale, texts } = context
  const { reference: t } = texts
  const isLong = countFields(schema) > MAX_OPEN_FIELDS

  function list({ properties = {}, required = [] }: JsonSchema, path: readonly string[]): Html {
    return html`${Object.entries(properties).map(([name, field]) => {
      const own = [...path, name]
      const type = [
        html`<i>${typeText(field)}</i>`,
        !required.includes(name) && html` <small>${t.optional}</small>`,
      ]
      const values = valuesOf(context, field)
      const meaning = [contractText(locale, field.description ?? ''), values && [' ', values]]
      const inner = within(field.items ?? field, own)
      return fieldItem([endpoint, ...own].join('.'), name, type, [meaning, inner])
    })}`
  }

  function within(field: JsonSchema, path: readonly string[]): HtmlValue {
    const count = countFields(field)
    if (count === 0) return undefined
    const fields = html`<dl>${list(field, path)}</dl>`
    if (!isLong) return fields
    const name = code(path.at(-1) ?? '')
    return html`<details>
      <summary>${countText(locale, t.innerFields, count, { name })}</summary>
      ${fields}
    </details>`
  }

  if (countFields(schema) === 0) return undefined
  return html`<h3 id="${endpoint}-data">${t.responseFields}</h3>
    <dl class="fields">${list(schema, [])}</dl>`
}
