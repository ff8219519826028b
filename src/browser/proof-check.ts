import { readHeaders } from '@public-api/client-internal/header-fields'
import type { HttpResponse } from '@public-api/client-internal/http-response'
import { isOutage } from '@public-api/client-internal/outage'
import { verifyKeyDocument } from '@public-api/client-internal/signing-keys'
import { withNewerKeys } from '@public-api/client-internal/trusted-keys'
import {
  VerificationError,
  type VerificationFault,
} from '@public-api/client-internal/verification-error'
import type {
  StepReport as Checked,
  StepValues,
  VerificationStep,
} from '@public-api/client-internal/verification-step'
import { MAX_CLOCK_SKEW_SECONDS, verifyInSteps } from '@public-api/client-internal/verify-response'
import { formatSignedText } from '@public-api/contract/http/signature'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { CLIENT_HEADERS } from '@public-api/contract/terms/client-headers'
import { SIGNATURE_MAX_AGE_SECONDS } from '@public-api/contract/terms/limits'
import { formatInstant, parseInstant } from '@public-api/contract/text/instant'
import { formatAge, formatDuration, pageElement } from './page-element.ts'
import type { PageTexts, RichText } from './page-texts.ts'
import type { ShownStep } from './step-list.ts'

/**
 * Whether this browser can verify signatures on this page, or the reason why it cannot: WebCrypto exists only in secure
 * contexts, and Ed25519 only in newer browsers.
 */
export async function cryptoSupport(): Promise<'ready' | 'insecure' | 'unsupported'> {
  if (!isSecureContext) return 'insecure'
  try {
    // The base point of the curve, as an example of a valid point.
    const point = new Uint8Array(32).fill(0x66)
    point[0] = 0x58
    await crypto.subtle.importKey('raw', point, 'Ed25519', false, ['verify'])
    return 'ready'
  } catch {
    return 'unsupported'
  }
}

/** Input of a verification. */
export interface ProofInput {
  readonly response: HttpResponse
  /** Requests the signing-key document at a target. */
  readonly readDocument: (target: string) => Promise<HttpResponse>
  /** Id of the expected key; undefined accepts any key of the document. */
  readonly expectedKeyId: string | undefined
  /** The visitor's clock: milliseconds since 1970. */
  readonly nowMs: number
}

/** The result of a verification, with texts of the page. */
export interface ProofVerdict {
  /** `unavailable`: the service could not be asked, which says nothing about a response of it. */
  readonly outcome: 'valid' | 'invalid' | 'unavailable'
  /** The ETag of the verified data, computed from it; undefined without a verified one. */
  readonly etag: string | undefined
  readonly reports: readonly (ShownStep & { readonly name: VerificationStep })[]
  /** The summary as a sentence. */
  readonly verdict: RichText
}

/**
 * The signed lines of a response, whether or not the signature matches them. Pages send no If-None-Match, so the verifier
 * refuses every 304.
 */
export function signedLinesOf({ method, target, status, headers }: HttpResponse): string {
  const fields = readHeaders(headers)
  const signedAt = fields(CLIENT_HEADERS.signedAt) ?? ''
  const contentDigest = fields(CLIENT_HEADERS.contentDigest) ?? ''
  return formatSignedText({ method, target, status, signedAt, contentDigest })
}

/** Texts for the expected and the found values of a failed step, by code. The values themselves are shown without one. */
const COMPARED: {
  readonly [Code in VerificationFault]?: { readonly expected: string; readonly found?: string }
} = {
  KEY_MALFORMED: { expected: 'usableKey', found: 'unusableKey' },
  SIGNATURE: { expected: 'signatureBy' },
  KEY_PERIOD: { expected: 'keyInUse' },
  MALFORMED: { expected: 'goodForm', found: 'otherForm' },
  FUTURE: { expected: 'validUntil' },
  STALE: { expected: 'signedBefore', found: 'signedThen' },
  REVALIDATION: { expected: 'signatureBy' },
}

/** Shown for missing values. */
const NONE = '–'

const prose = (text: string): Text => document.createTextNode(text)

const listOf = (values: StepValues): string => values.join(', ') || NONE

const codeOf = (value: string): RichText => [pageElement('code', value)]

/** How long ago a response was signed, in words: "just now" also while the clock is behind, as far as a check passes. */
function ageOf(signedAt: string, nowMs: number, texts: PageTexts): string {
  const signedAtMs = parseInstant(signedAt)
  if (signedAtMs === undefined) return NONE
  const seconds = (nowMs - signedAtMs) / 1000
  const isNow = seconds < 1 && seconds >= -MAX_CLOCK_SKEW_SECONDS
  return isNow ? texts.text('justNow') : formatAge(seconds)
}

/** Verifies a response with the published verifier, and shows what each step compared. */
export async function checkProof(input: ProofInput, texts: PageTexts): Promise<ProofVerdict> {
  const { response, readDocument, expectedKeyId, nowMs } = input
  const trust = {
    ...(expectedKeyId === undefined ? {} : { pinnedKeyIds: [expectedKeyId] }),
    nowMs,
  }
  async function verifyByDocument(documentTarget: string) {
    const keyDocument = await readDocument(documentTarget)
    const keys = async () => (await verifyKeyDocument({ ...keyDocument, ...trust })).keys
    return verifyInSteps({ ...response, ...trust, keys })
  }
  let steps: readonly Checked[]
  let failure: VerificationError | undefined
  try {
    ;({ steps } = await withNewerKeys(
      () => verifyByDocument(READ_PATHS.signingKey),
      verifyByDocument,
    ))
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    failure = error
    failure.response ??= response
    steps = error.steps ?? []
  }

  // If the first step failed, the response of the key document.
  const { method, target, status, headers } = failure?.response ?? response
  const fields = readHeaders(headers)
  const signedAt = fields(CLIENT_HEADERS.signedAt) ?? NONE
  const common = {
    method,
    target,
    status: String(status),
    signedAt,
    age: prose(ageOf(signedAt, nowMs, texts)),
    limit: prose(formatDuration(SIGNATURE_MAX_AGE_SECONDS / 60, 'minute')),
    now: formatInstant(nowMs),
    contentType: fields('Content-Type') ?? NONE,
  }
  const isDocument = steps[0]?.outcome !== 'failed' || status === 200

  function passedDetail({ step, expected, found }: Checked): RichText {
    const isEmpty = expected.length === 0 && (step === 'etag' || step === 'requestId')
    return texts.richText(`steps.${step}.${isEmpty ? 'none' : 'passed'}`, {
      ...common,
      expected: listOf(expected),
      found: listOf(found),
    })
  }

  function failedDetail({ expected, found }: Checked, { code }: VerificationError) {
    if (!isDocument) return { expected: codeOf('HTTP 200'), found: codeOf(`HTTP ${status}`) }
    const values = { ...common, expected: listOf(expected), found: listOf(found) }
    const compared = COMPARED[code]
    const shown = (part: 'expected' | 'found'): RichText => {
      const key = compared?.[part]
      return key === undefined ? codeOf(values[part]) : texts.richText(`compared.${key}`, values)
    }
    return { expected: shown('expected'), found: shown('found') }
  }

  const reports = steps.map((report) => {
    const { step: name, outcome } = report
    if (outcome === 'ok') return { name, state: 'passed', detail: passedDetail(report) } as const
    return outcome === 'failed' && failure !== undefined
      ? ({ name, state: 'failed', detail: failedDetail(report, failure) } as const)
      : ({ name, state: 'skipped' } as const)
  })
  if (failure === undefined) {
    const count = prose(String(steps.length))
    const verdict = texts.richText('allPassed', { ...common, count })
    const etag = steps.find(({ step }) => step === 'etag')?.expected[0]
    return { outcome: 'valid', etag, reports, verdict }
  }
  const { code } = failure
  const meaning = prose(texts.text(isDocument ? `faults.${code}` : 'noDocument'))
  if (isOutage(failure)) {
    const verdict = texts.richText('unavailable', common)
    return { outcome: 'unavailable', etag: undefined, reports, verdict }
  }
  const verdict = texts.richText('failed', { code, meaning })
  return { outcome: 'invalid', etag: undefined, reports, verdict }
}
