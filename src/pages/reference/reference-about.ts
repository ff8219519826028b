import { ENDPOINTS, KEY_ERRORS, LINKS } from '@public-api/contract/registry/endpoints'
import { API_VERSION, BASE_PATH } from '@public-api/contract/terms/api-version'
import {
  AUTHENTICATIONS,
  ENDPOINT_STATUSES,
  STABILITY_LEVELS,
} from '@public-api/contract/terms/endpoint-terms'
import { CACHE_CLASSES, type CacheClass, CORS, HEADERS } from '@public-api/contract/terms/headers'
import { LIMITS } from '@public-api/contract/terms/limits'
import { pathOfPage } from '../addresses.ts'
import { bulletList, codeLink, factList, link, pageSection } from '../markup/elements.ts'
import { code, html, joinHtml, type Html } from '../markup/html.ts'
import { codesHtml, countText, richText, sentencesHtml } from '../markup/rich-text.ts'
import { type PageContext, type PageSection } from '../page.ts'
import { contractText } from '../texts/contract-texts.ts'
import { nativeCheck } from '../verify/native-check.ts'
import { commonErrors, errorLinks } from './reference-endpoint.ts'
import { exampleError } from './reference-example.ts'

/** All windows of limits but one are a minute. */
const HOUR_SECONDS = 3600

/** Sections that apply to every endpoint. */
export function aboutSections(context: PageContext): Html {
  const { locale, texts, facts } = context
  const { issuance, registryVersion } = facts
  const { about: t, traits } = texts.reference
  const format = new Intl.NumberFormat(locale)
  const codes = (...words: readonly string[]): Html => codesHtml(locale, words.map(code))
  /** A term of the contract: in words, and as the discovery index has it. */
  const term = (word: string, name: string, value: string): Html =>
    html`${word}<br /><code class="small">${name}: ${value}</code>`
  /** The terms of a contract table with their meanings. */
  const meanings = <Term extends string>(
    name: string,
    table: { readonly [_ in Term]: string },
    words: { readonly [_ in Term]: string },
  ): Html =>
    factList(
      (Object.keys(table) as Term[]).map((each) => [
        term(words[each], name, each),
        contractText(locale, table[each]),
      ]),
    )

  const address = richText(t.addressText, {
    origin: code(`${facts.origin}${BASE_PATH}`),
    get: code('GET'),
    head: code('HEAD'),
    options: code('OPTIONS'),
  })
  const errors = sentencesHtml(locale, [
    richText(t.envelopeError, {
      error: code('error'),
      data: code('data'),
      catalog: link(pathOfPage(locale, 'errors'), t.catalog),
      path: code(BASE_PATH),
    }),
    richText(t.envelopeNone, { path: codeLink(LINKS.openapi) }),
    richText(t.commonErrors, { errors: errorLinks(context, commonErrors(facts.registry)) }),
  ])
  const envelope = html`<p>
      ${richText(t.envelopeSuccess, { ok: code('"ok": true'), data: code('data') })}
    </p>
    <p>${errors}</p>
    <pre class="code json" tabindex="0">${exampleError('NOT_FOUND')}</pre>`

  const { contentDigest, signedAt, signature, requestId, etag, revalidated } = HEADERS
  const signed = sentencesHtml(locale, [
    richText(t.signaturesText, {
      headers: codes(contentDigest, signedAt, signature, requestId, etag),
      path: codeLink(ENDPOINTS.signingKey.path),
      notModified: code(304),
      revalidated: code(revalidated),
    }),
    link(pathOfPage(locale, 'verify'), t.signaturesMore),
  ])
  const signatures =
    facts.keyId === undefined
      ? html`<p class="note note-warn">${texts.overview.unsigned}</p>`
      : html`<p>${signed}</p>
          <p>${t.nativeText}</p>
          ${nativeCheck(context)}`

  const { rateLimitLimit, rateLimitRemaining, rateLimitReset } = HEADERS
  const keyErrors = sentencesHtml(locale, [
    richText(t.authenticationErrors, {
      errors: errorLinks(context, KEY_ERRORS),
      headers: codes(rateLimitLimit, rateLimitRemaining, rateLimitReset),
    }),
    !issuance.enabled &&
      richText(t.issuancePaused, {
        error: errorLinks(context, ['KEYS_UNAVAILABLE']),
        reason: code(issuance.reason),
      }),
  ])
  const authentication = html`<p>${t.authenticationText}</p>
    ${bulletList([
      code(`${HEADERS.authorization}: Bearer <API_KEY>`),
      code(`${HEADERS.key}: <API_KEY>`),
    ])}
    ${meanings('authentication', AUTHENTICATIONS, traits.authentication)}
    <p>${keyErrors}</p>`

  const cacheClasses = Object.entries(CACHE_CLASSES).map(([name, { cacheControl, meaning }]) => {
    const directives = joinHtml(cacheControl.split(', ').map(code), ', ')
    const cell = html`${directives}<br />${contractText(locale, meaning)}`
    const word = traits.cacheClass[name as CacheClass]
    return [term(word, 'cacheClass', name), cell] as const
  })
  const conditional = richText(t.cachingConditional, {
    etag: code(etag),
    ifNoneMatch: code(HEADERS.ifNoneMatch),
    status: code(304),
  })
  const caching = html`<p>${t.cachingText}</p>
    ${factList(cacheClasses)}
    <p>${conditional}</p>`

  const windows = [
    'keyedRequests',
    'registrationPerActor',
    'registrationGlobal',
    'keyIssuance',
  ] as const
  const limits = html`<p>${t.limitsText}</p>
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

  const versions = sentencesHtml(locale, [
    richText(t.versioningText, {
      version: code(API_VERSION),
      registryVersion: code(registryVersion),
    }),
    countText(locale, t.deprecationNotice, LIMITS.deprecationNoticeDays),
  ])
  const versioning = html`<p>${versions}</p>
    ${meanings('stability', STABILITY_LEVELS, traits.stability)}
    ${meanings('status', ENDPOINT_STATUSES, traits.status)}`

  const origins = richText(t.corsText, { methods: codes(...CORS.allowMethods) })
  const sections: readonly PageSection[] = [
    ['about-address', t.address, html`<p>${address}</p>`],
    ['about-envelope', t.envelope, envelope],
    ['about-signatures', t.signatures, signatures],
    ['about-authentication', t.authentication, authentication],
    ['about-caching', t.caching, caching],
    ['about-origins', t.cors, html`<p>${origins}</p>`],
    ['about-limits', t.limits, limits],
    ['about-versions', t.versioning, versioning],
  ]
  return html`${sections.map((section) => pageSection(...section))}`
}
