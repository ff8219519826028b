import { errorsOf, KEY_ERRORS, ROUTE_ERRORS } from '@public-api/contract/registry/endpoints'
import { ERRORS, type ErrorCode } from '@public-api/contract/errors/errors'
import { HEADERS } from '@public-api/contract/http/headers'
import { contractText } from '../texts/contract-texts.ts'
import { dataTable, factList, link, listFilter } from '../markup/elements.ts'
import { code as codeHtml, html, type Html, type HtmlValue } from '../markup/html.ts'
import { endpointPath, type Page, type PageContext, type PageSection } from '../page.ts'
import { exampleError } from './reference-example.ts'
import { plainText, richText, sentencesHtml } from '../markup/rich-text.ts'

const retryAfter = codeHtml(HEADERS.retryAfter)

/** The endpoints that return a code, and its other sources. */
function returnedBy({ locale, texts, facts }: PageContext, code: ErrorCode): HtmlValue {
  const { anyKeyed, noRoute, noEndpoint } = texts.errorCatalog
  const isOfKeys = new Set<ErrorCode>(KEY_ERRORS).has(code)
  const isOfRoutes = new Set<ErrorCode>(ROUTE_ERRORS).has(code)
  const rows = Object.entries(facts.registry).filter(([, row]) =>
    (isOfKeys ? [...row.errors, row.failure] : errorsOf(row)).includes(code),
  )
  if (rows.length === 0 && !isOfKeys && !isOfRoutes) return noEndpoint
  const links = rows.map(([name, row]) => {
    const call = html`<code>${row.method} ${row.path}</code>`
    return html`<li>${link(endpointPath(locale, name, row), call)}</li> `
  })
  return [
    isOfKeys && html`<p>${anyKeyed}</p>`,
    isOfRoutes && html`<p>${noRoute}</p>`,
    links.length > 0 &&
      html`<ul class="plain-list">
        ${links}
      </ul>`,
  ]
}

function errorEntry(context: PageContext, code: ErrorCode): Html {
  const { locale, texts } = context
  const t = texts.errorCatalog
  const { meaning, message, retryable, retryAfterSeconds: seconds } = ERRORS[code]
  const wait =
    seconds === undefined
      ? richText(t.retryAfterUnknown, { header: retryAfter })
      : richText(t.retryAfter, { header: retryAfter, seconds })
  return html`<section class="error-entry" id="${code}">
    <h3>
      <a class="anchor" href="#${code}"><code>${code}</code></a>
    </h3>
    <p>${contractText(locale, meaning)}</p>
    ${factList([
      [t.whatToDo, contractText(locale, message)],
      [t.retryable, retryable && sentencesHtml(locale, [t.canRetry, wait])],
      [t.returnedBy, returnedBy(context, code)],
    ])}
    <pre class="json">${exampleError(code)}</pre>
  </section> `
}

/** All codes in a table, each with a link to its entry, and a filter for the rows. */
function summary({ locale, texts }: PageContext, codes: readonly ErrorCode[]): Html {
  const t = texts.errorCatalog
  const retryCell = (code: ErrorCode): string => {
    const { retryable, retryAfterSeconds: seconds } = ERRORS[code]
    if (!retryable) return t.no
    return seconds === undefined ? t.yes : plainText(t.yesWithin, { seconds })
  }
  const table = dataTable(codes, {
    className: 'codes',
    columns: [
      { title: t.code, isHeader: true, cell: (code) => link(`#${code}`, codeHtml(code)) },
      { title: t.status, cell: (code) => ERRORS[code].status },
      {
        title: t.when,
        cell: (code) => html`<p>${contractText(locale, ERRORS[code].meaning)}</p>`,
      },
      { title: t.retryable, cell: retryCell },
    ],
  })
  return html`${listFilter(texts, 'code-filter', t.filter, '.codes tbody tr')} ${table}
    <p class="muted small">${t.placeholders}</p>`
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

/** Every code of the error catalog with an anchor, by status. */
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
        <p>${richText(t.retryIntro, { header: retryAfter })}</p>`,
      sections: [
        ['codes', t.summary, summary(context, codes)],
        ...byStatus.map(([status, ofStatus]): PageSection => [
          `status-${status}`,
          plainText(t.byStatus, { status }),
          ofStatus.map((code) => errorEntry(context, code)),
        ]),
        ['verifier', t.verification, verifierCodes(context)],
      ],
    }
  },
}
