import { errorsOf, KEY_ERRORS, ROUTE_ERRORS } from '../contract/endpoints.ts'
import { ERRORS, type ErrorCode } from '../contract/errors.ts'
import { HEADERS } from '../contract/headers.ts'
import { contractText } from './contract-texts.ts'
import { dataTable, factList, listFilter } from './elements.ts'
import { code as codeHtml, html, type Html, type HtmlValue } from './html.ts'
import { endpointPath, type Page, type PageContext, type PageSection } from './page.ts'
import { exampleError } from './reference-example.ts'
import { plainText, richText, sentencesHtml } from './rich-text.ts'

const retryAfter = codeHtml(HEADERS.retryAfter)

function isOneOf(codes: readonly ErrorCode[], code: ErrorCode): boolean {
  return codes.includes(code)
}

/** The endpoints that return a code, and its other sources. */
function returnedBy({ locale, texts, facts }: PageContext, code: ErrorCode): Html {
  const { anyKeyed, noRoute, noEndpoint } = texts.errorCatalog
  const isOfKeys = isOneOf(KEY_ERRORS, code)
  const rows = Object.entries(facts.registry).filter(([, row]) =>
    (isOfKeys ? [...row.errors, row.failure] : errorsOf(row)).includes(code),
  )
  const links = rows.map(
    ([name, row]) =>
      html`<li>
        <a href="${endpointPath(locale, name, row)}"><code>${row.method} ${row.path}</code></a>
      </li> `,
  )
  const sentences: HtmlValue[] = [
    isOfKeys && html`<p>${anyKeyed}</p>`,
    isOneOf(ROUTE_ERRORS, code) && html`<p>${noRoute}</p>`,
    links.length > 0 &&
      html`<ul class="plain-list">
        ${links}
      </ul>`,
  ].filter((each) => each !== false)
  return html`${sentences.length === 0 ? noEndpoint : sentences}`
}

function retryText({ locale, texts }: PageContext, code: ErrorCode): HtmlValue {
  const t = texts.errorCatalog
  const { retryAfterSeconds } = ERRORS[code]
  const wait =
    retryAfterSeconds === undefined
      ? richText(t.retryAfterUnknown, { header: retryAfter })
      : richText(t.retryAfter, { header: retryAfter, seconds: retryAfterSeconds })
  return sentencesHtml(locale, [t.canRetry, wait])
}

function errorEntry(context: PageContext, code: ErrorCode): Html {
  const { locale, texts } = context
  const t = texts.errorCatalog
  const { meaning, message, retryable } = ERRORS[code]
  return html`<section class="error-entry" id="${code}">
    <h3>
      <a class="anchor" href="#${code}"><code>${code}</code></a>
    </h3>
    <p>${contractText(locale, meaning)}</p>
    ${factList([
      [t.whatToDo, contractText(locale, message)],
      [t.retryable, retryable && retryText(context, code)],
      [t.returnedBy, returnedBy(context, code)],
    ])}
    <pre class="json">${exampleError(code)}</pre>
  </section> `
}

function retryCell({ texts }: PageContext, code: ErrorCode): HtmlValue {
  const t = texts.errorCatalog
  const { retryable, retryAfterSeconds } = ERRORS[code]
  if (!retryable) return t.no
  return retryAfterSeconds === undefined
    ? t.yes
    : plainText(t.yesWithin, { seconds: retryAfterSeconds })
}

/** All codes in a table, each with a link to its entry, and a filter for the rows. */
function summary(context: PageContext, codes: readonly ErrorCode[]): Html {
  const { locale, texts } = context
  const t = texts.errorCatalog
  const table = dataTable(codes, {
    className: 'codes',
    columns: [
      {
        title: t.code,
        isHeader: true,
        cell: (code) => html`<a href="#${code}">${codeHtml(code)}</a>`,
      },
      { title: t.status, cell: (code) => ERRORS[code].status },
      {
        title: t.when,
        cell: (code) => html`<p>${contractText(locale, ERRORS[code].meaning)}</p>`,
      },
      { title: t.retryable, cell: (code) => retryCell(context, code) },
    ],
  })
  return html`${listFilter(texts, 'code-filter', t.filter, '.codes tbody tr')} ${table}
    <p class="muted small">${t.placeholders}</p>`
}

/** Codes by status in ascending order, each status in the order of the catalog. */
function codesByStatus(): ReadonlyMap<number, readonly ErrorCode[]> {
  const codes = Object.keys(ERRORS) as ErrorCode[]
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].toSorted((a, b) => a - b)
  return new Map(
    statuses.map((status) => [status, codes.filter((code) => ERRORS[code].status === status)]),
  )
}

/** The codes of failed verification steps. */
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

/** Every code of the error catalog with an anchor. */
export const ERRORS_PAGE: Page = {
  path: 'errors',
  title: (texts) => texts.errorCatalog.title,
  description: (texts) => texts.errorCatalog.description,
  body(context) {
    const { locale, texts, facts } = context
    const t = texts.errorCatalog
    const byStatus = [...codesByStatus()]
    const groups = byStatus.map(([status, codes]): PageSection => [
      `status-${status}`,
      plainText(t.byStatus, { status }),
      codes.map((code) => errorEntry(context, code)),
    ])
    const codes = byStatus.flatMap(([, each]) => each)
    return {
      main: html`<h1>${t.title}</h1>
        <p class="lead">
          ${sentencesHtml(locale, [t.intro, facts.keyId !== undefined && t.introSigned, t.introCode])}
        </p>
        <p>${richText(t.retryIntro, { header: retryAfter })}</p>`,
      sections: [
        ['codes', t.summary, summary(context, codes)],
        ...groups,
        ['verifier', t.verification, verifierCodes(context)],
      ],
    }
  },
}
