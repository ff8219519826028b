import { CommandFailure, createCommand, EXIT_CODES, UsageError } from '@public-api/cli-kit/command'
import { choiceOption, numberOption, onlyArgument } from '@public-api/cli-kit/option-values'
import { flag, textOption } from '@public-api/cli-kit/options'
import { parseBase } from '@public-api/cli/src/verifying/address.ts'
import { refusalOf } from '@public-api/cli/src/verifying/refusal.ts'
import { type Ask, createHttpClient } from '@public-api/cli/src/verifying/requests.ts'
import { sanitizeForTerminal } from '@public-api/cli/src/verifying/sanitize-for-terminal.ts'
import { isOutage } from '@public-api/client-internal/outage'
import type { Registration } from '@public-api/client-internal/resources'
import { ApiError } from '@public-api/contract/errors/api-error'
import { messageOf } from '@public-api/contract/errors/error-message'
import { ERRORS } from '@public-api/contract/errors/errors'
import { SCHEMA_IDS } from '@public-api/contract/http/envelope'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { HEADERS } from '@public-api/contract/terms/headers'
import { LOCALES } from '@public-api/contract/terms/locales'
import { formatInstant } from '@public-api/contract/text/instant'
import { parseRegistration } from '@public-api/contract/waitlist/registration'
import { CHALLENGE_PROVIDERS, INTERESTS } from '@public-api/contract/waitlist/registration-schema'
import {
  CHALLENGE_PURPOSES,
  type ChallengePurpose,
  TEST_TOKEN,
} from '../../service/challenge/challenge.ts'
import { readOneLine } from '../standard-input.ts'

/** The text of a JSON response with status 200. Rejects with a CommandFailure for every other one. */
async function fetchJsonText(ask: Ask, origin: string, target: string): Promise<string> {
  const url = `${origin}${target}`
  const { status, field, body, isDecoded } = await ask({
    method: 'GET',
    target,
    headers: { Accept: 'application/json' },
  })
  const failure = (code: string, text: string) => new CommandFailure(code, `${url} ${text}`)
  // Redirects are not followed: a token of another host is useless.
  if (status >= 300 && status < 400) {
    throw failure('REDIRECT', `redirects (status ${status}); give the target of the redirect`)
  }
  if (status !== 200) throw failure('STATUS', `responded with status ${status}, expected 200`)
  if (!isDecoded || field(HEADERS.contentType)?.includes('json') !== true) {
    throw failure('NOT_JSON', 'did not return JSON; expected this service')
  }
  return new TextDecoder().decode(body)
}

/** Solves the challenge of a deployment. Messages contain only values that the contract defines, and its note. */
async function solve(ask: Ask, origin: string, purpose: ChallengePurpose, timeoutMs: number) {
  const target = ENDPOINTS.earlyAccess.path
  const envelope = parseJson(await fetchJsonText(ask, origin, target))
  const data = propertyOf(envelope, 'data')
  const described = propertyOf(data, 'challenge')
  if (propertyOf(envelope, 'schema') !== SCHEMA_IDS.response || described === undefined) {
    throw new CommandFailure(
      'OTHER_SERVICE',
      `${origin}${target} is not a response of this service`,
    )
  }
  const failure = (code: string, text: string) => new CommandFailure(code, `${origin} ${text}`)
  const provider = CHALLENGE_PROVIDERS.find((each) => each === propertyOf(described, 'provider'))
  if (provider === undefined) {
    throw failure('UNKNOWN_CHALLENGE', 'uses a challenge that this program does not support')
  }
  if (propertyOf(data, 'state') !== 'open') {
    const note = sanitizeForTerminal(String(propertyOf(data, 'note')), 400)
    throw failure('CLOSED', `does not accept registrations now: ${note}`)
  }
  if (provider === 'test') return { provider, token: TEST_TOKEN, expiresAt: null }
  if (provider !== 'altcha') {
    const advice = `which is solved in a browser; open ${origin}/ there`
    throw failure('BROWSER_ONLY', `uses ${provider}, ${advice}`)
  }
  const path = propertyOf(described, 'path')
  const url = typeof path === 'string' ? URL.parse(path, origin) : null
  if (url?.origin !== origin) {
    throw failure('NO_CHALLENGE', 'does not name a challenge path on its own origin')
  }
  url.searchParams.set('for', purpose)
  const text = await fetchJsonText(ask, origin, `${url.pathname}${url.search}`)
  // Loaded here, so that help is quick.
  const { AltchaSolverError, solveAltcha } =
    await import('../../service/challenge/altcha-challenge-solver.ts')
  if (process.stderr.isTTY) {
    process.stderr.write('Solving the challenge; this takes a few seconds.\n')
  }
  try {
    const { token, expiresAtMs } = await solveAltcha(text, timeoutMs)
    return { provider, token, expiresAt: expiresAtMs === null ? null : formatInstant(expiresAtMs) }
  } catch (error) {
    if (!(error instanceof AltchaSolverError)) throw error
    throw new CommandFailure(
      'UNSOLVED',
      `the challenge of ${url.href} cannot be solved: ${error.message}`,
    )
  }
}

/** Throws a CommandFailure for what the service would refuse after the challenge is solved. */
function requireValid(registration: Omit<Registration, 'challengeToken'>, origin: string): void {
  try {
    parseRegistration({ ...registration, challengeToken: 'any' })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new CommandFailure(error.code, `${origin}: ${ERRORS[error.code].message}`)
  }
}

/** Registers an address with a solved challenge. Rejects with a CommandFailure. */
async function join(origin: string, registration: Registration) {
  const { createClient } = await import('@public-api/client-internal/client')
  const { register } = await import('@public-api/client-internal/register')
  const { ApiResponseError } = await import('@public-api/client-internal/api-response-error')
  try {
    const result = await register(createClient({ baseUrl: origin }), registration)
    return result.outcome === 'WAITING'
      ? { outcome: result.outcome, ticket: result.data.ticket }
      : { outcome: result.outcome, ticket: null }
  } catch (error) {
    if (error instanceof ApiResponseError) throw refusalOf(error, origin)
    const message = `${origin}: ${messageOf(error)}`
    const advice = 'joining again is safe: each address is listed once'
    throw new CommandFailure('UNREGISTERED', `${message}; ${advice}`, {
      exitCode: isOutage(error) ? EXIT_CODES.unreachable : EXIT_CODES.failure,
    })
  }
}

export const command = createCommand({
  usage: [
    'waitlist join URL --email ADDRESS --consent [options]',
    'waitlist join URL --token-only [options]',
  ],
  about: `Registers an address for the waitlist of a service and verifies the response, with
the human-verification challenge solved here. URL is the service's origin, such as
https://example.org, with or without ${BASE_PATH}. Challenges of Turnstile or
hCaptcha can only be solved in a browser.

With --token-only, prints the token for "challengeToken" of a request instead. It
can be used once, within ten minutes.`,
  options: {
    email: textOption('ADDRESS: the address; - reads it from standard input'),
    consent: flag('the person consents to be added to the list; required with --email'),
    interest: {
      ...choiceOption('INTEREST: an area of interest; repeatable', INTERESTS),
      multiple: true,
    },
    'use-case': textOption('TEXT: what the API is wanted for'),
    locale: choiceOption('LOCALE: language of future email', LOCALES),
    'token-only': flag('print a token, and register nothing'),
    for: {
      ...choiceOption('PURPOSE: what the token is for: register or issue-key', CHALLENGE_PURPOSES),
      default: 'register',
    },
    timeout: {
      ...numberOption('SECONDS: limit for each response, and for the solution', [1, 3600]),
      default: '90',
    },
  },
  json: 'print the result, or the token with its provider and expiry, as one JSON object',
  exit: `0 done, also if the address is on the list already, 1 failure, 2 wrong usage, 3 unreachable,
    or limited for now`,
  takesArguments: true,
  async run({ values, positionals }) {
    const origin = parseBase(onlyArgument(positionals, 'URL of a service'))
    const isToken = values['token-only']
    if (isToken === (values.email !== undefined)) {
      throw new UsageError('expected either --email ADDRESS or --token-only')
    }
    if (!isToken && !values.consent) throw new UsageError('expected --consent beside --email')
    const { for: purpose, interest: interests, locale, 'use-case': useCase } = values
    if (!isToken && purpose !== 'register') throw new UsageError('--for needs --token-only')
    const timeoutMs = values.timeout * 1000
    const email =
      values.email === '-' ? await readOneLine('address', 'Address to register: ') : values.email
    const registration = email !== undefined && {
      email,
      consent: true as const,
      ...(interests && { interests }),
      ...(useCase === undefined ? {} : { useCase }),
      ...(locale === undefined ? {} : { locale }),
    }
    if (registration !== false) requireValid(registration, origin)
    const httpClient = createHttpClient(origin, timeoutMs)
    try {
      const solved = await solve(httpClient.ask, origin, purpose, timeoutMs)
      if (registration === false) return { json: solved, lines: [solved.token] }
      const result = await join(origin, { ...registration, challengeToken: solved.token })
      return {
        json: result,
        lines: [
          result.ticket === null
            ? 'The address is on the waitlist already.'
            : `Registered. The ticket is ${result.ticket}.`,
        ],
      }
    } finally {
      httpClient.close()
    }
  },
})
