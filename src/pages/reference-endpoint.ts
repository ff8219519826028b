import { BASE_PATH } from '../contract/api-version.ts'
import {
  errorsOf,
  type Endpoint,
  type PathParameter,
  type Registry,
} from '../contract/endpoints.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { REQUEST_SCHEMAS } from '../contract/schemas.ts'
import { contractText } from './contract-texts.ts'
import { html, type Html, type HtmlValue } from './html.ts'
import { momentInText } from './moments.ts'
import { pathOfPage, type PageContext } from './page.ts'
import { codesHtml, richText, sentencesHtml } from './rich-text.ts'
import { curlOf, exampleAnswer } from './reference-example.ts'
import { fieldsList } from './reference-fields.ts'

/** Ids of the general parts that the entries refer to. */
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

/** One row of the registry with its name. */
export interface NamedEndpoint {
  readonly name: string
  readonly row: Endpoint
}

/** A link to the entry of a code in the error catalog. */
function errorLink({ locale }: PageContext, name: ErrorCode): Html {
  return html`<a href="${pathOfPage(locale, 'errors')}#${name}">${code(name)}</a>`
}

function code(text: string): Html {
  return html`<code>${text}</code>`
}

/** What the registry says of a row, in the words it has there; those of two tables that share a word say which they are of. */
function traits({ stability, status, runtime, cacheClass, authentication }: Endpoint): Html {
  const words = [
    stability,
    status,
    ...(runtime === 'all' ? [] : [`runtime: ${runtime}`]),
    `cacheClass: ${cacheClass}`,
    `authentication: ${authentication}`,
  ]
  return html`<p class="traits">${code(words.join(', '))}</p>`
}

function parameterText({ locale, texts }: PageContext, parameter: PathParameter): Html {
  const { parameterForm, parameterExample, parameterEmpty } = texts.reference
  const { pattern, example, mayBeEmpty, name, description } = parameter
  return html`<dl class="fields">
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

/** The errors of a row but those that every endpoint answers to a bad key: they are told once, under authentication. */
function ownErrors(row: Endpoint): readonly ErrorCode[] {
  const own = new Set<ErrorCode>([...row.errors, row.failure])
  return errorsOf(row).filter((each) => own.has(each))
}

/** The errors of most endpoints, which are told once: an entry that lists none has these. */
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

function errorsText(context: PageContext, row: Endpoint): HtmlValue {
  const own = ownErrors(row)
  if (own.join() === commonErrors(context.facts.registry).join()) return undefined
  return html`<p>
    ${richText(context.texts.reference.errors, { errors: errorLinks(context, own) })}
  </p>`
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

/** What the form of the page's script has to know of the part of a path that is filled in. */
function parameterData(parameter: PathParameter): Html {
  const { name, example, mayBeEmpty } = parameter
  return html` data-parameter="${name}"
  data-example="${example}"${mayBeEmpty && html` data-may-be-empty`}`
}

/** The entry of one endpoint: what it is on one side, a request and its answer on the other. */
export function endpointEntry(context: PageContext, { name, row }: NamedEndpoint): Html {
  const { locale, facts } = context
  const { method, path, summary, description, request, parameter } = row
  return html`<section class="endpoint" id="${name}" ${parameter && parameterData(parameter)}>
    <div>
      <h3><a href="#${name}">${contractText(locale, summary)}</a></h3>
      <p class="call">${code(`${method} ${path}`)}</p>
      ${traits(row)}
      <p>${contractText(locale, description)}</p>
      ${deprecationNote(context, row)}${parameter && parameterText(context, parameter)}${
        request && fieldsList(context, REQUEST_SCHEMAS[request])
      }${errorsText(context, row)}
    </div>
    <figure>
      <figcaption><code>${curlOf(row, facts.origin)}</code></figcaption>
      <pre tabindex="0">${exampleAnswer(row)}</pre>
    </figure>
  </section> `
}

/** A link to an entry, as the list of all of them has it. */
export function endpointLink({ name, row: { method, path } }: NamedEndpoint): Html {
  const shown = path.slice(BASE_PATH.length)
  return html`<li><a href="#${name}">${method} ${shown === '' ? '/' : shown}</a></li> `
}
