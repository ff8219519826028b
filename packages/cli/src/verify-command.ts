import { formatJson } from '@public-api/command/format-json'
import { isInconclusive } from './verifying/inconclusive-status.ts'
import { freshTarget } from '@public-api/client-source/fresh-target'
import { mayBeNewKey } from '@public-api/client-source/trusted-keys'
import { VerificationError } from '@public-api/client-source/verification-error'
import type { VerificationKey } from '@public-api/client-source/verification-key'
import type { HttpResponse, Expectations } from '@public-api/client-source/verify-response'
import { HEADERS } from '@public-api/contract/http/headers'
import { formatInstant, parseInstant } from '@public-api/contract/text/instant'
import { SIGNATURE_MAX_AGE_SECONDS } from '@public-api/contract/registry/limits'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { propertyOf } from '@public-api/contract/json/property-of'
import {
  CommandFailure,
  type CommandOutput,
  createCommand,
  EXIT_CODES,
  type ExitCode,
  UsageError,
} from '@public-api/command/command'
import { flag, textOption, textOptions, textOptionOr } from '@public-api/command/options'
import { type Address, isTarget, parseAddress } from './verifying/address.ts'
import { choosePins, PIN_FROM_OPTION } from './pinning/choose-pins.ts'
import { parseChoice, parseWholeNumber } from '@public-api/command/option-values'
import { fetchKeys } from './verifying/key-document.ts'
import { type Ask, createHttpClient } from './verifying/requests.ts'
import { UNPINNED_WARNING } from './verifying/unpinned-warning.ts'
import { readKeysFile, readSavedResponse } from './verifying/saved-response.ts'
import { ageOf, sanitizeForTerminal } from './verifying/sanitize-for-terminal.ts'
import { failedBefore, verifyInSteps, type Verdict } from './verifying/verdict.ts'
import { pluralOf } from '@public-api/command/wording'

const AGE_SECONDS = { unit: 'seconds', least: 1, most: 1_000_000_000 }
const TIMEOUT_SECONDS = { unit: 'seconds', least: 1, most: 600 }
/** Methods that change nothing. */
const ASKED_METHODS = ['GET', 'HEAD', 'OPTIONS']
const SAVED_METHODS = [...ASKED_METHODS, 'POST', 'DELETE']

interface Settings {
  /** Undefined for a saved response. */
  readonly address: Address
  readonly method: string
  readonly ifNoneMatch: string | undefined
  readonly keysFile: string | undefined
  readonly pinnedKeyIds: readonly string[] | undefined
  readonly maxAgeSeconds: number
  readonly atMs: number | undefined
  readonly timeoutMs: number
  readonly json: boolean
}

interface SavedFiles {
  readonly headers: string
  readonly body: string | undefined
  readonly status: number | undefined
}

/** A response with the result of its check. */
interface Outcome {
  readonly response: HttpResponse
  readonly verdict: Verdict
  readonly nowMs: number
}

type Trust = Omit<Expectations, 'keys'>

function trustOf({ pinnedKeyIds, maxAgeSeconds }: Settings, nowMs: number): Trust {
  return { ...(pinnedKeyIds === undefined ? {} : { pinnedKeyIds }), maxAgeSeconds, nowMs }
}

/** Checks with known keys. */
async function verifyWithKeys(
  response: HttpResponse,
  keys: () => Promise<readonly VerificationKey[]>,
  trust: Trust,
): Promise<Verdict> {
  let known: readonly VerificationKey[]
  try {
    known = await keys()
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    return failedBefore(error, response)
  }
  return verifyInSteps({ ...response, ...trust, keys: known })
}

async function verifyWithFetchedKeys(
  response: HttpResponse,
  ask: Ask,
  trust: Trust,
): Promise<Verdict> {
  const verdict = await verifyWithKeys(
    response,
    () => fetchKeys(ask, trust, READ_PATHS.signingKey),
    trust,
  )
  if (verdict.fault === undefined || !mayBeNewKey(verdict.fault.code)) return verdict
  const again = await verifyWithKeys(
    response,
    () => fetchKeys(ask, trust, freshTarget(READ_PATHS.signingKey)),
    trust,
  )
  return again.fault === undefined ? again : verdict
}

async function verifyFetched(settings: Settings): Promise<Outcome> {
  const { address, method, ifNoneMatch, keysFile, timeoutMs } = settings
  const { origin, target } = address
  const httpClient = createHttpClient({ origin, timeoutMs, nowMs: Date.now })
  try {
    const headers = ifNoneMatch === undefined ? {} : { [HEADERS.ifNoneMatch]: ifNoneMatch }
    const response = await httpClient.ask({ method, target, headers })
    if (!response.isDecoded) {
      throw new CommandFailure(
        'CODING',
        `the body came with the content coding ${sanitizeForTerminal(response.coding ?? '', 40)}, which could not be decoded`,
      )
    }
    const nowMs = settings.atMs ?? response.receivedAtMs
    const trust = trustOf(settings, nowMs)
    const verdict =
      keysFile === undefined
        ? await verifyWithFetchedKeys(response, httpClient.ask, trust)
        : await verifyWithKeys(response, () => readKeysFile(keysFile), trust)
    return { response, verdict, nowMs }
  } finally {
    httpClient.close()
  }
}

async function verifySaved(settings: Settings, files: SavedFiles): Promise<Outcome> {
  const { address, method, keysFile } = settings
  const saved = await readSavedResponse(files.headers, files.body)
  const status = files.status ?? saved.status
  if (status === undefined) {
    throw new CommandFailure('STATUS', `${files.headers}: no status line found; pass --status CODE`)
  }
  if (keysFile === undefined) throw new UsageError('a saved response needs --keys FILE')
  const { ifNoneMatch } = settings
  const response = {
    ...saved,
    status,
    method,
    target: address.target,
    ...(ifNoneMatch === undefined ? {} : { ifNoneMatch }),
  }
  const nowMs = settings.atMs ?? Date.now()
  const trust = trustOf(settings, nowMs)
  return {
    response,
    verdict: await verifyWithKeys(response, () => readKeysFile(keysFile), trust),
    nowMs,
  }
}

/** The error that the service sent, if any. */
function refusalOf({ verified }: Verdict) {
  const error = propertyOf(verified?.content, 'error')
  const [code, message] = [propertyOf(error, 'code'), propertyOf(error, 'message')]
  return typeof code === 'string' && typeof message === 'string' ? { code, message } : undefined
}

/** The reason why a response has no signature, if the contract defines none. */
function unsignedNote({ method, status }: HttpResponse, verdict: Verdict): string | undefined {
  if (verdict.fault?.code !== 'UNSIGNED') return undefined
  if (status >= 300 && status < 400 && status !== 304) {
    return 'The response is a redirect, which is not followed. Pass its target instead.'
  }
  if (method === 'HEAD' || method === 'OPTIONS') {
    return `Responses to ${method} have no signature. Use GET.`
  }
  return verdict.fault.step === 'keys'
    ? 'The deployment has no signing key, so its responses are unsigned.'
    : status === 304
      ? 'A cache in between may have created this 304, which has no proof. Use --fresh.'
      : 'The response is not signed. Any proxy in between may have created it.'
}

/** The name of a step as words. */
function wordsOf(step: string): string {
  return step.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

const MARKS = { ok: 'ok', failed: 'FAILED', unchecked: '-' }

function printOutcome(
  outcome: Outcome,
  { address, pinnedKeyIds }: Settings,
  output: CommandOutput,
): void {
  const { response, verdict, nowMs } = outcome
  const { method, target, status, body } = response
  output.out(`${method} ${address.origin}${target}`)
  output.out(`status ${status}, ${pluralOf(body.length, 'byte')}`)
  output.out('')
  for (const { step, outcome: mark, expected, found } of verdict.steps) {
    output.out(`  ${MARKS[mark].padEnd(7)} ${wordsOf(step).padEnd(10)} ${expected}`)
    if (mark !== 'unchecked' && found !== '') output.out(`${' '.repeat(21)}${found}`)
  }
  output.out('')
  const refusal = refusalOf(verdict)
  if (refusal !== undefined)
    output.out(
      `The service returned the error ${sanitizeForTerminal(`${refusal.code}: ${refusal.message}`)}`,
    )
  if (verdict.fault !== undefined) {
    const note = unsignedNote(response, verdict)
    output.out(`Not verified: the ${wordsOf(verdict.fault.step)} check failed.`)
    output.error(`svc verify: ${sanitizeForTerminal(verdict.fault.message, 400)}`)
    if (note !== undefined) output.error(note)
    return
  }
  const { provedAtMs = nowMs, keyId = '' } = verdict.verified ?? {}
  const age = ageOf((nowMs - provedAtMs) / 1000)
  output.out(`Verified: signed by ${keyId} ${age} ago.`)
  if (pinnedKeyIds === undefined) {
    output.out(UNPINNED_WARNING)
  }
}

function describe({ response, verdict }: Outcome, { address, pinnedKeyIds }: Settings): object {
  const { method, target, status } = response
  const { fault, steps, verified } = verdict
  return {
    ok: fault === undefined,
    method,
    url: `${address.origin}${target}`,
    status,
    isPinned: pinnedKeyIds !== undefined,
    ...(fault === undefined ? {} : { fault }),
    steps,
    ...(verified === undefined
      ? {}
      : {
          keyId: verified.keyId,
          provedAt: formatInstant(verified.provedAtMs),
          etag: verified.etag ?? null,
        }),
    error: refusalOf(verdict) ?? null,
  }
}

/** An unsigned 429 or 5xx comes from a proxy, or signing is off. It proves nothing about the service. */
function exitCodeOf({ response, verdict }: Outcome): ExitCode {
  if (verdict.fault === undefined) return EXIT_CODES.done
  const { status } = verdict.response ?? response
  return verdict.fault.code === 'UNSIGNED' && isInconclusive(status)
    ? EXIT_CODES.unreachable
    : EXIT_CODES.failure
}

function parseStatus(text: string): number {
  if (/^[1-5]\d\d$/.test(text)) return Number(text)
  throw new UsageError('--status expects a status code such as 200')
}

function parseAt(text: string): number {
  const atMs = parseInstant(text)
  if (atMs !== undefined) return atMs
  throw new UsageError('--at expects a time such as 2026-11-21T09:00:00Z')
}

/** The characters of a header field (RFC 9110 5.5). */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

function parseEtag(text: string | undefined): string | undefined {
  if (text === undefined || FIELD_VALUE.test(text)) return text
  throw new UsageError('--if-none-match expects an ETag such as W/"abc"')
}

/** `svc verify`: checks that the service signed a response. */
export const command = createCommand({
  usage: [
    'verify URL [options]',
    'verify URL|TARGET --headers FILE [--body FILE] --keys FILE [options]',
    'verify --proof FILE --policy FILE [--resource-file FILE] [--entry FILE]',
  ],
  about: `Requests URL, and verifies the response step by step: digest, signature, key,
age, ETag, request ID. Path and query are sent and verified exactly as typed.
Signed errors are verified in the same way. Responses to HEAD and OPTIONS have
no signature.

Without --pin, a copy of the service with its own key passes. Get the key ID
from a source that an attacker of the service does not control, and pass it as
--pin.

With --headers, verifies a saved response and fetches nothing:
  curl -sS -D headers -o body https://example.org${READ_PATHS.status}
  curl -sS -o keys.json https://example.org${READ_PATHS.signingKey}
  svc verify ${READ_PATHS.status} --headers headers --body body --keys keys.json`,
  options: {
    pin: textOptions('KEYID: ID of a trusted key; repeat it for several keys'),
    'pin-from': PIN_FROM_OPTION,
    'max-age': textOption(`SECONDS: maximum age of a signature (default:
      ${SIGNATURE_MAX_AGE_SECONDS})`),
    method: textOptionOr(
      'GET',
      `METHOD: GET, HEAD or OPTIONS; for a saved response also POST or
      DELETE`,
    ),
    'if-none-match': textOption('ETAG: send If-None-Match with ETAG, and verify the 304'),
    fresh: flag('add a random query parameter, which bypasses every cache'),
    keys: textOption('FILE: the signing-key document from a file'),
    headers: textOption('FILE: the saved head of a response, as curl -D writes it'),
    body: textOption('FILE: the saved body'),
    status: textOption('CODE: the status, if the head has no status line'),
    at: textOption('TIME: verify as of this time (ISO 8601 UTC) instead of now'),
    timeout: textOptionOr('30', 'SECONDS: limit for each response'),
    proof: textOption('FILE: verify this offline proof; nothing is fetched'),
    policy: textOption('FILE: whom you trust, for --proof (c2sp.org/tlog-policy)'),
    'resource-file': textOption('FILE: verify these bytes of a resource by the proof, too'),
    entry: textOption('FILE: the entry, for a proof that does not contain it'),
  },
  json: 'print the outcome as one JSON object',
  exit: `0 verified, 1 not verified, 2 wrong usage, 3 no conclusion: unreachable, timed out, or a
    proxy's error without a signature`,
  takesArguments: true,
  async run({ values, positionals }, output) {
    const [given, ...rest] = positionals
    if (values.proof !== undefined) {
      if (given !== undefined) throw new UsageError('--proof verifies a file; expected no URL')
      if (values.policy === undefined) throw new UsageError('expected --policy FILE beside --proof')
      const { verifyProofFiles } = await import('./log/verify-proof.ts')
      const { proof, policy, 'resource-file': resource, entry } = values
      return verifyProofFiles({ proof, policy, resource, entry }, Date.now())
    }
    const isSaved = values.headers !== undefined
    if (given === undefined) throw new UsageError('expected the URL of a response')
    if (rest.length > 0) throw new UsageError('expected one URL, found more')
    if (!isSaved && (values.body !== undefined || values.status !== undefined)) {
      throw new UsageError('--body and --status belong to a saved response; give its --headers too')
    }
    if (isSaved && values.keys === undefined) {
      throw new UsageError('a saved response needs --keys FILE: nothing is fetched')
    }
    const pinFrom = values['pin-from']
    if (isSaved && pinFrom !== undefined) {
      throw new UsageError('--pin-from cannot be combined with --headers; use --pin')
    }
    if (isSaved && values.fresh) {
      throw new UsageError('--fresh cannot be combined with --headers')
    }
    const typed: Address =
      isSaved && isTarget(given) ? { origin: '', target: given } : parseAddress(given)
    const settings: Settings = {
      address: values.fresh ? { ...typed, target: freshTarget(typed.target) } : typed,
      method: parseChoice(
        '--method',
        values.method.toUpperCase(),
        isSaved ? SAVED_METHODS : ASKED_METHODS,
      ),
      ifNoneMatch: parseEtag(values['if-none-match']),
      keysFile: values.keys,
      pinnedKeyIds: await choosePins({ pin: values.pin, pinFrom }, typed.origin, output),
      maxAgeSeconds:
        values['max-age'] === undefined
          ? SIGNATURE_MAX_AGE_SECONDS
          : parseWholeNumber('--max-age', values['max-age'], AGE_SECONDS),
      atMs: values.at === undefined ? undefined : parseAt(values.at),
      timeoutMs: parseWholeNumber('--timeout', values.timeout, TIMEOUT_SECONDS) * 1000,
      json: values.json,
    }
    const files =
      values.headers === undefined
        ? undefined
        : {
            headers: values.headers,
            body: values.body,
            status: values.status === undefined ? undefined : parseStatus(values.status),
          }
    const outcome =
      files === undefined ? await verifyFetched(settings) : await verifySaved(settings, files)
    if (settings.json) output.out(formatJson(describe(outcome, settings)))
    else printOutcome(outcome, settings, output)
    return exitCodeOf(outcome)
  },
})
