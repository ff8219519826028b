import type { ErrorBody } from '#contract/http/envelope'
import { propertyOf } from '#contract/json/property-of'
import { CLIENT_HEADERS } from '#contract/terms/client-headers'
import { SIGNATURE_MAX_AGE_SECONDS } from '#contract/terms/limits'
import { platformFetch } from '#fetch'
import { ApiResponseError } from './api-response-error.ts'
import { checkOptions, type ClientOptions } from './client-options.ts'
import { createConnection, type Connection } from './connection.ts'
import type { Copies } from './copies/copies.ts'
import type { CopySettings } from './copies/copy-settings.ts'
import { freshTarget } from './fresh-target.ts'
import { readHeaders } from './header-fields.ts'
import type { HttpResponse } from './http-response.ts'
import { isLost, isOutage } from './outage.ts'
import { rateLimitOf } from './rate-limit.ts'
import { createReads, type DataOfTarget } from './reads.ts'
import type { Reads } from './resources.ts'
import { createResponseCache } from './response-cache.ts'
import { orAborted, waitByTimer, withRetries, type RetryReason } from './retries.ts'
import { createTrustedKeys } from './trusted-keys.ts'
import { VerificationError } from './verification-error.ts'
import type { VerificationKey } from './verification-key.ts'
import type { ReadOptions, Verified } from './verified.ts'
import { MAX_CLOCK_SKEW_SECONDS, type VerifiedResponse } from './verify-response.ts'

/** Reads a service and verifies every response. */
export interface Client extends Reads {
  /** Origin of the service, as `baseUrl` named it. */
  readonly origin: string
  /** Reads any target and verifies the response. `data` is typed if the target is a literal path of the API. */
  get<const Target extends string>(
    target: Target,
    options?: ReadOptions,
  ): Promise<Verified<DataOfTarget<Target>>>
  /** The response to a GET, unverified. Connection failures are retried. */
  getUnverified(target: string, options?: Pick<ReadOptions, 'signal'>): Promise<HttpResponse>
  /** Reads resources of any version, whose digest is proved, from the mirrors; undefined without copies. */
  readonly copies: Pick<Copies, 'readArchived'> | undefined
  /**
   * Sends one request without the API key of the client and verifies the response. Never retries. The functions of
   * `@public-api/client/write` are made with it. Default of `method`: GET.
   */
  request(
    target: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
    method?: string,
    body?: string,
  ): Promise<Verified<unknown>>
  /** Verifies a response that was fetched without this client, with the service's keys. */
  verify(response: HttpResponse): Promise<VerifiedResponse>
  /** The service's keys, from its signing-key document. */
  keys(): Promise<readonly VerificationKey[]>
  /** Why a read that failed may be repeated; undefined if that does not help. A date is relative to the client's clock. */
  retryReason(error: unknown): RetryReason | undefined
}

/** The retry after an unsigned 429 or 5xx, which comes from a gateway or a service that does not sign. */
function unsignedReason({ status, headers }: HttpResponse, nowMs: number): RetryReason | undefined {
  if (status !== 429 && status < 500) return undefined
  const after = readHeaders(headers)(CLIENT_HEADERS.retryAfter) ?? ''
  // RFC 9110 10.2.3: seconds, or a date.
  const seconds = /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - nowMs) / 1000
  return { afterSeconds: seconds >= 0 ? seconds : undefined }
}

/** Why a request may be repeated; undefined if that would not help. */
function retryReasonOf(error: unknown, nowMs: number): RetryReason | undefined {
  // Repeating a request does not help against a response that is too large or a redirect.
  if (isLost(error)) return { afterSeconds: undefined }
  if (error instanceof ApiResponseError && error.retryable) {
    return { afterSeconds: error.retryAfterSeconds }
  }
  if (error instanceof VerificationError && error.code === 'UNSIGNED' && error.response) {
    return unsignedReason(error.response, nowMs)
  }
  return undefined
}

/** The verified data of a response. Throws the service's signed refusal. */
function resultOf(
  response: HttpResponse,
  { content, data, etag, keyId, provedAtMs, warnings }: VerifiedResponse,
): Verified<unknown> {
  const error = propertyOf(content, 'error')
  const stated = propertyOf(content, 'requestId')
  const requestId = typeof stated === 'string' ? stated : undefined
  const rateLimit = rateLimitOf(response.headers)
  if (['code', 'message'].every((name) => typeof propertyOf(error, name) === 'string')) {
    throw new ApiResponseError(error as ErrorBody, response, { requestId, rateLimit })
  }
  if (data === undefined || etag === undefined) {
    const failure = new VerificationError('MALFORMED', `no data; status ${response.status}`)
    failure.response = response
    throw failure
  }
  const about = { source: 'origin', ageSeconds: 0, warnings } as const
  return { data, etag, keyId, provedAtMs, requestId, rateLimit, response, ...about }
}

/**
 * Creates a client. It sends nothing before the first call. Throws a TypeError for wrong options. `mirrors` and `store` need
 * `open`, which the pages of the service do not load.
 */
export function createClient(
  options: ClientOptions,
  open?: (settings: CopySettings) => Copies,
): Client {
  checkOptions(options)
  const {
    baseUrl,
    pinnedKeyIds,
    maxAgeSeconds = SIGNATURE_MAX_AGE_SECONDS,
    apiKey,
    maxRetries = 2,
    maxWaitSeconds = 30,
    fetch: fetchOne = platformFetch,
    now = Date.now,
    wait = waitByTimer,
    onRetry,
    mirrors = [],
    maxMirrorAgeSeconds = Infinity,
    store: copyStore,
    ...limits
  } = options
  const connection = createConnection(baseUrl, fetchOne, limits)
  const credentials =
    apiKey === undefined ? {} : { [CLIENT_HEADERS.authorization]: `Bearer ${apiKey}` }
  const retries = { maxRetries, maxWaitSeconds, wait, onRetry }
  const keys = createTrustedKeys(
    pinnedKeyIds,
    () => ({ nowMs: now(), maxAgeSeconds }),
    // Sent without the API key, so that a refusal of the key can be verified.
    (target) => fetchResponse(target, {}),
  )
  const hasCopies = mirrors.length > 0 || copyStore !== undefined
  const copies = hasCopies
    ? open?.({
        origin: connection.origin,
        mirrors,
        maxAgeSeconds: maxMirrorAgeSeconds,
        store: copyStore,
        fetch: fetchOne,
        limits,
        now,
        trusted: keys.trusted,
      })
    : undefined

  const retryReason = (error: unknown) => retryReasonOf(error, now())

  function fetchResponse(
    target: string,
    headers: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<HttpResponse> {
    return withRetries(() => connection.send(target, headers, signal), retryReason, retries, signal)
  }

  function aged(result: Verified<unknown>, more: readonly string[] = []): Verified<unknown> {
    const ageSeconds = Math.floor(Math.max(0, now() - result.provedAtMs) / 1000)
    return { ...result, ageSeconds, warnings: [...result.warnings, ...more] }
  }

  const verified = async (response: HttpResponse): Promise<Verified<unknown>> =>
    resultOf(response, await keys.verify(response))

  async function request(...sent: Parameters<Connection['send']>): Promise<Verified<unknown>> {
    return aged(await verified(await connection.send(...sent)))
  }

  const cached = createResponseCache({
    send: (target, headers, signal) =>
      connection.send(target, { ...credentials, ...headers }, signal),
    resultOf: verified,
    verify: keys.verify,
    isFresh(provedAtMs) {
      const ageSeconds = (now() - provedAtMs) / 1000
      // A clock that was set back must not make it fresh for longer.
      return -MAX_CLOCK_SKEW_SECONDS <= ageSeconds && ageSeconds <= maxAgeSeconds
    },
  })

  /** What the service itself says now in place of an old response of a cache; undefined if that is not the case. */
  async function refetch(
    target: string,
    error: unknown,
    signal: AbortSignal | undefined,
  ): Promise<Verified<unknown> | undefined> {
    if (!(error instanceof VerificationError) || error.code !== 'STALE') return undefined
    try {
      const refetched = await orAborted(request(freshTarget(target), credentials, signal), signal)
      return aged(refetched, [`REFETCHED: a cache on the way kept ${target} for too long`])
    } catch (later) {
      if (!isOutage(later)) throw later
      // While the service is away, the error of the first response says more.
      return undefined
    }
  }

  async function get(
    target: string,
    { signal, fresh = false, copies: mayCopy = true }: ReadOptions = {},
  ) {
    const asked = fresh ? freshTarget(target) : target
    try {
      const [result, proof] = await withRetries(
        () => orAborted(cached.read(asked, signal), signal),
        retryReason,
        retries,
        signal,
      )
      if (fresh) return aged(result)
      cached.store(target, result)
      const proofs = new Set([result.response, keys.document(), proof])
      const saved = proof && copies?.save(target, result, proofs)
      return aged(result, await saved)
    } catch (error) {
      const refetched = fresh ? undefined : await refetch(target, error, signal)
      if (refetched !== undefined) return refetched
      if (fresh || !mayCopy || copies === undefined || !isOutage(error)) throw error
      return copies.read(target, error, signal)
    }
  }

  return {
    ...createReads(get),
    origin: connection.origin,
    get: get as Client['get'],
    getUnverified: (target, { signal } = {}) => fetchResponse(target, credentials, signal),
    copies,
    request,
    verify: keys.verify,
    keys: keys.current,
    retryReason,
  }
}
