import { formatRevalidationText, formatSignedText } from '#contract/http/signature'
import { propertyOf } from '#contract/json/property-of'
import { CLIENT_HEADERS } from '#contract/terms/client-headers'
import { SIGNATURE_MAX_AGE_SECONDS } from '#contract/terms/limits'
import { parseInstant } from '#contract/text/instant'
import { sha256Base64 } from '#crypto'
import { readHeaders, sha256Of, type HeaderFields, type HeaderSource } from './header-fields.ts'
import type { HttpResponse } from './http-response.ts'
import { readBody } from './read-body.ts'
import { startSteps, type StepRun } from './step-run.ts'
import { VerificationError } from './verification-error.ts'
import type { VerificationKey } from './verification-key.ts'
import type { StepReport, VerificationStep } from './verification-step.ts'

/** How far a signature may be ahead of the verifier's clock, in seconds. */
export const MAX_CLOCK_SKEW_SECONDS = 60

/** Keys and settings of a verification. */
export interface Expectations {
  /** Keys from `importKey` or `verifyKeyDocument`. */
  readonly keys: readonly VerificationKey[]
  /** Ids of trusted keys, learned from a source other than this server. Undefined: every key in `keys` is trusted. */
  readonly pinnedKeyIds?: readonly string[] | undefined
  /** Maximum age of a signature. Default: 900. */
  readonly maxAgeSeconds?: number
  /** The verifier's clock: milliseconds since 1970. */
  readonly nowMs: number
  /**
   * Header fields of a later 304 to the same request, with which a cache renewed the response. Not needed if the
   * cache merged them into the response's own fields.
   */
  readonly revalidated?: HeaderSource
}

/** The result of a verification. */
export interface VerifiedResponse {
  /** HTTP status. */
  readonly status: number
  /** The whole body as JSON; undefined for a 304. */
  readonly content: unknown
  /** `data` of an enveloped success, or the whole document if it has no envelope; undefined otherwise. */
  readonly data: unknown
  /** The entity tag of `data`, computed from it; for a 304, the one that it proves. */
  readonly etag: string | undefined
  /** RFC 7638 ID of the key that signed. */
  readonly keyId: string
  /** When the response, or the 304 that renewed it, was signed: milliseconds since 1970. */
  readonly provedAtMs: number
  /** What does not match in header fields that are not signed: `ETAG: …` and `REQUEST_ID: …`. */
  readonly warnings: readonly string[]
}

/**
 * The target that fetch sends for a URL: path and query without the fragment. Clients differ about a question mark without
 * a query, which this keeps as Node's fetch does; pass `target` yourself if that matters.
 *
 * @example
 * ```ts
 * targetOf('https://api.example.org/api/v1/status?a=1#top') // '/api/v1/status?a=1'
 * ```
 */
export function targetOf(url: string | URL): string {
  const { href, pathname, search, hash } = new URL(url)
  // An empty fragment has no hash, so that Node's fetch does not see the question mark of `?#`.
  return search === '' && href.at(-1 - hash.length) === '?' ? `${pathname}?` : pathname + search
}

/**
 * Checks that a trusted key signed a response for this method, target and status, that the signature is fresh, and that
 * the parts of the response match each other. Fetches nothing. Throws a VerificationError whose `code` names the first step
 * that failed.
 *
 * @example
 * ```ts
 * const url = 'https://api.example.org/api/v1/status'
 * const response = await fetch(url)
 * const { data } = await verifyResponse({
 *   method: 'GET',
 *   target: targetOf(url),
 *   status: response.status,
 *   headers: response.headers,
 *   body: new Uint8Array(await response.arrayBuffer()),
 *   keys,
 *   nowMs: Date.now(),
 * })
 * ```
 */
export async function verifyResponse(
  response: HttpResponse & Expectations,
): Promise<VerifiedResponse> {
  const { verified } = await verifyInSteps({ ...response, keys: () => response.keys })
  return verified
}

/** A response that passed every step. */
export interface Verification {
  /** The verified response. */
  readonly verified: VerifiedResponse
  /** What each step compared. */
  readonly steps: readonly StepReport[]
}

/** Settings of a verification that loads its keys in the first step. */
export interface StepExpectations extends Omit<Expectations, 'keys'> {
  /** Loads the keys. */
  readonly keys: () => Promise<readonly VerificationKey[]> | readonly VerificationKey[]
}

/**
 * The verifier: takes the steps in order and reports what each compared. Throws the VerificationError of the first step
 * that failed, whose `steps` are the report. A VerificationError of `keys` fails the first step; other errors of it are
 * thrown unchanged.
 */
export async function verifyInSteps(
  response: HttpResponse & StepExpectations,
): Promise<Verification> {
  const run = startSteps(response.status)
  try {
    const verified = await verify(response, run)
    return { verified, steps: run.end() }
  } catch (error) {
    if (error instanceof VerificationError) error.response ??= response
    throw error
  }
}

async function loadKeys(
  load: StepExpectations['keys'],
  run: StepRun,
): Promise<readonly VerificationKey[]> {
  try {
    return await load()
  } catch (error) {
    if (error instanceof VerificationError) {
      // The step shows where the key document failed.
      const cause = error.steps?.find(({ outcome }) => outcome === 'failed')
      error.steps = run.reportOf('keys', cause?.expected ?? [], cause?.found ?? [])
    }
    throw error
  }
}

/** The headers that prove a response. */
export const PROOF_HEADERS = [
  CLIENT_HEADERS.contentDigest,
  CLIENT_HEADERS.signedAt,
  CLIENT_HEADERS.signature,
]
/** The one that proves a 304. */
const PROOF_HEADERS_OF_304 = [CLIENT_HEADERS.revalidated]

const NO_SIGNER = 'not valid for any key'

/** A valid signature. */
interface Proof {
  readonly keyId: string
  readonly signedAtMs: number
}

/** The steps, in order. */
async function verify(
  response: HttpResponse & StepExpectations,
  run: StepRun,
): Promise<VerifiedResponse> {
  const evidence = await readEvidence(response, run)
  return (response.status === 304 ? verifyNotModified : verifyBody)(run, evidence)
}

/** What the steps of one response share. */
interface Evidence {
  readonly response: HttpResponse & StepExpectations
  readonly fields: HeaderFields
  readonly keys: readonly VerificationKey[]
  readonly ids: readonly string[]
  readonly trusted: readonly string[]
  readonly maxAgeSeconds: number
  /** As the report of the steps has it. */
  readonly maxAge: readonly string[]
}

/** The keys and the headers that prove the response: requires a trusted key and all of these headers. */
async function readEvidence(
  response: HttpResponse & StepExpectations,
  run: StepRun,
): Promise<Evidence> {
  const { pinnedKeyIds, maxAgeSeconds = SIGNATURE_MAX_AGE_SECONDS } = response
  const fields = readHeaders(response.headers)
  const keys = await loadKeys(response.keys, run)
  const ids = keys.map(({ keyId }) => keyId)
  // Spread, because a text in place of the list would match every part of it.
  const trusted = [...(pinnedKeyIds ?? ids)]
  const isAnyTrusted = ids.some((keyId) => trusted.includes(keyId))
  run.check('keys', isAnyTrusted, 'UNKNOWN_KEY', pinnedKeyIds ?? [], ids)
  const names = response.status === 304 ? PROOF_HEADERS_OF_304 : PROOF_HEADERS
  const present = names.filter((name) => fields(name) !== undefined)
  run.check('proof', present.length === names.length, 'UNSIGNED', names, present)
  return { response, fields, keys, ids, trusted, maxAgeSeconds, maxAge: [`${maxAgeSeconds}`] }
}

async function signerOf(
  { keys }: Evidence,
  text: string,
  signature: string,
): Promise<VerificationKey | undefined> {
  for (const key of keys) if (await key.isSignatureOf(text, signature)) return key
  return undefined
}

/** Requires that a key is trusted, and that the time is not in the future and within the period of the key. */
function requireProof(
  run: StepRun,
  { response, trusted, maxAge }: Evidence,
  { keyId, wasInUse }: VerificationKey,
  signedAt: string,
  step: VerificationStep,
): Proof {
  const found = `signed at ${signedAt}`
  const isTrusted = trusted.includes(keyId)
  run.require(step, isTrusted, 'UNKNOWN_KEY', trusted, [keyId], `signed by ${keyId}`)
  const signedAtMs = parseInstant(signedAt)
  run.require('freshness', signedAtMs !== undefined, 'MALFORMED', maxAge, [signedAt], found)
  const isFuture = signedAtMs > response.nowMs + MAX_CLOCK_SKEW_SECONDS * 1000
  const ahead = `${found}, more than ${MAX_CLOCK_SKEW_SECONDS} s ahead of this clock`
  run.require('freshness', !isFuture, 'FUTURE', maxAge, [signedAt], ahead)
  run.require(step, wasInUse(signedAtMs), 'KEY_PERIOD', [keyId], [signedAt], `${keyId} ${found}`)
  return { keyId, signedAtMs }
}

function isFresh({ response, maxAgeSeconds }: Evidence, { signedAtMs }: Proof): boolean {
  return response.nowMs - signedAtMs <= maxAgeSeconds * 1000
}

/** X-SVC-Revalidated, the entity tag that it proves (an expected one, or that of the header), and the signing key. */
async function readRenewal(evidence: Evidence, later: HeaderFields, expected: readonly string[]) {
  const { method, target } = evidence.response
  const value = later(CLIENT_HEADERS.revalidated) ?? ''
  const gap = value.indexOf('; ')
  const [renewedAt, signature] = [value.slice(0, gap), value.slice(gap + 2)]
  const stated = later(CLIENT_HEADERS.etag) ?? ''
  let signer: VerificationKey | undefined
  let etag = stated
  // A proxy may have changed the header.
  for (etag of expected.includes(stated) ? [stated] : [...expected, stated]) {
    const text = formatRevalidationText({ method, target, signedAt: renewedAt, etag })
    signer = await signerOf(evidence, text, signature)
    if (signer !== undefined) break
  }
  return { renewedAt, etag, by: [signer?.keyId ?? signature], signer }
}

/** The steps of a 304, which proves that an entity tag of the request is the one of the newest content. */
async function verifyNotModified(run: StepRun, evidence: Evidence): Promise<VerifiedResponse> {
  const { response, fields, ids, trusted, maxAge } = evidence
  const { status, ifNoneMatch = '' } = response
  const statedTag = fields(CLIENT_HEADERS.etag)
  const listed = listedIn(ifNoneMatch, statedTag)
  const { renewedAt, etag, by, signer } = await readRenewal(evidence, fields, listed)
  run.check('signature', signer !== undefined, 'REVALIDATION', ids, by, NO_SIGNER)
  const proof = requireProof(run, evidence, signer, renewedAt, 'key')
  run.pass('key', trusted, by)
  const renewed = `renewed at ${renewedAt}`
  run.check('freshness', isFresh(evidence, proof), 'STALE', maxAge, [renewedAt], renewed)
  const unlisted = `${etag} is not in If-None-Match`
  run.check('etag', listed.includes(etag), 'ETAG', [ifNoneMatch], [etag], unlisted)
  const { keyId, signedAtMs: provedAtMs } = proof
  const warnings = differences('ETAG', etag, statedTag)
  return { status, content: undefined, data: undefined, etag, keyId, provedAtMs, warnings }
}

/** The steps of a response with a body. */
async function verifyBody(run: StepRun, evidence: Evidence): Promise<VerifiedResponse> {
  const { response, fields, ids, trusted } = evidence
  const { method, target, status, body } = response
  const values = PROOF_HEADERS.map((name) => fields(name))
  const [contentDigest = '', signedAt = '', signature = ''] = values
  const text = formatSignedText({ method, target, status, signedAt, contentDigest })
  // Starts the work of other threads together and waits once.
  const [digest, signer] = await Promise.all([
    sha256Base64(body),
    signerOf(evidence, text, signature),
  ])
  const stated = sha256Of(contentDigest)
  run.check('digest', stated === digest, 'DIGEST', listOf(stated), [digest])
  const by = [signer?.keyId ?? signature]
  run.check('signature', signer !== undefined, 'SIGNATURE', ids, by, NO_SIGNER)
  // Parsed now: JSON can take a hundred times the memory of its text, which anyone could send.
  const statedTag = fields(CLIENT_HEADERS.etag)
  const read = await readBody(body, { target, digest, stated: statedTag })
  const etag = read?.etag
  const signed = requireProof(run, evidence, signer, signedAt, 'key')
  run.pass('key', trusted, by)
  const [proof, renewedTag] = await requireFresh(run, evidence, signed, signedAt, etag)
  run.check('body', read !== undefined, 'MALFORMED', [], [], 'the body is not JSON')
  const { content, data } = read
  // A 304 of other data would link the body to another version.
  run.require('etag', renewedTag === etag, 'ETAG', listOf(etag), listOf(renewedTag))
  run.pass('etag', listOf(etag), listOf(statedTag))
  const requestId = fields(CLIENT_HEADERS.requestId)
  const own = propertyOf(content, 'requestId')
  const ownId = typeof own === 'string' ? own : undefined
  run.pass('requestId', listOf(ownId), listOf(requestId))
  const warnings = [
    ...differences('ETAG', etag, statedTag),
    // A response without an envelope has no id to compare.
    ...(own === undefined ? [] : differences('REQUEST_ID', ownId, requestId)),
  ]
  const { keyId } = signer
  return { status, content, data, etag, keyId, provedAtMs: proof.signedAtMs, warnings }
}

/** The step of freshness, and the entity tag of the 304 that a signature too old needs; else of the body. */
async function requireFresh(
  run: StepRun,
  evidence: Evidence,
  signed: Proof,
  signedAt: string,
  etag: string | undefined,
): Promise<readonly [proof: Proof, etag: string | undefined]> {
  const { response, fields, ids, maxAge } = evidence
  if (isFresh(evidence, signed)) {
    run.pass('freshness', maxAge, [signedAt])
    return [signed, etag]
  }
  const later = response.revalidated === undefined ? fields : readHeaders(response.revalidated)
  const isRenewed = later(CLIENT_HEADERS.revalidated) !== undefined
  const old = `signed at ${signedAt}, more than ${maxAge[0]} s before this clock`
  run.require('freshness', isRenewed, 'STALE', maxAge, [signedAt], old)
  const {
    renewedAt,
    by,
    signer,
    etag: renewedTag,
  } = await readRenewal(evidence, later, listOf(etag))
  run.require('freshness', signer !== undefined, 'REVALIDATION', ids, by, NO_SIGNER)
  const proof = requireProof(run, evidence, signer, renewedAt, 'freshness')
  const times = [signedAt, renewedAt]
  run.check(
    'freshness',
    isFresh(evidence, proof),
    'STALE',
    maxAge,
    times,
    `renewed at ${renewedAt}`,
  )
  return [proof, renewedTag]
}

/** A warning, if a header field that is not signed differs from the verified value. A CDN may remove the field. */
function differences(
  code: 'ETAG' | 'REQUEST_ID',
  expected: string | undefined,
  found: string | undefined,
): readonly string[] {
  const isSame = found === undefined || found === expected
  return isSame ? [] : [`${code}: expected ${expected ?? 'none'}, found ${found}`]
}

function listOf(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value]
}

const ENTITY_TAG = /"[^"]*"/g

/** The entity tags that a request accepts, in the form of the service (weak comparison, RFC 9110 13.1.2). */
function listedIn(ifNoneMatch: string, stated = ''): readonly string[] {
  const tags = ifNoneMatch.match(ENTITY_TAG) ?? []
  return ifNoneMatch === '*' ? [stated] : tags.map((tag) => `W/${tag}`)
}
