import type { JsonSchema } from '../contract/schema-type.ts'
import { contractText } from './contract-texts.ts'
import { html, type Html, type HtmlValue } from './html.ts'
import type { PageContext } from './page.ts'
import { codesHtml, countText, richText, sentencesHtml } from './rich-text.ts'

/** What a field may hold, one sentence for each rule of its schema. */
function rulesOf({ locale, texts }: PageContext, field: JsonSchema): readonly HtmlValue[] {
  const { oneOf, maxLength, maxItems, range, defaultValue, form } = texts.reference
  const values = field.enum ?? field.items?.enum
  return [
    // Of a field with one value its description tells all.
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

/** The fields of a request body: name, type, whether it must be sent, and what it may hold. */
export function fieldsList(context: PageContext, schema: JsonSchema): Html {
  const { locale, texts } = context
  const { reference: t } = texts
  return html`<h4>${t.fields}</h4>
    <dl class="fields">
      ${Object.entries(schema.properties ?? {}).map(([name, field]) => {
        const isRequired = schema.required?.includes(name) === true
        return html`<div>
          <dt>
            <code>${name}</code> <code class="type">${field.type ?? ''}</code> ${
              isRequired ? html`<strong>${t.required}</strong>` : t.optional
            }
          </dt>
          <dd>
            ${sentencesHtml(locale, [
              contractText(locale, field.description ?? ''),
              ...rulesOf(context, field),
            ])}
          </dd>
        </div> `
      })}
    </dl>`
}
