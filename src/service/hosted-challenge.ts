import { createHash } from 'node:crypto'
import { ApiError } from '../contract/api-error.ts'
import { parseJson } from '../contract/parse-json.ts'
import type { Counters } from '../storage/counters.ts'
import { readBoundedText } from './bounded-text.ts'
import {
  type AcceptedChallenge,
  type Challenge,
  type ChallengePurpose,
  ChallengeUnavailableError,
} from './challenge.ts'
import type { Clock } from './clock.ts'

/** A hosted challenge as it is configured. */
export interface HostedSettings {
  readonly provider: 'turnstile' | 'hcaptcha'
  readonly siteKey: string
  readonly secret: string
  /** The provider's siteverify address. */
  readonly verifyUrl: string
}

/** What a hosted challenge is made from. */
export interface HostedOptions extends HostedSettings {
  readonly counters: Counters
  readonly clock: Clock
  /** Milliseconds the provider has for its whole answer. */
  readonly deadlineMs?: number
}

/** Turnstile's tokens are good for 5 minutes, those of hCaptcha for 2; both providers take each once. */
const TOKEN_LIFE_MS = 10 * 60_000
const MAX_ANSWER_BYTES = 16_384
/** Printable ASCII without spaces. Turnstile promises at most 2048 characters; hCaptcha names no limit. */
const POSSIBLE_TOKEN = /^[!-~]{1,4096}$/

/** What the providers say when not the token is wrong but the configuration of this service, or the provider itself. */
const FAULTS_OF_OURS: ReadonlySet<string> = new Set([
  'missing-input-secret',
  'invalid-input-secret',
  'sitekey-secret-mismatch',
  'invalid-sitekey',
  'not-using-dummy-passcode',
  'not-using-dummy-secret',
  'bad-request',
  'internal-error',
])

interface Verdict {
  readonly isSuccess: boolean
  readonly errorCodes: readonly string[]
  /** What the page told Turnstile that the token is for; undefined where it told nothing. */
  readonly action: string | undefined
}

function parseVerdict(text: string): Verdict | undefined {
  const answer = parseJson(text)
  if (typeof answer !== 'object' || answer === null) return undefined
  const { success, action, ...rest } = answer as { readonly [name: string]: unknown }
  const errorCodes = rest['error-codes']
  if (typeof success !== 'boolean') return undefined
  return {
    isSuccess: success,
    errorCodes: Array.isArray(errorCodes)
      ? errorCodes.filter((code) => typeof code === 'string')
      : [],
    action: typeof action === 'string' && action !== '' ? action : undefined,
  }
}

/** Why a request came to nothing, in words that hold nothing of it. */
function reasonOf(error: unknown, deadlineMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `did not answer within ${deadlineMs} ms`
  }
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return `could not be reached${typeof code === 'string' ? ` (${code})` : ''}`
}

/**
 * A challenge that Turnstile or hCaptcha sets in the page and checks at its siteverify address. It is told the token and
 * this service's keys, and nothing of the visitor.
 */
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

  async function askProvider(token: string): Promise<Verdict> {
    const form = new URLSearchParams({ secret, response: token })
    if (provider === 'hcaptcha') form.set('sitekey', siteKey)
    let status: number
    let text: string | undefined
    try {
      const response = await fetch(verifyUrl, {
        method: 'POST',
        body: form,
        // A redirect is an answer like any other that is not expected: the secret goes nowhere else.
        redirect: 'manual',
        signal: AbortSignal.timeout(deadlineMs),
      })
      status = response.status
      text = await readBoundedText(response, MAX_ANSWER_BYTES)
    } catch (error) {
      throw unavailable(reasonOf(error, deadlineMs))
    }
    if (status !== 200) throw unavailable(`answered with status ${status}`)
    const verdict = text === undefined ? undefined : parseVerdict(text)
    if (verdict === undefined) throw unavailable('answered with something that is no verdict')
    return verdict
  }

  async function verify(token: string, purpose: ChallengePurpose): Promise<AcceptedChallenge> {
    // Not asked about: a provider may call such a request malformed, and that would pass for a fault of this service.
    if (!POSSIBLE_TOKEN.test(token)) throw new ApiError('CHALLENGE_FAILED')
    const { isSuccess, errorCodes, action } = await askProvider(token)
    if (!isSuccess) {
      const fault = errorCodes.find((code) => FAULTS_OF_OURS.has(code))
      if (fault !== undefined) {
        throw unavailable(`does not accept how this service asks it (${fault})`)
      }
      throw new ApiError('CHALLENGE_FAILED')
    }
    // The provider accepts a token once. It is remembered here too, for two requests that ask it at the same time.
    const digest = createHash('sha256').update(token).digest('base64url')
    let isFirst: boolean
    try {
      isFirst = await counters.spend(`challenge:${digest}`, clock.nowMs() + TOKEN_LIFE_MS)
    } catch (error) {
      throw new ChallengeUnavailableError('The counters are unavailable', { cause: error })
    }
    const isForAnother = action !== undefined && action !== purpose
    if (!isFirst || isForAnother) throw new ApiError('CHALLENGE_FAILED')
    // Nothing to give back: the provider would refuse the token the second time. The page asks its widget for another
    // one, which mostly takes the visitor no step.
    return { release: async () => {} }
  }

  return { description: { provider, path: null, siteKey }, issue: undefined, verify }
}
