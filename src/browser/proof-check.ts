import { sha256Base64 } from '@public-api/client-source/web-crypto'
import { readHeaders, sha256Of } from '@public-api/client-source/header-fields'
import { verifyKeyDocument } from '@public-api/client-source/signing-keys'
import {
  VerificationError,
  type VerificationFault,
} from '@public-api/client-source/verification-error'
import type { VerificationKey } from '@public-api/client-source/verification-key'
import {
  stepOfFault,
  stepsOfStatus,
  type VerificationStep,
} from '@public-api/client-source/verification-step'
import {
  verifyResponse,
  type HttpResponse,
  type VerifiedResponse,
} from '@public-api/client-source/verify-response'
import { CLIENT_HEADERS } from '@public-api/contract/http/client-headers'
import { formatInstant, parseInstant } from '@public-api/contract/text/instant'
import { SIGNATURE_MAX_AGE_SECONDS } from '@public-api/contract/registry/limits'
import { propertyOf } from '@public-api/contract/json/property-of'
import { formatSignedText } from '@public-api/contract/http/signature'
import { formatAge, formatDuration, pageElement } from './page-element.ts'
import type { PageTexts, RichText } from './page-texts.ts'
import type { StepReport } from './step-list.ts'

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
  /** The response of the signing-key endpoint. */
  readonly keyDocument: HttpResponse
  /** Id of the expected key; undefined accepts any key of the document. */
  readonly expectedKeyId: string | undefined
  /** The visitor's clock: milliseconds since 1970. */
  readonly nowMs: number
}

/** The result of a verification, with texts of the page. */
export interface ProofVerdict {
  readonly isGood: boolean
  readonly reports: readonly (StepReport & { readonly name: VerificationStep })[]
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

/** For each code the expected and the found value: the name of an observed value, or a dotted text key. */
const COMPARED: { readonly [Code in VerificationFault]: readonly [string, string] } = {
  KEY_MALFORMED: ['compared.usableKey', 'compared.unusableKey'],
  UNKNOWN_KEY: ['pinned', 'keyId'],
  UNSIGNED: ['names', 'present'],
  DIGEST: ['stated', 'computed'],
  SIGNATURE: ['compared.signatureBy', 'signature'],
  KEY_PERIOD: ['compared.keyInUse', 'signedAt'],
  MALFORMED: ['compared.goodForm', 'compared.otherForm'],
  FUTURE: ['compared.validUntil', 'signedAt'],
  STALE: ['compared.signedBefore', 'compared.signedThen'],
  REVALIDATION: ['compared.signatureBy', 'revalidated'],
  ETAG: ['dataEtag', 'etag'],
  REQUEST_ID: ['bodyRequestId', 'requestId'],
}

/** Shown for missing values. */
const NONE = '–'

const PROOF_HEADERS = [
  CLIENT_HEADERS.contentDigest,
  CLIENT_HEADERS.signedAt,
  CLIENT_HEADERS.signature,
]

/** Values of an untrusted response, by their names in the texts. A text node is shown as prose, other values as code. */
type Observed = { readonly [place: string]: string | Text }

const prose = (text: string): Text => document.createTextNode(text)

async function observe(
  { response, expectedKeyId, nowMs }: ProofInput,
  keys: readonly VerificationKey[],
  texts: PageTexts,
): Promise<Observed> {
  const { method, target, status, headers, body } = response
  const fields = readHeaders(headers)
  const field = (name: string): string => fields(name) ?? NONE
  const contentDigest = field(CLIENT_HEADERS.contentDigest)
  const [signedAt, signature] = [field(CLIENT_HEADERS.signedAt), field(CLIENT_HEADERS.signature)]
  const ageSeconds = (nowMs - (parseInstant(signedAt) ?? Number.NaN)) / 1000
  const isJustNow = Math.abs(ageSeconds) < 1
  let keyId = NONE
  for (const key of keys) {
    if (await key.isSignatureOf(signedLinesOf(response), signature)) ({ keyId } = key)
  }
  return {
    method,
    target,
    status: String(status),
    names: PROOF_HEADERS.join(', '),
    present: PROOF_HEADERS.filter((name) => fields(name) !== undefined).join(', ') || NONE,
    goodStatus: 'HTTP 200',
    gotStatus: `HTTP ${status}`,
    stated: sha256Of(contentDigest) ?? contentDigest,
    computed: await sha256Base64(body),
    signature,
    signedAt,
    age: prose(
      Number.isNaN(ageSeconds) ? NONE : isJustNow ? texts.text('justNow') : formatAge(ageSeconds),
    ),
    limit: prose(formatDuration(SIGNATURE_MAX_AGE_SECONDS / 60, 'minute')),
    now: formatInstant(nowMs),
    revalidated: field(CLIENT_HEADERS.revalidated),
    etag: field(CLIENT_HEADERS.etag),
    requestId: field(CLIENT_HEADERS.requestId),
    contentType: field('Content-Type'),
    ids: keys.map((key) => key.keyId).join(', ') || NONE,
    pinned: expectedKeyId ?? NONE,
    keyId,
  }
}

/** The tag and the id that the headers of a refused response must state: its check without the two headers. */
async function contentOf(
  { response, nowMs }: ProofInput,
  keys: readonly VerificationKey[],
): Promise<Partial<VerifiedResponse>> {
  const fields = readHeaders(response.headers)
  const headers = PROOF_HEADERS.map((name) => [name, fields(name) ?? ''] as const)
  return verifyResponse({ ...response, headers, keys, nowMs }).catch(() => ({}))
}

/** Where a verification failed: the compared values as in `COMPARED`, and the key of a text with the meaning. */
interface Failure {
  readonly step: VerificationStep
  readonly code: VerificationFault
  readonly compared: readonly [expected: string, found: string]
  readonly meaning: string
}

/** Verifies a response with the published verifier and reports, step by step, what was expected and found. */
export async function checkProof(input: ProofInput, texts: PageTexts): Promise<ProofVerdict> {
  const { response, keyDocument, expectedKeyId, nowMs } = input
  const pins = expectedKeyId === undefined ? {} : { pinnedKeyIds: [expectedKeyId] }
  const steps = stepsOfStatus(response.status)

  function verdictOf(observed: Observed, failure?: Failure): ProofVerdict {
    const shown = (what: string): RichText =>
      what.includes('.')
        ? texts.richText(what, observed)
        : [pageElement('code', [observed[what] ?? NONE])]
    const end = failure === undefined ? steps.length : steps.indexOf(failure.step)
    const reports = steps.map((name, index) => {
      if (index > end) return { name, state: 'skipped' } as const
      if (index === end && failure !== undefined) {
        const [expected, found] = failure.compared
        const detail = { expected: shown(expected), found: shown(found) }
        return { name, state: 'failed', detail } as const
      }
      const isEmpty =
        (name === 'etag' && observed['dataEtag'] === NONE) ||
        (name === 'requestId' && observed['bodyRequestId'] === NONE)
      const key = `steps.${name}.${isEmpty ? 'none' : 'passed'}`
      return { name, state: 'passed', detail: texts.richText(key, observed) } as const
    })
    if (failure === undefined) {
      const count = prose(String(steps.length))
      const verdict = texts.richText('allPassed', { ...observed, count })
      return { isGood: true, reports, verdict }
    }
    const { code, meaning } = failure
    const verdict = texts.richText('failed', { code, meaning: prose(texts.text(meaning)) })
    return { isGood: false, reports, verdict }
  }

  let keys: readonly VerificationKey[] = []
  try {
    // Verified without pins first, to show the published keys if the expected key is missing.
    ;({ keys } = await verifyKeyDocument({ ...keyDocument, nowMs }))
    await verifyKeyDocument({ ...keyDocument, ...pins, nowMs })
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    const { code } = error
    const observed = await observe({ ...input, response: keyDocument }, keys, texts)
    const isDocument = keyDocument.status === 200
    // Here UNKNOWN_KEY means that the document does not list the key.
    const compared = code === 'UNKNOWN_KEY' ? (['pinned', 'ids'] as const) : COMPARED[code]
    return verdictOf(observed, {
      step: 'keys',
      code,
      compared: isDocument ? compared : ['goodStatus', 'gotStatus'],
      meaning: isDocument ? `faults.${code}` : 'noDocument',
    })
  }

  let content: Partial<VerifiedResponse>
  let failure: Failure | undefined
  try {
    content = await verifyResponse({ ...response, keys, ...pins, nowMs })
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    const { code } = error
    content = await contentOf(input, keys)
    const step = stepOfFault(code, response)
    failure = { step, code, compared: COMPARED[code], meaning: `faults.${code}` }
  }
  const bodyRequestId = propertyOf(content.content, 'requestId')
  const observed = {
    ...(await observe(input, keys, texts)),
    dataEtag: content.etag ?? NONE,
    bodyRequestId: typeof bodyRequestId === 'string' ? bodyRequestId : NONE,
  }
  return verdictOf(observed, failure)
}
