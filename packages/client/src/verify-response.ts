import { sha256Base64, sha256Base64url } from '#crypto'
import { canonicalJsonOfParsed, type JsonValue } from '#contract/json/canonical-json'
import { CLIENT_HEADERS } from '#contract/http/client-headers'
import { parseInstant } from '#contract/text/instant'
import { SIGNATURE_MAX_AGE_SECONDS } from '#contract/registry/limits'
import { propertyOf } from '#contract/json/property-of'
import { READ_PATHS } from '#contract/registry/read-paths'
import { formatEtag, formatRevalidationText, formatSignedText } from '#contract/http/signature'
import { readHeaders, sha256Of, type HeaderFields, type HeaderSource } from './header-fields.ts'
import { VerificationError, type VerificationFault } from './verification-error.ts'
import type { VerificationKey } from './verification-key.ts'

/** How far a signature may be ahead of the verifier's clock, in seconds. */
const MAX_CLOCK_SKEW_SECONDS = 60

/** A response, with the method and target of its request. */
export interface HttpResponse {
  /** Method of the request. */
  readonly method: string
  /** Path and query exactly as sent: not decoded or reordered, and with a trailing question mark. */
  readonly target: string
  /** If-None-Match of the request. A 304 is accepted only if it lists the 304's entity tag. */
  readonly ifNoneMatch?: string
  /** HTTP status. */
  readonly status: number
  /** Header fields of the response. */
  readonly headers: HeaderSource
  /** The exact bytes of the body, after removing any content coding (gzip, br). Empty for a 304. */
  readonly body: Uint8Array
}

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
  /** RFC 7638 id of the key that signed. */
  readonly keyId: string
  /** When the response, or the 304 that renewed it, was signed: milliseconds since 1970. */
  readonly provedAtMs: number
}

/**
 * The target that a client sends for a URL: path and query without the fragment. Some clients, including Node's
 * fetch, drop a question mark without a query; pass `target` yourself if that matters.
 *
 * @example
 * ```ts
 * targetOf('https://api.example.org/api/v1/status?a=1#top') // '/api/v1/status?a=1'
 * ```
 */
export function targetOf(url: string | URL): string {
  const { href, origin } = new URL(url)
  const [target = ''] = href.slice(origin.length).split('#')
  return target
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
  try {
    return await checkResponse(response)
  } catch (error) {
    if (error instanceof VerificationError) error.response ??= response
    throw error
  }
}

async function checkResponse(response: HttpResponse & Expectations): Promise<VerifiedResponse> {
  const { method, target, status, body } = response
  const fields = readHeaders(response.headers)
  const check = createCheck(response)

  if (status === 304) {
    const revalidated = required(fields, CLIENT_HEADERS.revalidated)
    const { etag, keyId, signedAtMs } = await check.revalidation(fields, revalidated)
    requireRequested(etag, response.ifNoneMatch)
    return { status, content: undefined, data: undefined, etag, keyId, provedAtMs: signedAtMs }
  }
  const contentDigest = required(fields, CLIENT_HEADERS.contentDigest)
  const signedAt = required(fields, CLIENT_HEADERS.signedAt)
  const signature = required(fields, CLIENT_HEADERS.signature)

  // Starts the work of other threads together and waits once. The parsed body is not used before its signature is
  // verified.
  const text = formatSignedText({ method, target, status, signedAt, contentDigest })
  const hashed = sha256Base64(body)
  const sought = check.signerOf(text, signature)
  const read = readBody(body, target)
  const [digest, signer, etag] = await Promise.all([hashed, sought, read?.etag])

  requireDigest(contentDigest, digest)
  const signed = check.proofOf(signer, signedAt, 'SIGNATURE')

  let proof: Proof & { readonly etag: string | undefined }
  if (check.isFresh(signed.signedAtMs)) proof = { ...signed, etag: fields(CLIENT_HEADERS.etag) }
  else {
    const later = response.revalidated === undefined ? fields : readHeaders(response.revalidated)
    const revalidated = later(CLIENT_HEADERS.revalidated)
    if (revalidated === undefined) {
      throw new VerificationError('STALE', `signed at ${signedAt}, and no 304 renewed it`)
    }
    proof = await check.revalidation(later, revalidated)
  }

  if (read === undefined) throw new VerificationError('MALFORMED', 'the body is not JSON')
  const { content, data } = read
  // A CDN may remove an ETag. A different ETag would link the body to another version.
  if (etag !== (proof.etag ?? etag)) {
    throw new VerificationError('ETAG', `expected ${etag ?? 'none'}, found ${proof.etag}`)
  }
  requireRequestId(content, fields(CLIENT_HEADERS.requestId))
  return { status, content, data, etag, keyId: signed.keyId, provedAtMs: proof.signedAtMs }
}

function required(fields: HeaderFields, name: string): string {
  const value = fields(name)
  if (value === undefined) throw new VerificationError('UNSIGNED', `no ${name}`)
  return value
}

const ENTITY_TAG = /"[^"]*"/g

/** Throws unless the request listed the entity tag of a 304 (weak comparison, RFC 9110 13.1.2). */
function requireRequested(etag: string, ifNoneMatch = ''): void {
  const opaque = etag.replace(/^W\//, '')
  if (ifNoneMatch === '*' || ifNoneMatch.match(ENTITY_TAG)?.includes(opaque) === true) return
  throw new VerificationError('ETAG', `${etag} is not in If-None-Match`)
}

function requireDigest(contentDigest: string, found: string): void {
  const stated = sha256Of(contentDigest)
  if (stated === found) return
  throw new VerificationError('DIGEST', `stated ${stated ?? 'no sha-256'}, the body has ${found}`)
}

/** A valid signature. */
interface Proof {
  readonly keyId: string
  readonly signedAtMs: number
}

/** The checks of keys and time. Throws if no key is trusted. */
function createCheck({
  method,
  target,
  keys,
  pinnedKeyIds,
  nowMs,
  maxAgeSeconds = SIGNATURE_MAX_AGE_SECONDS,
}: HttpResponse & Expectations) {
  const isTrusted = ({ keyId }: VerificationKey): boolean =>
    pinnedKeyIds === undefined || pinnedKeyIds.includes(keyId)
  if (!keys.some(isTrusted)) {
    const ids = keys.map(({ keyId }) => keyId).join(', ')
    throw new VerificationError('UNKNOWN_KEY', `found ${ids}`)
  }

  async function signerOf(text: string, signature: string): Promise<VerificationKey | undefined> {
    for (const key of keys) if (await key.isSignatureOf(text, signature)) return key
    return undefined
  }

  function isFresh(signedAtMs: number): boolean {
    return nowMs - signedAtMs <= maxAgeSeconds * 1000
  }

  function proofOf(
    signer: VerificationKey | undefined,
    signedAt: string,
    fault: VerificationFault,
  ): Proof {
    if (signer === undefined) throw new VerificationError(fault, 'not valid for any key')
    const { keyId } = signer
    if (!isTrusted(signer)) throw new VerificationError('UNKNOWN_KEY', `signed by ${keyId}`)
    const signedAtMs = parseInstant(signedAt)
    if (signedAtMs === undefined) {
      throw new VerificationError('MALFORMED', `signed at ${signedAt}`)
    }
    if (signedAtMs > nowMs + MAX_CLOCK_SKEW_SECONDS * 1000) {
      throw new VerificationError('FUTURE', `signed at ${signedAt}`)
    }
    if (!signer.wasInUse(signedAtMs)) {
      throw new VerificationError('KEY_PERIOD', `${keyId} signed at ${signedAt}`)
    }
    return { keyId, signedAtMs }
  }

  /** Verifies the proof of a 304: its X-SVC-Revalidated and the fields it was received with. */
  async function revalidation(
    fields: HeaderFields,
    revalidated: string,
  ): Promise<Proof & { readonly etag: string }> {
    const gap = revalidated.indexOf('; ')
    const [signedAt, base64] = [revalidated.slice(0, gap), revalidated.slice(gap + 2)]
    const etag = fields(CLIENT_HEADERS.etag) ?? ''
    const text = formatRevalidationText({ method, target, signedAt, etag })
    const proof = proofOf(await signerOf(text, base64), signedAt, 'REVALIDATION')
    if (!isFresh(proof.signedAtMs)) {
      throw new VerificationError('STALE', `renewed at ${signedAt}`)
    }
    return { ...proof, etag }
  }

  return { isFresh, signerOf, proofOf, revalidation }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function dataOf(content: unknown, target: string): unknown {
  const [path] = target.split('?')
  return path === READ_PATHS.openapi && propertyOf(content, 'ok') === undefined
    ? content
    : propertyOf(content, 'data')
}

/** A parsed body, with the pending entity tag of its data. */
interface ReadBody {
  readonly content: unknown
  readonly data: unknown
  readonly etag: Promise<string> | undefined
}

/** The body as JSON; undefined if it is not JSON in UTF-8. */
export function parseBody(body: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(body))
  } catch {
    // The parser's message quotes the body.
    return undefined
  }
}

/** Undefined if the body is not JSON, or if its data has no canonical form (RFC 8785). */
function readBody(body: Uint8Array, target: string): ReadBody | undefined {
  const content = parseBody(body)
  if (content === undefined) return undefined
  try {
    const data = dataOf(content, target)
    const etag = data === undefined ? undefined : etagOf(canonicalJsonOfParsed(data as JsonValue))
    return { content, data, etag }
  } catch {
    return undefined
  }
}

async function etagOf(canonical: string): Promise<string> {
  return formatEtag(await sha256Base64url(canonical))
}

function requireRequestId(content: unknown, header: string | undefined): void {
  const stated = propertyOf(content, 'requestId')
  // A response without an envelope has no id to compare.
  if (header === undefined || stated === undefined || stated === header) return
  throw new VerificationError('REQUEST_ID', `found ${header}`)
}
