import { CommandFailure, createCommand, EXIT_CODES, UsageError } from '@public-api/cli-kit/command'
import { formatJson } from '@public-api/cli-kit/format-json'
import { parseChoice, parseWholeNumber } from '@public-api/cli-kit/option-values'
import { textOptionOr } from '@public-api/cli-kit/options'
import { parseBase } from '@public-api/cli/src/verifying/address.ts'
import { type Ask, createHttpClient } from '@public-api/cli/src/verifying/requests.ts'
import { SCHEMA_IDS } from '@public-api/contract/http/envelope'
import { HEADERS } from '@public-api/contract/http/headers'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { BASE_PATH } from '@public-api/contract/registry/api-version'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { formatInstant } from '@public-api/contract/text/instant'
import { CHALLENGE_PROVIDERS } from '@public-api/contract/waitlist/registration-schema'
import {
  CHALLENGE_PURPOSES,
  type ChallengePurpose,
  TEST_TOKEN,
} from '../service/challenge/challenge.ts'

const TIMEOUT_SECONDS = { unit: 'seconds', least: 1, most: 3600 }

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

/** Solves the challenge of a deployment. Messages contain only values that the contract defines. */
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
    throw failure('CLOSED', 'does not accept registrations now and offers no challenge')
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
    await import('../service/challenge/altcha-challenge-solver.ts')
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

export const command = createCommand({
  usage: 'challenge solve URL [options]',
  about: `Solves the human-verification challenge of a deployment and prints the token
for "challengeToken" of a request. It can be used once, within ten minutes. URL
is the deployment's origin, such as https://example.org, with or without
${BASE_PATH}.

Challenges of Turnstile or hCaptcha can only be solved in a browser.`,
  options: {
    for: {
      ...textOptionOr('register', 'PURPOSE: what the token is for: register or issue-key'),
      choices: CHALLENGE_PURPOSES,
    },
    timeout: textOptionOr('90', 'SECONDS: limit for each response, and for the solution'),
  },
  json: 'print the token, its provider and its expiry as one JSON object',
  exit: '0 done, 1 failure, 2 wrong usage, 3 unreachable',
  takesArguments: true,
  async run({ values, positionals }, output) {
    const [action, url, ...rest] = positionals
    if (action !== 'solve') throw new UsageError('expected the action: solve')
    if (url === undefined) throw new UsageError('expected the URL of a deployment after "solve"')
    if (rest.length > 0) throw new UsageError('expected one URL after "solve", found more')
    const origin = parseBase(url)
    const purpose = parseChoice('--for', values.for, CHALLENGE_PURPOSES)
    const timeoutMs = parseWholeNumber('--timeout', values.timeout, TIMEOUT_SECONDS) * 1000
    const httpClient = createHttpClient({ origin, timeoutMs, nowMs: Date.now })
    try {
      const solved = await solve(httpClient.ask, origin, purpose, timeoutMs)
      output.out(values.json ? formatJson(solved) : solved.token)
      return EXIT_CODES.done
    } finally {
      httpClient.close()
    }
  },
})
