import { sha256Base64 } from '../../packages/client/src/web-crypto.ts'
import { readHeaders, sha256Of } from '../../packages/client/src/header-fields.ts'
import { verifyKeyDocument } from '../../packages/client/src/signing-keys.ts'
import {
  VerificationError,
  type VerificationFault,
} from '../../packages/client/src/verification-error.ts'
import type { VerificationKey } from '../../packages/client/src/verification-key.ts'
import {
  signedAtOf,
  stepOfFault,
  stepsOfStatus,
  type VerificationStep,
} from '../../packages/client/src/verification-step.ts'
import {
  verifyResponse,
  type HttpResponse,
  type VerifiedResponse,
} from '../../packages/client/src/verify-response.ts'
import { CLIENT_HEADERS } from '../contract/client-headers.ts'
import { formatInstant, parseInstant } from '../contract/instant.ts'
import { SIGNATURE_MAX_AGE_SECONDS } from '../contract/limits.ts'
import { propertyOf } from '../contract/property-of.ts'
import { formatRevalidationText, formatSignedText } from '../contract/signature.ts'
import { formatAge, formatDuration } from './age.ts'
import { pageElement } from './page-element.ts'
import type { PageTexts, RichText } from './page-texts.ts'
import type { StepReport } from './step-list.ts'

/** Whether this browser can verify signatures on this page, or the reason why it cannot. */
export type CryptoSupport = 'ready' | 'insecure' | 'unsupported'

/** Checks WebCrypto, which exists only in secure contexts; Ed25519 exists only in newer browsers. */
export async function cryptoSupport(): Promise<CryptoSupport> {
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

/** One step with its result. */
export type ProofReport = StepReport & { readonly name: VerificationStep }

/** The result of a verification, with texts of the page. */
export interface ProofVerdict {
  readonly isGood: boolean
  readonly reports: readonly ProofReport[]
  /** The summary as a sentence. */
  readonly verdict: RichText
}

/** The signed lines of a response, whether or not the signature matches them. */
export function signedLinesOf({ method, target, status, headers }: HttpResponse): string {
  const fields = readHeaders(headers)
  const signedAt = signedAtOf({ status, headers }) ?? ''
  return status === 304
    ? formatRevalidationText({ method, target, signedAt, etag: fields(CLIENT_HEADERS.etag) ?? '' })
    : formatSignedText({
        method,
        target,
        status,
        signedAt,
        contentDigest: fields(CLIENT_HEADERS.contentDigest) ?? '',
      })
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

/** The compared values of the step `keys`, where UNKNOWN_KEY means that the document does not list the key. */
function comparedKeys(code: VerificationFault): readonly [string, string] {
  return code === 'UNKNOWN_KEY' ? ['pinned', 'ids'] : COMPARED[code]
}

/** Observed values of an untrusted response, by their names in the texts. */
type Observed = { readonly [place: string]: string | number }

/** Shown for missing values. */
const NONE = '–'

/** The request id of an envelope. */
function requestIdOf(content: unknown): string {
  const id = propertyOf(content, 'requestId')
  return typeof id === 'string' ? id : NONE
}

async function signerOf(
  { response }: ProofInput,
  keys: readonly VerificationKey[],
): Promise<string> {
  const fields = readHeaders(response.headers)
  const signature =
    response.status === 304
      ? fields(CLIENT_HEADERS.revalidated)?.split('; ')[1]
      : fields(CLIENT_HEADERS.signature)
  const text = signedLinesOf(response)
  for (const key of keys) {
    if (await key.isSignatureOf(text, signature ?? '')) return key.keyId
  }
  return NONE
}

async function observe(input: ProofInput, keys: readonly VerificationKey[]): Promise<Observed> {
  const { response, expectedKeyId, nowMs } = input
  const { method, target, status, headers, body } = response
  const fields = readHeaders(headers)
  const names =
    status === 304
      ? [CLIENT_HEADERS.revalidated]
      : [CLIENT_HEADERS.contentDigest, CLIENT_HEADERS.signedAt, CLIENT_HEADERS.signature]
  const contentDigest = fields(CLIENT_HEADERS.contentDigest)
  const signedAt = signedAtOf(response) ?? NONE
  const signedAtMs = parseInstant(signedAt)
  return {
    method,
    target,
    status,
    names: names.join(', '),
    present: names.filter((name) => fields(name) !== undefined).join(', ') || NONE,
    goodStatus: 'HTTP 200',
    gotStatus: `HTTP ${status}`,
    stated: sha256Of(contentDigest ?? '') ?? contentDigest ?? NONE,
    computed: await sha256Base64(body),
    signature: fields(CLIENT_HEADERS.signature) ?? NONE,
    signedAt,
    now: formatInstant(nowMs),
    revalidated: fields(CLIENT_HEADERS.revalidated) ?? NONE,
    etag: fields(CLIENT_HEADERS.etag) ?? NONE,
    requestId: fields(CLIENT_HEADERS.requestId) ?? NONE,
    contentType: fields('Content-Type') ?? NONE,
    ids: keys.map(({ keyId }) => keyId).join(', ') || NONE,
    pinned: expectedKeyId ?? NONE,
    keyId: await signerOf(input, keys),
    ...(signedAtMs === undefined ? {} : { ageSeconds: (nowMs - signedAtMs) / 1000 }),
  }
}

/** Values that are known only after the other checks passed: the tag of the data and the id in the body. */
async function observeContent(
  { response, nowMs }: ProofInput,
  keys: readonly VerificationKey[],
  code: VerificationFault,
): Promise<Observed> {
  if (code !== 'ETAG' && code !== 'REQUEST_ID') return {}
  // An unsolicited 304 has no data to compare its tag with.
  if (response.status === 304) return { dataEtag: NONE }
  const content: unknown = JSON.parse(new TextDecoder().decode(response.body))
  const bodyRequestId = requestIdOf(content)
  const fields = readHeaders(response.headers)
  const kept = [CLIENT_HEADERS.contentDigest, CLIENT_HEADERS.signedAt, CLIENT_HEADERS.signature]
  const headers = kept.map((name) => [name, fields(name) ?? ''] as const)
  // The check runs again without the two compared headers and returns the expected values.
  const { etag } = await verifyResponse({ ...response, headers, keys, nowMs })
  return { bodyRequestId, dataEtag: etag ?? NONE }
}

/** Verifies a response with the published verifier and reports, step by step, what was expected and found. */
export async function checkProof(input: ProofInput, texts: PageTexts): Promise<ProofVerdict> {
  const { response, keyDocument, expectedKeyId, nowMs } = input
  const pins = expectedKeyId === undefined ? {} : { pinnedKeyIds: [expectedKeyId] }
  const steps = stepsOfStatus(response.status)

  /** A relative time; less than a second is "just now". */
  const ageText = (seconds: number): string =>
    Math.abs(seconds) < 1 ? texts.text('justNow') : formatAge(seconds)

  /** Adds the age and the limit in the page's language. */
  function placesOf(observed: Observed): { readonly [place: string]: string | number | Node } {
    const { ageSeconds } = observed
    const words = (text: string): Text => document.createTextNode(text)
    return {
      ...observed,
      age: words(typeof ageSeconds === 'number' ? ageText(ageSeconds) : NONE),
      limit: words(formatDuration(SIGNATURE_MAX_AGE_SECONDS)),
    }
  }

  function passed(step: VerificationStep, observed: Observed): ProofReport {
    const isEmpty =
      (step === 'etag' && observed['dataEtag'] === NONE) ||
      (step === 'requestId' && observed['bodyRequestId'] === NONE)
    const key = `steps.${step}.${isEmpty ? 'none' : 'passed'}`
    return { name: step, state: 'passed', detail: texts.richText(key, placesOf(observed)) }
  }

  function refused(
    failed: VerificationStep,
    code: string,
    [expected, found]: readonly [string, string],
    meaning: string,
    observed: Observed,
  ): ProofVerdict {
    const end = steps.indexOf(failed)
    const values = placesOf(observed)
    const shown = (what: string): RichText =>
      what.includes('.')
        ? texts.richText(what, values)
        : [pageElement('code', String(observed[what]))]
    const reports = steps.map((name, index): ProofReport => {
      if (index < end) return passed(name, observed)
      if (index > end) return { name, state: 'skipped' }
      return { name, state: 'failed', detail: { expected: shown(expected), found: shown(found) } }
    })
    const reason = document.createTextNode(texts.text(meaning))
    return { isGood: false, reports, verdict: texts.richText('failed', { code, meaning: reason }) }
  }

  function accepted({ etag, content }: VerifiedResponse, observed: Observed): ProofVerdict {
    const all = {
      ...observed,
      dataEtag: etag ?? NONE,
      bodyRequestId: requestIdOf(content),
    }
    return {
      isGood: true,
      reports: steps.map((step) => passed(step, all)),
      verdict: texts.richText('allPassed', {
        ...placesOf(all),
        count: document.createTextNode(String(steps.length)),
      }),
    }
  }

  let keys: readonly VerificationKey[] = []
  try {
    // Verified without pins first, to show the published keys if the expected key is missing.
    ;({ keys } = await verifyKeyDocument({ ...keyDocument, nowMs }))
    await verifyKeyDocument({ ...keyDocument, ...pins, nowMs })
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    const { code } = error
    const observed = await observe({ ...input, response: keyDocument }, keys)
    return keyDocument.status === 200
      ? refused('keys', code, comparedKeys(code), `faults.${code}`, observed)
      : refused('keys', code, ['goodStatus', 'gotStatus'], 'noDocument', observed)
  }
  const observed = await observe(input, keys)
  try {
    return accepted(await verifyResponse({ ...response, keys, ...pins, nowMs }), observed)
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    const { code } = error
    const content = await observeContent(input, keys, code)
    const step = stepOfFault(code, response)
    return refused(step, code, COMPARED[code], `faults.${code}`, { ...observed, ...content })
  }
}
