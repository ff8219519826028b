import { createHash } from 'node:crypto'
import { ApiError } from '@public-api/contract/errors/api-error'
import { readBoundedBody } from '@public-api/contract/http/read-bounded-body'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import type { Counters } from '../../storage/counters/counters.ts'
import type { Clock } from '../clock.ts'
import {
  type AcceptedChallenge,
  type Challenge,
  type ChallengePurpose,
  ChallengeUnavailableError,
} from './challenge.ts'

export interface HostedSettings {
  readonly provider: 'turnstile' | 'hcaptcha'
  readonly siteKey: string
  readonly secret: string
  readonly verifyUrl: string
}

export interface HostedOptions extends HostedSettings {
  readonly counters: Counters
  readonly clock: Clock
  /** Milliseconds for the provider's whole response. Default: 5000. */
  readonly deadlineMs?: number
}

/** Tokens of Turnstile are valid for 5 minutes, those of hCaptcha for 2; both providers accept each once. */
const TOKEN_LIFE_MS = 10 * 60_000
const MAX_RESPONSE_BYTES = 16_384
/** Printable ASCII without spaces. Turnstile guarantees at most 2048 characters; hCaptcha documents no limit. */
const POSSIBLE_TOKEN = /^[!-~]{1,4096}$/

/** Error codes for a wrong configuration of this service or a failure of the provider, not for a wrong token. */
const SERVICE_ERROR_CODES = [
  'missing-input-secret',
  'invalid-input-secret',
  'sitekey-secret-mismatch',
  'invalid-sitekey',
  'not-using-dummy-passcode',
  'not-using-dummy-secret',
  'bad-request',
  'internal-error',
]

/** Undefined for a body that is not UTF-8, JSON, or a verdict. */
function parseVerdict(body: Uint8Array) {
  const result = parseJson(body)
  const isSuccess = propertyOf(result, 'success')
  const errorCodes = propertyOf(result, 'error-codes')
  if (typeof isSuccess !== 'boolean') return undefined
  return {
    isSuccess,
    errorCodes: Array.isArray(errorCodes) ? (errorCodes as readonly unknown[]) : [],
    /** The purpose that the page passed to Turnstile; missing or empty without one. */
    action: propertyOf(result, 'action'),
  }
}

/** Why a request failed, without any of its content. */
function failureReason(error: unknown, deadlineMs: number): string {
  const { name, cause } = error as Error
  if (name === 'TimeoutError') return `did not respond within ${deadlineMs} ms`
  const code = propertyOf(cause, 'code')
  return `could not be reached${typeof code === 'string' ? ` (${code})` : ''}`
}

/** A challenge of Turnstile or hCaptcha, verified at its siteverify URL. The provider gets nothing about the visitor. */
export function createHostedChallenge({
  provider,
  siteKey,
  secret,
  verifyUrl,
  counters,
  clock,
  deadlineMs = 5000,
}: HostedOptions): Challenge {
  function unavailable(reason: string): ChallengeUnavailableError {
    return new ChallengeUnavailableError(`The verification service of ${provider} ${reason}`)
  }

  async function askProvider(token: string) {
    const form = new URLSearchParams({ secret, response: token })
    if (provider === 'hcaptcha') form.set('sitekey', siteKey)
    let status: number
    let body: Uint8Array | undefined
    try {
      const response = await fetch(verifyUrl, {
        method: 'POST',
        body: form,
        // A redirect is an unexpected response: the secret is sent nowhere else.
        redirect: 'manual',
        signal: AbortSignal.timeout(deadlineMs),
      })
      status = response.status
      body = await readBoundedBody(response, MAX_RESPONSE_BYTES)
    } catch (error) {
      throw unavailable(failureReason(error, deadlineMs))
    }
    if (status !== 200) throw unavailable(`responded with status ${status}`)
    const verdict = body && parseVerdict(body)
    if (verdict === undefined) throw unavailable('sent an invalid response')
    return verdict
  }

  async function verify(token: string, purpose: ChallengePurpose): Promise<AcceptedChallenge> {
    // Not sent, because the provider might report a malformed request, which would count as an error of this service.
    if (!POSSIBLE_TOKEN.test(token)) throw new ApiError('CHALLENGE_FAILED')
    const { isSuccess, errorCodes, action } = await askProvider(token)
    if (!isSuccess) {
      const fault = SERVICE_ERROR_CODES.find((code) => errorCodes.includes(code))
      if (fault !== undefined) {
        throw unavailable(`rejects the configuration of this service (${fault})`)
      }
      throw new ApiError('CHALLENGE_FAILED')
    }
    // The provider accepts a token once. It is also spent here, for concurrent requests.
    const digest = createHash('sha256').update(token).digest('base64url')
    const isFirst = await counters.spend(`challenge:${digest}`, clock.nowMs() + TOKEN_LIFE_MS)
    const isForAnother = typeof action === 'string' && action !== '' && action !== purpose
    if (!isFirst || isForAnother) throw new ApiError('CHALLENGE_FAILED')
    // Has no effect, because the provider would refuse the token. The page gets a new token from its widget.
    return { release: async () => {} }
  }

  return { description: { provider, path: null, siteKey }, issue: undefined, verify }
}
