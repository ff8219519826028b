import type { JsonSchema } from '@public-api/contract/schemas/schema-type'
import { contractText } from '../texts/contract-texts.ts'
import { code, html, type Html, type HtmlValue } from '../markup/html.ts'
import type { PageContext } from '../page.ts'
import { codesHtml, countText, richText, sentencesHtml } from '../markup/rich-text.ts'

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

/** A field: its name or path, its type, whether it is required, and what it means. */
function fieldItem(name: string, type: string, mark: HtmlValue, meaning: HtmlValue): Html {
  return html`<div>
    <dt>${code(name)} <code class="type">${type}</code>${mark}</dt>
    <dd>${meaning}</dd>
  </div> `
}

/** Parameters or fields of a request body, with their rules and what else holds for each. */
export function requestFields(
  context: PageContext,
  title: string,
  { properties = {}, required = [] }: JsonSchema,
  ...more: readonly HtmlValue[]
): Html {
  const { locale, texts } = context
  const t = texts.reference
  return html`<h3>${title}</h3>
    <dl class="fields">
      ${Object.entries(properties).map(([name, field]) => {
        const mark = required.includes(name) ? html`<strong>${t.required}</strong>` : t.optional
        const meaning = contractText(locale, field.description ?? '')
        const sentences = sentencesHtml(locale, [meaning, ...rulesOf(context, field), ...more])
        return fieldItem(name, field.type ?? '', [' ', mark], sentences)
      })}
    </dl>`
}

/** The fields of a schema by path, level by level: `components[].state`. */
function fieldsOf(
  { properties = {}, required = [] }: JsonSchema,
  prefix = '',
): readonly { path: string; field: JsonSchema; isRequired: boolean }[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = prefix + name
    const inner = fieldsOf(field.items ?? field, `${path}${field.items ? '[]' : ''}.`)
    return [{ path, field, isRequired: required.includes(name) }, ...inner]
  })
}

function typeText({ type, items, nullable }: JsonSchema): string {
  const name = type === 'array' ? `${items?.type ?? 'any'}[]` : (type ?? 'any')
  return nullable === true ? `${name} | null` : name
}

/** The fields of `data` in a response: path, type and meaning. */
export function responseFields(context: PageContext, schema: JsonSchema): HtmlValue {
  const { locale, texts } = context
  const { reference: t } = texts
  const fields = fieldsOf(schema)
  if (fields.length === 0) return undefined
  return html`<details class="response-fields">
    <summary>${countText(locale, t.responseFields, fields.length)}</summary>
    <dl class="fields">
      ${fields.map(({ path, field, isRequired }) => {
        const values = valuesOf(context, field)
        return fieldItem(path, typeText(field), !isRequired && html` ${t.optional}`, [
          contractText(locale, field.description ?? ''),
          values && html` ${values}`,
        ])
      })}
    </dl>
  </details>`
}
