import { ERRORS, type ErrorCode } from '@public-api/contract/errors/errors'
import { ownErrorsOf, type Endpoint, type Registry } from '@public-api/contract/registry/endpoints'
import { DATA_SCHEMAS, REQUEST_SCHEMAS } from '@public-api/contract/registry/schemas'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { nodeHttp } from '../../http/connection/node-http.ts'
import { pathOfPage } from '../addresses.ts'
import { anchor, copyButton, link } from '../markup/elements.ts'
import { code, escapeContent, html, type Html, type HtmlValue } from '../markup/html.ts'
import { codesHtml, richText } from '../markup/rich-text.ts'
import { type PageContext } from '../page.ts'
import { contractText } from '../texts/contract-texts.ts'
import { momentHtml } from '../texts/moments.ts'
import { challengeSection } from './challenge-section.ts'
import { createEndpointExample } from './reference-example.ts'
import { requestFields, responseFields } from './reference-fields.ts'
import { methodBadge } from './reference-rail.ts'
import { plainSamples, requestSamples, SAMPLE_LANGUAGES } from './request-samples.ts'

/** A link to the entry of a code in the error catalog. */
function errorLink({ locale }: PageContext, name: ErrorCode): Html {
  return link(`${pathOfPage(locale, 'errors')}#${name}`, code(name))
}

export function errorLinks(context: PageContext, codes: readonly ErrorCode[]): Html {
  return codesHtml(
    context.locale,
    codes.map((each) => errorLink(context, each)),
  )
}

/** The errors that most endpoints have. */
export function commonErrors(registry: Registry): readonly ErrorCode[] {
  const groups = Map.groupBy(Object.values(registry).map(ownErrorsOf), (list) => list.join())
  const [largest] = [...groups.values()].toSorted((a, b) => b.length - a.length)
  return largest?.[0] ?? []
}

/** What the terms of a row mean for a caller, in words. */
function traits({ texts }: PageContext, row: Endpoint): Html {
  const { traits: t } = texts.reference
  const { stability, status, runtime, cacheClass, authentication } = row
  const words = [
    t.stability[stability],
    status !== 'active' && t.status[status],
    runtime !== 'all' && t.runtime[runtime],
    t.authentication[authentication],
    t.cacheClass[cacheClass],
  ].filter((word) => word !== false)
  return html`<ul class="traits plain-list row muted small">
    ${words.map((word) => html`<li>${word}</li> `)}
  </ul>`
}

function deprecationNote({ locale, texts }: PageContext, { deprecation }: Endpoint): HtmlValue {
  if (deprecation === undefined) return undefined
  return html`<p class="note note-warn">
    ${richText(texts.reference.deprecated, {
      since: momentHtml(locale, deprecation.deprecatedAt),
      until: momentHtml(locale, deprecation.sunsetAt),
      successor: code(deprecation.successor),
    })}
  </p>`
}

/** What the path parameter and the query parameters mean. */
function parameters(
  context: PageContext,
  endpoint: string,
  { parameter, query }: Endpoint,
): readonly HtmlValue[] {
  const { reference: t } = context.texts
  const { name = '', example = '', mayBeEmpty, ...field } = parameter ?? {}
  const inPath: JsonSchema = {
    properties: { [name]: { ...field, type: 'string' } },
    required: mayBeEmpty ? [] : [name],
  }
  const exampleText = richText(t.parameterExample, { example: code(example) })
  return [
    parameter && requestFields(context, `${endpoint}.path`, t.pathParameter, inPath, exampleText),
    query && requestFields(context, `${endpoint}.query`, t.queryParameters, { properties: query }),
  ]
}

/** The errors of an endpoint by status, with the reason phrase. */
function errorList(context: PageContext, name: string, row: Endpoint): Html {
  const listed = ownErrorsOf(row).toSorted((a, b) => ERRORS[a].status - ERRORS[b].status)
  const items = listed.map((each) => {
    const { status } = ERRORS[each]
    const phrase = html`<span class="muted">${status} ${nodeHttp.STATUS_CODES[status]}</span>`
    return html`<li>${errorLink(context, each)} ${phrase}</li> `
  })
  return html`<h3 id="${name}-errors">${context.texts.reference.errors}</h3>
    <ul class="error-list plain-list stacked small">
      ${items}
    </ul>`
}

/**
 * Attributes for the form that tries the endpoint: its path parameter, the names of its query parameters, and its key.
 * Only reads can be tried: other methods change data.
 */
function formData({ method, parameter, query, authentication }: Endpoint): readonly HtmlValue[] {
  return [
    method === 'GET' && html` data-try`,
    parameter && html` data-parameter="${parameter.name}" data-example="${parameter.example}"`,
    parameter?.mayBeEmpty && html` data-may-be-empty`,
    authentication === 'api-key' && html` data-needs-key`,
    query && html` data-query="${Object.keys(query).join(' ')}"`,
  ]
}

/** The programs that call an endpoint, one below the other. The page's script shows one and makes tabs of their names. */
function samples(
  { texts, facts }: PageContext,
  name: string,
  row: Endpoint,
  all = requestSamples(name, row, facts),
): Html {
  const { request } = texts.reference
  const panels = all.map(({ language, text }) => {
    const label = html`<p class="small">${SAMPLE_LANGUAGES[language]}</p>`
    // What the copy button copies before the script runs, which adds the other ids.
    const id = language === 'curl' && html` id="${name}-curl"`
    const sample = html`<pre class="small" tabindex="0"><code${id}>${escapeContent(text)}</code></pre>`
    return html`<div data-language="${language}">${label}${sample}</div>`
  })
  return html`<div class="samples">
    ${panels} ${copyButton(texts, `${name}-curl`, `${request} ${row.method} ${row.path}`)}
  </div>`
}

/** The entry of one endpoint: its description on one side, a request and its response on the other. */
export function endpointEntry(context: PageContext, name: string, row: Endpoint): Html {
  const { locale, texts } = context
  const t = texts.reference
  const { method, path, summary, request, success } = row
  const call = `${method} ${path}`
  const { body, isReal, isLong } = createEndpointExample(context, row)
  const label = `${t.response} ${call}`
  const className = isLong ? 'json small long' : 'json small'
  const attributes = html`class="${className}" tabindex="0" role="group" aria-label="${label}"`
  const response = html`<pre ${attributes}>${body}</pre>`
  const caption = html`<figcaption class="muted small">
    ${isReal ? t.exampleReal : t.exampleMade}
  </figcaption>`
  const description = [
    html`<h2><a class="anchor" href="#${name}">${contractText(locale, summary)}</a></h2>`,
    html`<p class="call">${methodBadge(method)} ${code(path)}</p>`,
    html`<p>${contractText(locale, row.description)}</p>`,
    traits(context, row),
    deprecationNote(context, row),
    parameters(context, name, row),
    request && requestFields(context, `${name}.body`, t.fields, REQUEST_SCHEMAS[request]),
    challengeSection(context, name, row),
    success && responseFields(context, name, DATA_SCHEMAS[success.data]),
    errorList(context, name, row),
  ]
  const example = [samples(context, name, row), response, caption]
  return html`<section class="endpoint" id="${name}" ${formData(row)}>
    <div>${description}</div>
    <div class="sample"><figure>${example}</figure></div>
  </section> `
}

/** What a newcomer needs: where the API is, one request in each language's own library, its response, and a way to send it. */
export function firstRequest(context: PageContext, name: string, row: Endpoint): Html {
  const { texts, facts } = context
  const { first: t, response } = texts.reference
  const { method, path } = row
  const { body } = createEndpointExample(context, row)
  const label = `${response} ${method} ${path}`
  return html`<section class="endpoint" id="first-request" ${formData(row)}>
    <div>
      <h2>${anchor('first-request', t.title)}</h2>
      <p>${t.baseUrl}: ${code(`${facts.origin}${BASE_PATH}`)}</p>
      <p>${t.noKey} · ${facts.keyId === undefined ? t.jsonUnsigned : t.json}</p>
      <p class="call">${methodBadge(method)} ${code(path)}</p>
    </div>
    <div class="sample">
      <figure>
        ${samples(context, `first-${name}`, row, plainSamples({ row, url: facts.origin + path, body: undefined, needsKey: false }))}
        <pre class="json small long" tabindex="0" role="group" aria-label="${label}">${body}</pre>
      </figure>
    </div>
  </section> `
}
