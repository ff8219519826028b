import { BASE_PATH } from '../contract/api-version.ts'
import { ENDPOINTS } from '../contract/endpoints.ts'
import { SCHEMA_IDS } from '../contract/envelope.ts'
import { messageOf } from '../contract/error-message.ts'
import { CHALLENGE_PROVIDERS } from '../contract/schemas.ts'
import { readBoundedText } from '../service/bounded-text.ts'
import { CHALLENGE_PURPOSES, type ChallengePurpose } from '../service/challenge.ts'
import { formatInstant } from '../service/clock.ts'
import { propertyOf } from '../service/property-of.ts'
import { TEST_TOKEN } from '../service/test-challenge.ts'
import {
  type Command,
  createCommand,
  type CommandOutput,
  EXIT_CODES,
  type ExitCode,
  UsageError,
} from './command.ts'
import { parseBase } from './verifying/address.ts'

const HELP = `Usage: svc challenge solve URL [options]

Solves the human-verification challenge of a deployment and prints the token
that goes into "challengeToken" of a request. It is good for one request, and
for ten minutes. URL is the deployment's origin, such as https://example.org,
with or without ${BASE_PATH}.

A challenge of Turnstile or hCaptcha is solved in a browser and not here.

Options:
  --for PURPOSE      what the token is for: register or issue-key
                     (default: register)
  --timeout SECONDS  how long each answer, and the solving, may take
                     (default: 90)
  --json             print the token, its provider and its end as one JSON
                     object
  -h, --help         print this text

Exit code: 0 done, 1 failure, 2 wrong usage.`

const OPTIONS = {
  for: { type: 'string', default: 'register' },
  timeout: { type: 'string', default: '90' },
  json: { type: 'boolean', default: false },
} as const

const MAX_TIMEOUT_SECONDS = 3600
/** Far more than the service ever answers. */
const MAX_ANSWER_BYTES = 1_000_000

/** The deployment gave no challenge that can be solved here. The message is one line for a person. */
class SolveError extends Error {}

interface Settings {
  readonly origin: string
  readonly purpose: ChallengePurpose
  readonly timeoutMs: number
}

interface Solved {
  readonly provider: string
  readonly token: string
  readonly expiresAt: string | null
}

function parsePurpose(text: string): ChallengePurpose {
  const purpose = CHALLENGE_PURPOSES.find((each) => each === text)
  if (purpose === undefined)
    throw new UsageError(`--for expects ${CHALLENGE_PURPOSES.join(' or ')}`)
  return purpose
}

function parseTimeoutMs(text: string): number {
  const seconds = /^\d+$/.test(text) ? Number(text) : 0
  if (seconds >= 1 && seconds <= MAX_TIMEOUT_SECONDS) return seconds * 1000
  throw new UsageError(`--timeout expects whole seconds from 1 to ${MAX_TIMEOUT_SECONDS}`)
}

/** Why `fetch` failed. It tells that in the cause; that of a name with several addresses has a code and no message. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const code = propertyOf(cause, 'code')
  return messageOf(cause) || (typeof code === 'string' ? code : 'unknown reason')
}

/** The text of a JSON answer with status 200. Throws SolveError for every other one. */
async function fetchJsonText(url: string, timeoutMs: number): Promise<string> {
  let response: Response
  let text: string | undefined
  try {
    response = await fetch(url, {
      // A token for another host than the one that was named is not what was asked for.
      redirect: 'manual',
      headers: { Accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
    })
    text = await readBoundedText(response, MAX_ANSWER_BYTES)
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') {
      throw new SolveError(`${url} did not answer within ${timeoutMs / 1000} s`)
    }
    throw new SolveError(`${url} could not be reached: ${reasonOf(error)}`)
  }
  const { status, headers } = response
  if (status >= 300 && status < 400) {
    throw new SolveError(
      `${url} redirects elsewhere (status ${status}); give the address it leads to`,
    )
  }
  if (status !== 200) throw new SolveError(`${url} answered with status ${status}, expected 200`)
  if (text === undefined || !(headers.get('Content-Type') ?? '').includes('json')) {
    throw new SolveError(`${url} answered with something that is no JSON; expected this service`)
  }
  return text
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Which challenge the deployment asks for. Nothing of what it says is shown unless it is known from the contract. */
async function describeChallenge({ origin, timeoutMs }: Settings) {
  const url = `${origin}${ENDPOINTS.earlyAccess.path}`
  const envelope = parseJson(await fetchJsonText(url, timeoutMs))
  const data = propertyOf(envelope, 'data')
  const described = propertyOf(data, 'challenge')
  const provider = CHALLENGE_PROVIDERS.find((each) => each === propertyOf(described, 'provider'))
  if (propertyOf(envelope, 'schema') !== SCHEMA_IDS.response || described === undefined) {
    throw new SolveError(`${url} did not answer as this service does`)
  }
  if (provider === undefined) {
    throw new SolveError(`${origin} asks for a challenge that this program does not know`)
  }
  if (propertyOf(data, 'state') !== 'open') {
    throw new SolveError(`${origin} takes no registrations at the moment, and sets no challenge`)
  }
  const path = propertyOf(described, 'path')
  return { provider, path: typeof path === 'string' ? path : undefined }
}

async function solveAltchaAt(path: string | undefined, settings: Settings): Promise<Solved> {
  const { origin, purpose, timeoutMs } = settings
  const url = path === undefined ? null : URL.parse(path, origin)
  if (url === null || url.origin !== origin) {
    throw new SolveError(`${origin} tells no place of its own where its challenge is handed out`)
  }
  url.searchParams.set('for', purpose)
  const text = await fetchJsonText(url.href, timeoutMs)
  // Loaded here, so that help is quick.
  const solver = await import('../service/altcha-challenge-solver.ts')
  if (process.stderr.isTTY)
    process.stderr.write('Solving the challenge; this takes a few seconds.\n')
  try {
    const { token, expiresAtMs } = await solver.solveAltcha(text, timeoutMs)
    const expiresAt = expiresAtMs === null ? null : formatInstant(expiresAtMs)
    return { provider: 'altcha', token, expiresAt }
  } catch (error) {
    if (!(error instanceof solver.AltchaSolverError)) throw error
    throw new SolveError(`the challenge of ${url.href} cannot be solved: ${error.message}`)
  }
}

async function solve(settings: Settings): Promise<Solved> {
  const { provider, path } = await describeChallenge(settings)
  switch (provider) {
    case 'altcha':
      return solveAltchaAt(path, settings)
    case 'test':
      return { provider, token: TEST_TOKEN, expiresAt: null }
    case 'turnstile':
    case 'hcaptcha':
      throw new SolveError(
        `${settings.origin} uses ${provider}, which is solved in a browser; open ${settings.origin}/ there`,
      )
  }
}

async function solveCommand(
  settings: Settings,
  json: boolean,
  output: CommandOutput,
): Promise<ExitCode> {
  try {
    const solved = await solve(settings)
    output.out(json ? JSON.stringify(solved) : solved.token)
    return EXIT_CODES.done
  } catch (error) {
    if (!(error instanceof SolveError)) throw error
    output.error(`svc challenge: ${error.message}`)
    return EXIT_CODES.failure
  }
}

/** `svc challenge solve`: a token for a request from a command line. */
export const challengeCommand: Command = createCommand({
  help: HELP,
  options: OPTIONS,
  takesArguments: true,
  async run({ values, positionals }, output) {
    const [action, url, ...rest] = positionals
    if (action !== 'solve') throw new UsageError('expected the action: solve')
    if (url === undefined)
      throw new UsageError('expected the address of a deployment after "solve"')
    if (rest.length > 0) throw new UsageError('expected one address after "solve", found more')
    const settings = {
      origin: parseBase(url),
      purpose: parsePurpose(values.for),
      timeoutMs: parseTimeoutMs(values.timeout),
    }
    return solveCommand(settings, values.json, output)
  },
})
