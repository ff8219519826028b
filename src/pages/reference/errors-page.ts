import { ERRORS, type ErrorCode } from '@public-api/contract/errors/errors'
import { REMEDIES } from '@public-api/contract/errors/remedies'
import {
  errorsOf,
  ownErrorsOf,
  KEY_ERRORS,
  ROUTE_ERRORS,
} from '@public-api/contract/registry/endpoints'
import { HEADERS } from '@public-api/contract/terms/headers'
import { nodeHttp } from '../../http/connection/node-http.ts'
import { endpointPath } from '../addresses.ts'
import { factList, link, listFilter } from '../markup/elements.ts'
import { code as codeHtml, html, type Html, type HtmlValue } from '../markup/html.ts'
import { plainText, richText, sentencesHtml } from '../markup/rich-text.ts'
import { type Page, type PageContext, type PageSection } from '../page.ts'
import { contractText } from '../texts/contract-texts.ts'
import { exampleError } from './reference-example.ts'

const retryAfter = codeHtml(HEADERS.retryAfter)

/** The endpoints that return a code, and its other sources. */
function returnedBy({ locale, texts, facts }: PageContext, code: ErrorCode): HtmlValue {
  const { anyKeyed, noRoute, noEndpoint } = texts.errorCatalog
  const isOfKeys = new Set<ErrorCode>(KEY_ERRORS).has(code)
  const isOfRoutes = new Set<ErrorCode>(ROUTE_ERRORS).has(code)
  const rows = Object.entries(facts.registry).filter(([, row]) =>
    (isOfKeys ? ownErrorsOf(row) : errorsOf(row)).includes(code),
  )
  if (rows.length === 0 && !isOfKeys && !isOfRoutes) return noEndpoint
  const links = rows.map(([name, row]) => {
    const call = codeHtml(`${row.method} ${row.path}`)
    return html`<li>${link(endpointPath(locale, name, row), call)}</li> `
  })
  return [
    isOfKeys && html`<p>${anyKeyed}</p>`,
    isOfRoutes && html`<p>${noRoute}</p>`,
    links.length > 0 &&
      html`<ul class="plain-list stacked">
        ${links}
      </ul>`,
  ]
}

/** Whether a code can be retried, and how long the wait may be; undefined if not. */
function retryText({ texts }: PageContext, code: ErrorCode): string | undefined {
  const { yes, yesWithin } = texts.errorCatalog
  const { retryable, retryAfterSeconds: seconds } = ERRORS[code]
  if (!retryable) return undefined
  return seconds === undefined ? yes : plainText(yesWithin, { seconds })
}

/**
 * The line of a code, which opens to its details. The target of links is within the details: a browser opens them for a
 * fragment, also without scripts.
 */
function errorEntry(context: PageContext, code: ErrorCode): Html {
  const { locale, texts } = context
  const t = texts.errorCatalog
  const { status, meaning, message, retryable, retryAfterSeconds: seconds } = ERRORS[code]
  const wait =
    seconds === undefined
      ? richText(t.retryAfterUnknown, { header: retryAfter })
      : richText(t.retryAfter, { header: retryAfter, seconds })
  const retry = retryText(context, code)
  return html`<details class="error-entry full">
    <summary>
      ${codeHtml(code)} <span>${contractText(locale, meaning)}</span>
      ${retry !== undefined && html`<span class="muted small">${retry}</span>`}
    </summary>
    <div id="${code}">
      <h3><a class="anchor" href="#${code}">${status} ${nodeHttp.STATUS_CODES[status]}</a></h3>
      ${factList([
        [t.whatToDo, contractText(locale, REMEDIES[code] ?? message)],
        [t.retryable, retryable && sentencesHtml(locale, [t.canRetry, wait])],
        [t.returnedBy, returnedBy(context, code)],
      ])}
      <pre class="json small">${exampleError(code)}</pre>
    </div>
  </details> `
}

function verifierCodes({ texts }: PageContext): Html {
  return html`<p>${texts.errorCatalog.verificationIntro}</p>
    <dl class="facts">
      ${Object.entries(texts.proof.faults).map(
        ([code, meaning]) =>
          html`<dt id="${code}">${codeHtml(code)}</dt>
            <dd>${meaning}</dd> `,
      )}
    </dl>`
}

/** Every code of the error catalog by status: a line each, which opens to what to do about it. */
export const ERRORS_PAGE: Page = {
  path: 'errors',
  title: (texts) => texts.errorCatalog.title,
  description: (texts) => texts.errorCatalog.description,
  body(context) {
    const { locale, texts, facts } = context
    const t = texts.errorCatalog
    const codes = (Object.keys(ERRORS) as ErrorCode[]).toSorted(
      (a, b) => ERRORS[a].status - ERRORS[b].status,
    )
    const byStatus = [...Map.groupBy(codes, (code) => ERRORS[code].status)]
    return {
      main: html`<h1>${t.title}</h1>
        <p class="lead">
          ${sentencesHtml(locale, [t.intro, facts.keyId !== undefined && t.introSigned, t.introCode])}
        </p>
        <p>${richText(t.retryIntro, { header: retryAfter })}</p>
        ${listFilter(texts, 'code-filter', t.filter, '.error-entry')}
        <p class="muted small">${t.placeholders}</p>`,
      sections: [
        ...byStatus.map(([status, ofStatus]): PageSection => [
          `status-${status}`,
          plainText(t.byStatus, { status }),
          () => ofStatus.map((code) => errorEntry(context, code)),
        ]),
        ['verifier', t.verification, verifierCodes(context)],
      ],
    }
  },
}
