import { readHeaders } from '@public-api/client-internal/header-fields'
import type { HttpResponse } from '@public-api/client-internal/http-response'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { HEADERS } from '@public-api/contract/terms/headers'
import { parseInstant } from '@public-api/contract/text/instant'
import { hasOtherDigest, isSigningOff } from './inconclusive-status.ts'
import type { VerifyOutcome } from './outcome-of.ts'
import { ageOf, sanitizeForTerminal } from './sanitize-for-terminal.ts'

/** The causes of a failure that can be recognized, and what is printed for each. */
export const FAILURE_NOTES = {
  page: (url: string) =>
    `Pages and files are not signed; the responses of the API are. Verify the data: svc verify ${url}`,
  redirect: () => 'The response is a redirect, which is not followed. Pass its target instead.',
  method: (method: string) => `Responses to ${method} have no signature. Use GET.`,
  signingOff: () => 'The deployment has no signing key, so its responses are unsigned.',
  unsignedKeys: (status: string) =>
    `The signing-key document is not signed (status ${status}). Any proxy in between may have created it.`,
  cached304: () => 'A cache in between may have created this 304, which has no proof. Use --fresh.',
  unsigned: () => 'The response is not signed. Any proxy in between may have created it.',
  slowClock: (gap: string) =>
    `It was signed when it was sent, by its Date. The clock of the server is ${gap} behind this one.`,
  otherDigest: () =>
    'Content-Digest is signed and has more than sha-256, which a proxy in between may have added.',
  cacheAge: (seconds: string) =>
    `A cache in between has kept it for ${seconds} s (Age), longer than Cache-Control allows. Use --fresh.`,
  retiredPin: (advice: string) => `${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`,
} as const

/** How far the Date of a response may differ from the time of its signature. */
const MAX_DATE_GAP_MS = 60_000

/** What makes a response look old: a cache that says so, or two clocks that differ if it was signed when it was sent. */
function ageNote({ headers }: HttpResponse, nowMs: number): string | undefined {
  const field = readHeaders(headers)
  const age = field('Age')
  if (age !== undefined && /^\d{1,10}$/.test(age) && Number(age) > 0) {
    return FAILURE_NOTES.cacheAge(age)
  }
  const [dateMs, signedAtMs] = [
    Date.parse(field('Date') ?? ''),
    parseInstant(field(HEADERS.signedAt) ?? '') ?? NaN,
  ]
  const isNew = age === undefined && Math.abs(dateMs - signedAtMs) <= MAX_DATE_GAP_MS
  return isNew ? FAILURE_NOTES.slowClock(ageOf((nowMs - signedAtMs) / 1000)) : undefined
}

/** What to verify instead of a page or a file, which have no signature; undefined for a URL of the API. */
function pageNote(url: string): string | undefined {
  const { origin, pathname } = new URL(url, 'http://host')
  if (pathname === BASE_PATH || pathname.startsWith(`${BASE_PATH}/`)) return undefined
  const name = pathname.split('/').at(2)?.replace(/\.md$/, '') ?? ''
  const path = Object.values(READ_PATHS).find((each) => each === `${BASE_PATH}/${name}`)
  return FAILURE_NOTES.page(sanitizeForTerminal(`${origin}${path ?? BASE_PATH}`, 400))
}

/** The reason why a response has no signature. */
function unsignedNote(response: HttpResponse, url: string, step: string): string {
  const { method, status } = response
  const page = pageNote(url)
  if (page !== undefined) return page
  if (status >= 300 && status < 400 && status !== 304) return FAILURE_NOTES.redirect()
  if (method === 'HEAD' || method === 'OPTIONS') return FAILURE_NOTES.method(method)
  if (isSigningOff(response)) return FAILURE_NOTES.signingOff()
  if (step === 'keys') return FAILURE_NOTES.unsignedKeys(`${status}`)
  return status === 304 ? FAILURE_NOTES.cached304() : FAILURE_NOTES.unsigned()
}

/** What explains that a step failed, beside the message of its error; undefined without a recognized cause. */
export function failureNote(outcome: VerifyOutcome, step: string): string | undefined {
  const { failure, url, nowMs, retiredPin } = outcome
  // The signing-key document, if that is what failed.
  const response = failure?.response ?? outcome.response
  const code = failure?.code
  if (code === 'UNSIGNED') return unsignedNote(response, url, step)
  if (code === 'STALE') return ageNote(response, nowMs)
  if (code === 'UNKNOWN_KEY') return retiredPin && FAILURE_NOTES.retiredPin(retiredPin)
  // The signed text contains this header. The service sends one digest.
  const digest = readHeaders(response.headers)(HEADERS.contentDigest)
  return (code === 'SIGNATURE' || code === 'DIGEST') && hasOtherDigest(digest)
    ? FAILURE_NOTES.otherDigest()
    : undefined
}
