import type { Endpoint } from '../contract/endpoints.ts'
import type { JsonSchema } from '../contract/schema-type.ts'
import { contractText } from './contract-texts.ts'
import { html, type Html, type HtmlValue } from './html.ts'
import type { PageContext } from './page.ts'
import { codesHtml, countText, richText, sentencesHtml } from './rich-text.ts'

/** The rules of a field, one sentence each. */
function rulesOf({ locale, texts }: PageContext, field: JsonSchema): readonly HtmlValue[] {
  const { oneOf, maxLength, maxItems, range, defaultValue, form } = texts.reference
  const values = field.enum ?? field.items?.enum
  return [
    // A constant is described by its description.
    values !== undefined &&
      values.length > 1 &&
      richText(oneOf, {
        values: codesHtml(
          locale,
          values.map((value) => html`<code>${String(value)}</code>`),
        ),
      }),
    field.maxLength !== undefined && countText(locale, maxLength, field.maxLength),
    field.maxItems !== undefined && countText(locale, maxItems, field.maxItems),
    field.minimum !== undefined &&
      field.maximum !== undefined &&
      richText(range, { least: field.minimum, most: field.maximum }),
    field.default !== undefined &&
      richText(defaultValue, { value: html`<code>${JSON.stringify(field.default)}</code>` }),
    field.pattern !== undefined && richText(form, { pattern: html`<code>${field.pattern}</code>` }),
  ]
}

/** A field: name, type, whether it is required, and its rules. */
function fieldItem(
  context: PageContext,
  { name, field, isRequired }: { name: string; field: JsonSchema; isRequired: boolean },
): Html {
  const { locale, texts } = context
  const { required, optional } = texts.reference
  return html`<div>
    <dt>
      <code>${name}</code> <code class="type">${field.type ?? ''}</code> ${
        isRequired ? html`<strong>${required}</strong>` : optional
      }
    </dt>
    <dd>
      ${sentencesHtml(locale, [
        contractText(locale, field.description ?? ''),
        ...rulesOf(context, field),
      ])}
    </dd>
  </div> `
}

/** The query parameters of an endpoint. */
export function queryList(context: PageContext, query: NonNullable<Endpoint['query']>): Html {
  return html`<h3>${context.texts.reference.queryParameters}</h3>
    <dl class="fields">
      ${Object.entries(query).map(([name, field]) =>
        fieldItem(context, { name, field, isRequired: false }),
      )}
    </dl>`
}

/** The fields of a request body. */
export function fieldsList(context: PageContext, schema: JsonSchema): Html {
  return html`<h3>${context.texts.reference.fields}</h3>
    <dl class="fields body-fields">
      ${Object.entries(schema.properties ?? {}).map(([name, field]) => {
        const isRequired = schema.required?.includes(name) === true
        return fieldItem(context, { name, field, isRequired })
      })}
    </dl>`
}

/** A field of a response with its path. */
interface ResponseField {
  readonly path: string
  readonly schema: JsonSchema
  readonly isRequired: boolean
}

/** The fields of a schema, level by level: `components[].state`. */
function fieldsOf(schema: JsonSchema, prefix = ''): readonly ResponseField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]): ResponseField[] => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const isRequired = schema.required?.includes(name) === true
    const inner = field.items ?? field
    const innerPath = field.items === undefined ? path : `${path}[]`
    return [{ path, schema: field, isRequired }, ...fieldsOf(inner, innerPath)]
  })
}

function typeText({ type, items, nullable }: JsonSchema): string {
  const name = type === 'array' ? `${items?.type ?? 'any'}[]` : (type ?? 'any')
  return nullable === true ? `${name} | null` : name
}

/** The fields of `data` in a response: path, type and meaning. */
export function responseFields({ locale, texts }: PageContext, schema: JsonSchema): HtmlValue {
  const { reference: t } = texts
  const fields = fieldsOf(schema)
  if (fields.length === 0) return undefined
  return html`<details class="response-fields">
    <summary>${countText(locale, t.responseFields, fields.length)}</summary>
    <dl class="fields">
      ${fields.map(({ path, schema: field, isRequired }) => {
        const values = field.enum ?? field.items?.enum ?? []
        return html`<div>
          <dt>
            <code>${path}</code> <code class="type">${typeText(field)}</code>${
              isRequired ? undefined : html` ${t.optional}`
            }
          </dt>
          <dd>
            ${contractText(locale, field.description ?? '')}${
              values.length > 1 &&
              html` ${codesHtml(
                locale,
                values.map((value) => html`<code>${String(value)}</code>`),
              )}`
            }
          </dd>
        </div> `
      })}
    </dl>
  </details>`
}
