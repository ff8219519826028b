import { API_VERSION, BASE_PATH } from '../contract/api-version.ts'
import { AUTHENTICATIONS, ENDPOINT_STATUSES, STABILITY_LEVELS } from '../contract/endpoint-terms.ts'
import { ENDPOINTS, KEY_ERRORS, LINKS } from '../contract/endpoints.ts'
import { CACHE_CLASSES, CORS, HEADERS } from '../contract/headers.ts'
import { LIMITS } from '../contract/limits.ts'
import { contractText } from './contract-texts.ts'
import { bulletList, codeLink, factList, link, pageSection } from './elements.ts'
import { code, html, joinHtml, type Html } from './html.ts'
import { type PageContext, type PageSection, pathOfPage } from './page.ts'
import { commonErrors, errorLinks } from './reference-endpoint.ts'
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
  const { locale, texts, facts } = context
  const t = texts.reference.about
  return html`<p>${richText(t.envelopeSuccess, { ok: code('"ok": true'), data: code('data') })}</p>
    <p>
      ${sentencesHtml(locale, [
        richText(t.envelopeError, {
          error: code('error'),
          data: code('data'),
          catalog: link(pathOfPage(locale, 'errors'), t.catalog),
          path: code(BASE_PATH),
        }),
        richText(t.envelopeNone, { path: codeLink(LINKS.openapi) }),
        richText(t.commonErrors, { errors: errorLinks(context, commonErrors(facts.registry)) }),
      ])}
    </p>
    <pre class="code json" tabindex="0">${exampleError('NOT_FOUND')}</pre>`
}

function signaturesPart({ locale, texts, facts }: PageContext): Html {
  if (facts.keyId === undefined) {
    return html`<p class="note note-warn">${texts.overview.unsigned}</p>`
  }
  const { signaturesText, signaturesMore } = texts.reference.about
  const { contentDigest, signedAt, signature, requestId, etag, revalidated } = HEADERS
  const headers = [contentDigest, signedAt, signature, requestId, etag].map(code)
  return html`<p>
    ${sentencesHtml(locale, [
      richText(signaturesText, {
        headers: codesHtml(locale, headers),
        path: codeLink(ENDPOINTS.signingKey.path),
        notModified: code(304),
        revalidated: code(revalidated),
      }),
      link(pathOfPage(locale, 'verify'), signaturesMore),
    ])}
  </p>`
}

function authenticationPart(context: PageContext): Html {
  const { locale, texts, facts } = context
  const t = texts.reference.about
  const { issuance } = facts
  const { rateLimitLimit, rateLimitRemaining, rateLimitReset } = HEADERS
  const headers = [rateLimitLimit, rateLimitRemaining, rateLimitReset].map(code)
  const authentications = Object.entries(AUTHENTICATIONS).map(
    ([word, meaning]) => [`authentication: ${word}`, meaning] as const,
  )
  return html`<p>${t.authenticationText}</p>
    ${bulletList([
      code(`${HEADERS.authorization}: Bearer <API_KEY>`),
      code(`${HEADERS.key}: <API_KEY>`),
    ])}
    ${meanings(context, Object.fromEntries(authentications))}
    <p>
      ${sentencesHtml(locale, [
        richText(t.authenticationErrors, {
          errors: errorLinks(context, KEY_ERRORS),
          headers: codesHtml(locale, headers),
        }),
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
  const { etag, ifNoneMatch } = HEADERS
  return html`<p>${t.cachingText}</p>
    ${factList(
      Object.entries(CACHE_CLASSES).map(([name, { cacheControl, meaning }]) => [
        code(`cacheClass: ${name}`),
        html`${joinHtml(cacheControl.split(', ').map(code), ', ')}<br />${contractText(locale, meaning)}`,
      ]),
    )}
    <p>
      ${richText(t.cachingConditional, {
        etag: code(etag),
        ifNoneMatch: code(ifNoneMatch),
        status: code(304),
      })}
    </p>`
}

function limitsPart({ locale, texts }: PageContext): Html {
  const t = texts.reference.about
  const format = new Intl.NumberFormat(locale)
  const windows = [
    'keyedRequests',
    'registrationPerActor',
    'registrationGlobal',
    'keyIssuance',
  ] as const
  return html`<p>${t.limitsText}</p>
    ${factList([
      ...windows.map((name) => {
        const { requests, windowSeconds } = LIMITS[name]
        const window = windowSeconds === HOUR_SECONDS ? t.window.hour : t.window.minute
        const values = { requests: format.format(requests), window }
        return [t[name], richText(t.perWindow, values)] as const
      }),
      [t.bodySize, richText(t.bytes, { bytes: format.format(LIMITS.maxBodyBytes) })],
    ])}
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

/** Sections that apply to every endpoint. */
export function aboutSections(context: PageContext): Html {
  const { locale, texts, facts } = context
  const t = texts.reference.about
  const address = richText(t.addressText, {
    origin: code(`${facts.origin}${BASE_PATH}`),
    get: code('GET'),
    head: code('HEAD'),
    options: code('OPTIONS'),
  })
  const methods = codesHtml(locale, CORS.allowMethods.map(code))
  const sections: readonly PageSection[] = [
    ['about-address', t.address, html`<p>${address}</p>`],
    ['about-envelope', t.envelope, envelopePart(context)],
    ['about-signatures', t.signatures, signaturesPart(context)],
    ['about-authentication', t.authentication, authenticationPart(context)],
    ['about-caching', t.caching, cachingPart(context)],
    ['about-origins', t.cors, html`<p>${richText(t.corsText, { methods })}</p>`],
    ['about-limits', t.limits, limitsPart(context)],
    ['about-versions', t.versioning, versioningPart(context)],
  ]
  return html`${sections.map((section) => pageSection(...section))}`
}
