import { API_VERSION, BASE_PATH } from '../contract/api-version.ts'
import { AUTHENTICATIONS, ENDPOINT_STATUSES, STABILITY_LEVELS } from '../contract/endpoint-terms.ts'
import { ENDPOINTS, KEY_ERRORS, LINKS } from '../contract/endpoints.ts'
import { CACHE_CLASSES, CORS, HEADERS } from '../contract/headers.ts'
import { LIMITS } from '../contract/limits.ts'
import { contractText } from './contract-texts.ts'
import { codeLink, type Fact, factList, pageSection } from './elements.ts'
import { code, html, type Html } from './html.ts'
import { type PageContext, pathOfPage } from './page.ts'
import { ABOUT_IDS, commonErrors, errorLinks } from './reference-endpoint.ts'
import { exampleError } from './reference-example.ts'
import { codesHtml, countText, richText, sentencesHtml } from './rich-text.ts'

/** All windows of limits but one are a minute. */
const HOUR_SECONDS = 3600

/** The terms of a contract table with their meanings. */
function meanings(context: PageContext, table: { readonly [term: string]: string }): Html {
  return factList(
    Object.entries(table).map(([term, meaning]) => [
      code(term),
      contractText(context.locale, meaning),
    ]),
  )
}

function envelopePart(context: PageContext): Html {
  const t = context.texts.reference.about
  const catalog = html`<a href="${pathOfPage(context.locale, 'errors')}">${t.catalog}</a>`
  const common = commonErrors(context.facts.registry)
  return html`<p>${richText(t.envelopeSuccess, { ok: code('"ok": true'), data: code('data') })}</p>
    <p>
      ${sentencesHtml(context.locale, [
        richText(t.envelopeError, {
          error: code('error'),
          data: code('data'),
          catalog,
          path: code(BASE_PATH),
        }),
        richText(t.envelopeNone, { path: codeLink(LINKS.openapi) }),
        richText(t.commonErrors, { errors: errorLinks(context, common) }),
      ])}
    </p>
    <pre class="code json" tabindex="0">${exampleError('NOT_FOUND')}</pre>`
}

function signaturesPart({ locale, texts, facts }: PageContext): Html {
  if (facts.keyId === undefined) {
    return html`<p class="note note-warn">${texts.overview.unsigned}</p>`
  }
  const { signaturesText, signaturesMore } = texts.reference.about
  const names = [
    HEADERS.contentDigest,
    HEADERS.signedAt,
    HEADERS.signature,
    HEADERS.requestId,
    HEADERS.etag,
  ]
  const headers = codesHtml(locale, names.map(code))
  return html`<p>
    ${sentencesHtml(locale, [
      richText(signaturesText, {
        headers,
        path: codeLink(ENDPOINTS.signingKey.path),
        notModified: code(304),
        revalidated: code(HEADERS.revalidated),
      }),
      html`<a href="${pathOfPage(locale, 'verify')}">${signaturesMore}</a>`,
    ])}
  </p>`
}

function authenticationPart(context: PageContext): Html {
  const t = context.texts.reference.about
  const { issuance } = context.facts
  const errors = errorLinks(context, KEY_ERRORS)
  const authentications = Object.fromEntries(
    Object.entries(AUTHENTICATIONS).map(([word, meaning]) => [`authentication: ${word}`, meaning]),
  )
  const headers = codesHtml(
    context.locale,
    [HEADERS.rateLimitLimit, HEADERS.rateLimitRemaining, HEADERS.rateLimitReset].map(code),
  )
  return html`<p>${t.authenticationText}</p>
    <ul>
      <li>${code(`${HEADERS.authorization}: Bearer <API_KEY>`)}</li>
      <li>${code(`${HEADERS.key}: <API_KEY>`)}</li>
    </ul>
    ${meanings(context, authentications)}
    <p>
      ${sentencesHtml(context.locale, [
        richText(t.authenticationErrors, { errors, headers }),
        !issuance.enabled &&
          richText(t.issuancePaused, {
            error: errorLinks(context, ['KEYS_UNAVAILABLE']),
            reason: code(issuance.reason),
          }),
      ])}
    </p>`
}

function cachingPart({ locale, texts }: PageContext): Html {
  const t = texts.reference.about
  return html`<p>${t.cachingText}</p>
    ${factList(
      Object.entries(CACHE_CLASSES).map(([name, { cacheControl, meaning }]) => [
        code(`cacheClass: ${name}`),
        html`${code(cacheControl)}<br />${contractText(locale, meaning)}`,
      ]),
    )}
    <p>
      ${richText(t.cachingConditional, {
        etag: code(HEADERS.etag),
        ifNoneMatch: code(HEADERS.ifNoneMatch),
        status: code(304),
      })}
    </p>`
}

function limitsPart({ locale, texts }: PageContext): Html {
  const t = texts.reference.about
  const format = new Intl.NumberFormat(locale)
  const windows = ['keyedRequests', 'registrationPerActor', 'registrationGlobal', 'keyIssuance']
  const rows: readonly Fact[] = [
    ...(windows as ('keyedRequests' | 'keyIssuance')[]).map((name) => {
      const { requests, windowSeconds } = LIMITS[name]
      const window = windowSeconds === HOUR_SECONDS ? t.window.hour : t.window.minute
      return [
        t[name],
        richText(t.perWindow, { requests: format.format(requests), window }),
      ] as const
    }),
    [t.bodySize, richText(t.bytes, { bytes: format.format(LIMITS.maxBodyBytes) })],
  ]
  return html`<p>${t.limitsText}</p>
    ${factList(rows)}
    <p>${richText(t.retryAfter, { status: code(429), header: code(HEADERS.retryAfter) })}</p>`
}

function versioningPart(context: PageContext): Html {
  const { locale, texts, facts } = context
  const t = texts.reference.about
  return html`<p>
      ${sentencesHtml(locale, [
        richText(t.versioningText, {
          version: code(API_VERSION),
          registryVersion: code(facts.registryVersion),
        }),
        countText(locale, t.deprecationNotice, LIMITS.deprecationNoticeDays),
      ])}
    </p>
    ${meanings(context, { ...STABILITY_LEVELS, ...ENDPOINT_STATUSES })}`
}

function addressPart({ texts, facts }: PageContext): Html {
  return html`<p>
    ${richText(texts.reference.about.addressText, {
      origin: code(`${facts.origin}${BASE_PATH}`),
      get: code('GET'),
      head: code('HEAD'),
      options: code('OPTIONS'),
    })}
  </p>`
}

function corsPart({ locale, texts }: PageContext): Html {
  const methods = codesHtml(locale, CORS.allowMethods.map(code))
  return html`<p>${richText(texts.reference.about.corsText, { methods })}</p>`
}

/** Sections that apply to every endpoint. */
export function aboutSections(context: PageContext): Html {
  const sections = {
    address: addressPart,
    envelope: envelopePart,
    signatures: signaturesPart,
    authentication: authenticationPart,
    caching: cachingPart,
    cors: corsPart,
    limits: limitsPart,
    versioning: versioningPart,
  } as const satisfies { readonly [Name in keyof typeof ABOUT_IDS]: unknown }
  const names = Object.keys(sections) as (keyof typeof sections)[]
  const titles = context.texts.reference.about
  return html`${names.map((name) =>
    pageSection(ABOUT_IDS[name], titles[name], sections[name](context)),
  )}`
}
