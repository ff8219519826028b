import { readHeaders, sha256Of } from '@public-api/client-source/header-fields'
import { sha256Base64 } from '@public-api/client-source/node/node-crypto'
import {
  VerificationError,
  type VerificationFault,
} from '@public-api/client-source/verification-error'
import {
  signedAtOf,
  stepOfFault,
  stepsOfStatus,
  type VerificationStep,
} from '@public-api/client-source/verification-step'
import {
  verifyResponse,
  type HttpResponse,
  type Expectations,
  type VerifiedResponse,
} from '@public-api/client-source/verify-response'
import { HEADERS } from '@public-api/contract/http/headers'
import { formatInstant, parseInstant } from '@public-api/contract/text/instant'
import { SIGNATURE_MAX_AGE_SECONDS } from '@public-api/contract/registry/limits'
import { pluralOf } from '@public-api/command/wording'
import { ageOf, sanitizeForTerminal } from './sanitize-for-terminal.ts'

/** What each step checks. */
const QUESTIONS: { readonly [Name in VerificationStep]: string } = {
  keys: 'the key document contains a usable key, and the pinned key if --pin is given',
  proof: 'the headers of a signature',
  digest: 'Content-Digest is the SHA-256 of the body',
  signature: 'the signature matches method, target, status, time and digest',
  key: 'a trusted key signed within its validity period',
  freshness: 'the signature is neither too old nor from the future',
  body: 'the body is JSON',
  etag: 'the ETag is the hash of the data',
  requestId: 'X-Request-Id matches the body',
}

const QUESTION_304 = 'the request named this ETag'

/** One step of a check, for display. */
export interface Step {
  readonly step: VerificationStep
  readonly outcome: 'ok' | 'failed' | 'unchecked'
  readonly expected: string
  readonly found: string
}

/** Why a response was refused. */
export interface Fault {
  readonly code: VerificationFault
  readonly step: VerificationStep
  readonly message: string
}

/** The result of a check. */
export interface Verdict {
  readonly steps: readonly Step[]
  /** Undefined if every check passed. */
  readonly fault: Fault | undefined
  readonly verified: VerifiedResponse | undefined
  /** The failed response, if it is that of the keys. */
  readonly response?: HttpResponse | undefined
}

/** The steps of a check that ended at the keys. */
export function failedBefore(error: VerificationError, response: HttpResponse): Verdict {
  const { code, message } = error
  return { ...verdictOf({ code, step: 'keys', message }, response, {}), response: error.response }
}

function verdictOf(
  fault: Fault | undefined,
  { status }: HttpResponse,
  found: { readonly [Name in VerificationStep]?: string },
  verified?: VerifiedResponse,
): Verdict {
  const names = stepsOfStatus(status)
  const end = fault === undefined ? names.length : names.indexOf(fault.step)
  const steps = names.map((step, index): Step => {
    const outcome = index < end ? 'ok' : index === end ? 'failed' : 'unchecked'
    const text =
      outcome === 'unchecked'
        ? 'not checked'
        : outcome === 'failed'
          ? (found[step] ?? fault?.message ?? '')
          : (found[step] ?? '')
    const expected = step === 'etag' && status === 304 ? QUESTION_304 : QUESTIONS[step]
    return { step, outcome, expected, found: sanitizeForTerminal(text, 300) }
  })
  return { steps, fault, verified }
}

function listIds(keys: Expectations['keys'], pins: readonly string[] | undefined): string {
  const ids = keys.map(
    ({ keyId }) => `${keyId}${pins?.includes(keyId) === true ? ' (pinned)' : ''}`,
  )
  return `${pluralOf(keys.length, 'key')}: ${ids.join(', ')}`
}

function freshnessOf(
  response: HttpResponse,
  { nowMs, maxAgeSeconds = SIGNATURE_MAX_AGE_SECONDS }: Expectations,
): string {
  const signedAt = signedAtOf(response) ?? 'no time'
  const signedAtMs = parseInstant(signedAt)
  if (signedAtMs === undefined) return `signed at ${signedAt}, which is not an ISO 8601 time in UTC`
  const seconds = (nowMs - signedAtMs) / 1000
  const age = seconds < 0 ? `${ageOf(-seconds)} in the future` : `${ageOf(seconds)} old`
  const renewed = readHeaders(response.headers)(HEADERS.revalidated)?.split('; ')[0]
  const proof =
    response.status === 304 || renewed === undefined
      ? ''
      : `; renewed by a 304 at ${renewed} (used if the signature is too old)`
  return `signed at ${signedAt}, ${age} at ${formatInstant(nowMs)}; at most ${maxAgeSeconds} s${proof}`
}

/** Observed values of each step, without trusting the response. */
async function observe(
  response: HttpResponse & Expectations,
  verified: VerifiedResponse | undefined,
): Promise<{ readonly [Name in VerificationStep]?: string }> {
  const fields = readHeaders(response.headers)
  const names =
    response.status === 304
      ? [HEADERS.revalidated]
      : [HEADERS.contentDigest, HEADERS.signedAt, HEADERS.signature]
  const missing = names.filter((name) => fields(name) === undefined)
  const stated = sha256Of(fields(HEADERS.contentDigest) ?? '')
  const ofBody = await sha256Base64(response.body)
  const etag = fields(HEADERS.etag)
  const requestId = fields(HEADERS.requestId)
  return {
    keys: listIds(response.keys, response.pinnedKeyIds),
    proof: missing.length === 0 ? names.join(', ') : `no ${missing.join(', no ')}`,
    digest:
      stated === ofBody
        ? `${ofBody} over ${pluralOf(response.body.length, 'byte')}`
        : `stated ${stated ?? 'no sha-256'}, the body of ${pluralOf(response.body.length, 'byte')} has ${ofBody}`,
    signature:
      verified === undefined
        ? `no known key signed ${response.method} ${response.target} ${response.status} with this time and digest`
        : `covers ${response.method} ${response.target}, status ${response.status}, this time and this digest`,
    ...(verified === undefined ? {} : { key: verified.keyId }),
    freshness: freshnessOf(response, response),
    body: verified === undefined ? 'not valid UTF-8 JSON' : 'valid UTF-8 JSON',
    ...(verified === undefined
      ? {}
      : {
          etag:
            etag === undefined
              ? `no ETag header; computed from the data: ${verified.etag ?? 'none'}`
              : (verified.etag ?? 'none'),
          requestId: requestId ?? 'no X-Request-Id header',
        }),
  }
}

/** Verifies a response with the published verifier, and describes what each step expected and found. */
export async function verifyInSteps(response: HttpResponse & Expectations): Promise<Verdict> {
  try {
    const verified = await verifyResponse(response)
    return verdictOf(undefined, response, await observe(response, verified), verified)
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    const { code, message } = error
    const isAbsent =
      response.pinnedKeyIds !== undefined &&
      !response.keys.some(({ keyId }) => response.pinnedKeyIds?.includes(keyId))
    const step = code === 'UNKNOWN_KEY' && isAbsent ? 'keys' : stepOfFault(code, response)
    const { signature = '', body = '', ...observed } = await observe(response, undefined)
    // These two steps describe their failure in the message.
    const failed = step === 'signature' ? { signature } : step === 'body' ? { body } : {}
    return verdictOf({ code, step, message }, response, { ...observed, ...failed })
  }
}
