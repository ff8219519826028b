import { STATUS_CODES } from 'node:http'
import {
  errorsOf,
  type Endpoint,
  type PathParameter,
  type Registry,
} from '../contract/endpoints.ts'
import { ERRORS, type ErrorCode } from '../contract/errors.ts'
import { DATA_SCHEMAS, REQUEST_SCHEMAS } from '../contract/schemas.ts'
import { contractText } from './contract-texts.ts'
import { code, html, type Html, type HtmlValue } from './html.ts'
import { momentInText } from './moments.ts'
import { type PageContext, pathOfPage } from './page.ts'
import { createEndpointExample, formatCurl } from './reference-example.ts'
import { fieldsList, queryList, responseFields } from './reference-fields.ts'
import { methodBadge } from './reference-rail.ts'
import { codesHtml, richText, sentencesHtml } from './rich-text.ts'

/** Ids of the general sections that endpoints link to. */
export const ABOUT_IDS = {
  address: 'about-address',
  envelope: 'about-envelope',
  signatures: 'about-signatures',
  authentication: 'about-authentication',
  caching: 'about-caching',
  cors: 'about-origins',
  limits: 'about-limits',
  versioning: 'about-versions',
} as const

/** A link to the entry of a code in the error catalog. */
function errorLink({ locale }: PageContext, name: ErrorCode): Html {
  return html`<a href="${pathOfPage(locale, 'errors')}#${name}">${code(name)}</a>`
}

/** Stability, status and other terms of a row. */
function traits({ stability, status, runtime, cacheClass, authentication }: Endpoint): Html {
  const words = [
    stability,
    status,
    ...(runtime === 'all' ? [] : [`runtime: ${runtime}`]),
    `cacheClass: ${cacheClass}`,
    `authentication: ${authentication}`,
  ]
  return html`<p class="traits">${words.map((word) => [code(word), ' '])}</p>`
}

function parameterText({ locale, texts }: PageContext, parameter: PathParameter): Html {
  const { pathParameter, parameterForm, parameterExample, parameterEmpty } = texts.reference
  const { pattern, example, mayBeEmpty, name, description } = parameter
  return html`<h3>${pathParameter}</h3>
    <dl class="fields">
      <div>
        <dt>${code(name)}</dt>
        <dd>
          ${sentencesHtml(locale, [
            contractText(locale, description),
            pattern !== undefined && richText(parameterForm, { pattern: code(pattern) }),
            richText(parameterExample, { example: code(example) }),
            mayBeEmpty && parameterEmpty,
          ])}
        </dd>
      </div>
    </dl>`
}

/** The errors of a row without those of API keys, which the section on authentication lists for all endpoints. */
function ownErrors(row: Endpoint): readonly ErrorCode[] {
  const own = new Set<ErrorCode>([...row.errors, row.failure])
  return errorsOf(row).filter((each) => own.has(each))
}

/** The errors that most endpoints have. */
export function commonErrors(registry: Registry): readonly ErrorCode[] {
  const counts = new Map<string, number>()
  const lists = Object.values(registry).map(ownErrors)
  for (const list of lists) counts.set(list.join(), (counts.get(list.join()) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return lists.find((list) => counts.get(list.join()) === most) ?? []
}

/** Links to entries of the error catalog. */
export function errorLinks(context: PageContext, codes: readonly ErrorCode[]): Html {
  return codesHtml(
    context.locale,
    codes.map((each) => errorLink(context, each)),
  )
}

/** The errors of an endpoint by status, with the reason phrase. */
function errorList(context: PageContext, row: Endpoint): Html {
  const { errors } = context.texts.reference
  const listed = ownErrors(row)
    .map((name) => ({ name, status: ERRORS[name].status }))
    .toSorted((a, b) => a.status - b.status)
  return html`<h3>${errors}</h3>
    <ul class="plain-list error-list">
      ${listed.map(({ name, status }) => {
        return html`<li>
          ${errorLink(context, name)} <span class="muted">${status} ${STATUS_CODES[status]}</span>
        </li> `
      })}
    </ul>`
}

function deprecationNote({ locale, texts }: PageContext, { deprecation }: Endpoint): HtmlValue {
  if (deprecation === undefined) return undefined
  const { deprecatedAt, sunsetAt, successor } = deprecation
  return html`<p class="note note-warn">
    ${richText(texts.reference.deprecated, {
      since: momentInText(locale, deprecatedAt),
      until: momentInText(locale, sunsetAt),
      successor: code(successor),
    })}
  </p>`
}

/** Data for the form that fills in the path parameter. */
function parameterData(parameter: PathParameter): Html {
  const { name, example, mayBeEmpty } = parameter
  return html` data-parameter="${name}"
  data-example="${example}"${mayBeEmpty && html` data-may-be-empty`}`
}

/** The names of the query parameters, for the form. */
function queryData(query: NonNullable<Endpoint['query']>): Html {
  return html` data-query="${Object.keys(query).join(' ')}"`
}

/** The entry of one endpoint: its description on one side, a request and its response on the other. */
export function endpointEntry(context: PageContext, name: string, row: Endpoint): Html {
  const { locale, texts, facts } = context
  const { method, path, summary, description, request, parameter, query, success } = row
  const { body, isReal, isLong } = createEndpointExample(context, row)
  const label = texts.reference.response
  const className = isLong ? 'json long' : 'json'
  return html`<section
    class="endpoint"
    id="${name}"
    ${parameter && parameterData(parameter)}${query && queryData(query)}
  >
    <div>
      <h2><a class="anchor" href="#${name}">${contractText(locale, summary)}</a></h2>
      <p class="call" data-call="${method} ${path}">${methodBadge(method)} ${code(path)}</p>
      <p>${contractText(locale, description)}</p>
      ${traits(row)}
      ${deprecationNote(context, row)}${parameter && parameterText(context, parameter)}${
        query && queryList(context, query)
      }${
        request && fieldsList(context, REQUEST_SCHEMAS[request])
      }${success !== undefined && responseFields(context, DATA_SCHEMAS[success.data])}${errorList(
        context,
        row,
      )}
    </div>
    <figure>
      <figcaption><code>${formatCurl(row, facts.origin)}</code></figcaption>
      <pre class="${className}" tabindex="0" role="group" aria-label="${label}">${body}</pre>
      <p class="muted small">
        ${isReal ? texts.reference.exampleReal : texts.reference.exampleMade}
      </p>
    </figure>
  </section> `
}
