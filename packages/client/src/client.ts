import type { ErrorBody } from '../../../src/contract/envelope.ts'
import { CLIENT_HEADERS } from '../../../src/contract/client-headers.ts'
import { SIGNATURE_MAX_AGE_SECONDS } from '../../../src/contract/limits.ts'
import { propertyOf } from '../../../src/contract/property-of.ts'
import { ApiResponseError } from './api-response-error.ts'
import {
  ConnectionError,
  createConnection,
  type ConnectionLimits,
  type Fetch,
} from './connection.ts'
import { freshTarget } from './fresh-target.ts'
import { readHeaders } from './header-fields.ts'
import { createReads, type ReadOptions, type Reads, type Verified } from './reads.ts'
import { orAborted, waitByTimer, withRetries, type RetryReason, type Wait } from './retries.ts'
import { createTrustedKeys } from './trusted-keys.ts'
import { VerificationError } from './verification-error.ts'
import type { VerificationKey } from './verification-key.ts'
import type { Answer, VerifiedResponse } from './verify-response.ts'

/** Reads a service and checks everything it says. */
export interface Client extends Reads {
  /** Origin of the service, as `baseUrl` named it. */
  readonly origin: string
  /** Any target, verified like the others; `data` is what the target's endpoint says it is. */
  get(target: string, options?: ReadOptions): Promise<Verified<unknown>>
  /** The answer to a GET as it came: nothing of it is checked. Connection failures are retried. */
  getUnverified(target: string, options?: Pick<ReadOptions, 'signal'>): Promise<Answer>
  /** Checks an answer that was fetched in another way, with the service's keys. */
  verify(answer: Answer): Promise<VerifiedResponse>
  /** The service's keys, as its signing-key document has them. */
  keys(): Promise<readonly VerificationKey[]>
}

/** What a client is made with. */
export interface ClientSettings extends ConnectionLimits {
  /** Origin of the service, such as `https://api.example.org`. */
  readonly baseUrl: string | URL
  /**
   * Ids of the keys to trust, learned from somewhere else than the service. Left out: the keys it names first, so that
   * a copy of the service with keys of its own looks right.
   */
  readonly pinnedKeyIds?: readonly string[]
  /** How old a signature may be, in seconds; 900 unless given. */
  readonly maxAgeSeconds?: number
  /** Sent as a bearer token. */
  readonly apiKey?: string
  /** Attempts after the first one; 2 unless given. */
  readonly maxRetries?: number
  /** An answer that asks for a longer wait is not retried, in seconds; 30 unless given. */
  readonly maxWaitSeconds?: number
  readonly fetch?: Fetch
  /** The clock: milliseconds since 1970. */
  readonly now?: () => number
  /** Waits before a retry. */
  readonly wait?: Wait
}

/** Most answers kept for revalidation: every endpoint once, and some versions. */
const MAX_STORED = 64

/** A failure that says nothing of the service: a gateway before it, or signing that is switched off. */
function unsignedReason({ status, headers }: Answer, nowMs: number): RetryReason | undefined {
  if (status !== 429 && status < 500) return undefined
  const after = readHeaders(headers)(CLIENT_HEADERS.retryAfter) ?? ''
  // RFC 9110 10.2.3: seconds, or a date.
  const seconds = /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - nowMs) / 1000
  return { afterSeconds: seconds >= 0 ? seconds : undefined }
}

/** Verified data of an answer, or what the service refused with. */
function resultOf(
  answer: Answer,
  { content, data, etag, keyId, provedAtMs }: VerifiedResponse,
): Verified<unknown> {
  const error = propertyOf(content, 'error')
  if (['code', 'message'].every((name) => typeof propertyOf(error, name) === 'string')) {
    throw new ApiResponseError(error as ErrorBody, answer)
  }
  if (data === undefined || etag === undefined) {
    throw new VerificationError('MALFORMED', `expected data, found status ${answer.status}`)
  }
  return { data, etag, keyId, provedAtMs, answer }
}

/** Makes a client. It sends nothing before it is asked something. */
export function createClient({
  baseUrl,
  pinnedKeyIds,
  maxAgeSeconds = SIGNATURE_MAX_AGE_SECONDS,
  apiKey,
  maxRetries = 2,
  maxWaitSeconds = 30,
  // Called later and by its own name: a browser's fetch must not be called as a method of another object.
  fetch: fetchOne = (url, init) => fetch(url, init),
  now = Date.now,
  wait = waitByTimer,
  ...limits
}: ClientSettings): Client {
  const connection = createConnection(baseUrl, fetchOne, limits)
  const credentials =
    apiKey === undefined ? {} : { [CLIENT_HEADERS.authorization]: `Bearer ${apiKey}` }
  const retries = { maxRetries, maxWaitSeconds, wait }
  const stored = new Map<string, Verified<unknown>>()
  const keys = createTrustedKeys({
    pinnedKeyIds,
    expectations: () => ({ nowMs: now(), maxAgeSeconds }),
    // Without the API key: where that is refused, the refusal can be verified.
    fetchDocument: (target) => fetchAnswer(target, {}),
  })

  function reasonOf(error: unknown): RetryReason | undefined {
    // Too large an answer will be so again.
    if (error instanceof ConnectionError && !(error.cause instanceof RangeError)) {
      return { afterSeconds: undefined }
    }
    if (error instanceof ApiResponseError && error.retryable) {
      return { afterSeconds: error.retryAfterSeconds }
    }
    if (error instanceof VerificationError && error.code === 'UNSIGNED' && error.response) {
      return unsignedReason(error.response, now())
    }
    return undefined
  }

  function fetchAnswer(
    target: string,
    headers: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<Answer> {
    return withRetries(() => connection.get(target, headers, signal), reasonOf, retries, signal)
  }

  function keep(target: string, result: Verified<unknown>): Verified<unknown> {
    stored.delete(target)
    stored.set(target, result)
    const [oldest = target] = stored.keys()
    if (stored.size > MAX_STORED) stored.delete(oldest)
    return result
  }

  /** What was stored, if the 304 proves it, or if it needs no proof yet; else undefined. */
  async function renewed(
    before: Verified<unknown>,
    notModified: Answer,
  ): Promise<Verified<unknown> | undefined> {
    try {
      const { provedAtMs } = await keys.verify(notModified)
      return { ...before, provedAtMs }
    } catch (error) {
      // A cache may answer 304 by itself, without a proof.
      if (!(error instanceof VerificationError)) throw error
    }
    return now() - before.provedAtMs <= maxAgeSeconds * 1000 ? before : undefined
  }

  async function attempt(target: string, signal: AbortSignal | undefined) {
    const before = stored.get(target)
    if (before !== undefined) {
      const conditional = { ...credentials, [CLIENT_HEADERS.ifNoneMatch]: before.etag }
      const answer = await connection.get(target, conditional, signal)
      if (answer.status !== 304) return resultOf(answer, await keys.verify(answer))
      const result = await renewed(before, answer)
      if (result !== undefined) return result
    }
    const answer = await connection.get(target, credentials, signal)
    return resultOf(answer, await keys.verify(answer))
  }

  async function get(target: string, { signal, fresh = false }: ReadOptions = {}) {
    const asked = fresh ? freshTarget(target) : target
    const result = await withRetries(
      () => orAborted(attempt(asked, signal), signal),
      reasonOf,
      retries,
      signal,
    )
    return fresh ? result : keep(target, result)
  }

  return {
    ...createReads(get),
    origin: connection.origin,
    get,
    getUnverified: (target, { signal } = {}) => fetchAnswer(target, credentials, signal),
    verify: keys.verify,
    keys: keys.current,
  }
}
