import {
  CommandFailure,
  type CommandResult,
  createCommand,
  UsageError,
} from '@public-api/cli-kit/command'
import { numberOption, parseChoice } from '@public-api/cli-kit/option-values'
import { flag, textOption, textOptions, textOptionOr } from '@public-api/cli-kit/options'
import { freshTarget } from '@public-api/client-internal/fresh-target'
import type { HttpResponse } from '@public-api/client-internal/http-response'
import { isOutage } from '@public-api/client-internal/outage'
import { verifyKeyDocument } from '@public-api/client-internal/signing-keys'
import { withNewerKeys } from '@public-api/client-internal/trusted-keys'
import type { VerificationKey } from '@public-api/client-internal/verification-key'
import {
  verifyInSteps,
  type Expectations,
  type Verification,
} from '@public-api/client-internal/verify-response'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { HEADERS } from '@public-api/contract/terms/headers'
import { SIGNATURE_MAX_AGE_SECONDS } from '@public-api/contract/terms/limits'
import { parseInstant } from '@public-api/contract/text/instant'
import { parseOrigin } from './log/parse-origin.ts'
import { choosePins, PIN_FROM_OPTION } from './pinning/choose-pins.ts'
import { type Address, isTarget, parseAddress } from './verifying/address.ts'
import { describeOutcome, describeRecording } from './verifying/describe-outcome.ts'
import { outcomeOf } from './verifying/outcome-of.ts'
import { readResponses, type RecordedResponse } from './verifying/recording.ts'
import { type Ask, createHttpClient, isUnreachable } from './verifying/requests.ts'
import { sanitizeForTerminal } from './verifying/sanitize-for-terminal.ts'
import { inputFailure, readKeysFile, readSavedResponse } from './verifying/saved-response.ts'
import { type CopySources, verifyCopy } from './verifying/verify-copy.ts'

/** Methods that change nothing. */
const ASKED_METHODS = ['GET', 'HEAD', 'OPTIONS']
const EXPECTED_URL = 'expected the URL of a response'
const SAVED_METHODS = [...ASKED_METHODS, 'POST', 'DELETE']

interface Settings {
  readonly address: Address
  readonly method: string
  readonly ifNoneMatch: string | undefined
  readonly keysFile: string | undefined
  readonly pinnedKeyIds: readonly string[] | undefined
  readonly maxAgeSeconds: number
  /** `recorded`: the time that a recorder states. */
  readonly at: number | 'recorded' | undefined
  readonly timeoutMs: number
  readonly copies: CopySources | undefined
}

type Trust = Omit<Expectations, 'keys'>

function trustOf({ pinnedKeyIds, maxAgeSeconds }: Settings, nowMs: number): Trust {
  return { ...(pinnedKeyIds === undefined ? {} : { pinnedKeyIds }), maxAgeSeconds, nowMs }
}

function givenTime({ at }: Settings): number | undefined {
  if (at === 'recorded') throw new UsageError('--at recorded needs a recording: a WARC or a HAR')
  return at
}

async function askService(settings: Settings, ask: Ask): ReturnType<typeof outcomeOf> {
  const { address, method, ifNoneMatch, keysFile } = settings
  const { target } = address
  const known = keysFile === undefined ? [] : await readKeysFile(keysFile)
  const headers = ifNoneMatch === undefined ? {} : { [HEADERS.ifNoneMatch]: ifNoneMatch }
  const response = await ask({ method, target, headers })
  if (!response.isDecoded) {
    throw new CommandFailure(
      'CODING',
      `the body came with the content coding ${sanitizeForTerminal(response.coding ?? '', 40)}, which could not be decoded`,
    )
  }
  const nowMs = givenTime(settings) ?? response.receivedAtMs
  const trust = trustOf(settings, nowMs)

  /** Verifies with the signing-key document at a target, which is checked with its own keys. */
  async function verifyByDocument(documentTarget: string): Promise<Verification> {
    const document = await ask({ method: 'GET', target: documentTarget })
    const keys = async () => (await verifyKeyDocument({ ...document, ...trust })).keys
    return verifyInSteps({ ...response, ...trust, keys })
  }

  const checking =
    keysFile === undefined
      ? withNewerKeys(
          () => verifyByDocument(READ_PATHS.signingKey),
          (fresh, failure) =>
            verifyByDocument(fresh).catch((error: unknown) => {
              throw isUnreachable(error) ? failure : error
            }),
        )
      : verifyInSteps({ ...response, ...trust, keys: () => known })
  return outcomeOf(response, settings, nowMs, checking, known)
}

async function verifyFetched(settings: Settings): Promise<CommandResult> {
  const { address, timeoutMs, copies } = settings
  const atMs = givenTime(settings)
  const httpClient = createHttpClient(address.origin, timeoutMs)
  const { ask, close } = httpClient
  const readCopy = (outage: Error, from: CopySources) =>
    verifyCopy({ address, outage, nowMs: atMs ?? Date.now(), timeoutMs, ask }, from)
  try {
    const outcome = await askService(settings, ask)
    const { failure } = outcome
    return copies !== undefined && failure !== undefined && isOutage(failure)
      ? await readCopy(failure, copies)
      : describeOutcome(outcome)
  } catch (error) {
    if (copies === undefined || !isUnreachable(error)) throw error
    return await readCopy(error, copies)
  } finally {
    close()
  }
}

async function verifySaved(
  settings: Settings,
  files: NonNullable<ReturnType<typeof parseSavedFiles>>,
): Promise<CommandResult> {
  const saved = await files.read()
  if ('recorded' in saved) {
    return verifyRecorded(settings, saved.recorded, files.response ?? '', files.keys)
  }
  const { address, method } = settings
  if (address.target === '') throw new UsageError(EXPECTED_URL)
  const status = files.status ?? saved.status
  if (status === undefined) {
    throw inputFailure('STATUS', `${files.headers}: no status line found; pass --status CODE`)
  }
  const response = { ...saved, status, method, target: address.target }
  const nowMs = givenTime(settings) ?? Date.now()
  const keys = await readKeysFile(files.keys)
  const place = files.response ?? files.headers
  return describeOutcome(await checkSaved(settings, response, nowMs, keys, place))
}

/** Verifies a saved response whose request is known. */
async function checkSaved(
  settings: Settings,
  { ifNoneMatch = settings.ifNoneMatch, ...saved }: HttpResponse,
  nowMs: number,
  keys: readonly VerificationKey[],
  place: string,
): ReturnType<typeof outcomeOf> {
  if (saved.status === 304 && ifNoneMatch === undefined) {
    const expected = 'expected --if-none-match ETAG, the tag that the request sent'
    throw inputFailure('IF_NONE_MATCH', `${place}: a 304 is signed for one tag; ${expected}`)
  }
  const response = { ...saved, ...(ifNoneMatch === undefined ? {} : { ifNoneMatch }) }
  const checking = verifyInSteps({ ...response, ...trustOf(settings, nowMs), keys: () => keys })
  return outcomeOf(response, settings, nowMs, checking, keys)
}

/** Verifies the responses of a recording to one target, or all of them. */
async function verifyRecorded(
  settings: Settings,
  recorded: readonly RecordedResponse[],
  file: string,
  keysFile: string,
): Promise<CommandResult> {
  const { origin, target } = settings.address
  const isOfOrigin = ({ url }: RecordedResponse) =>
    origin === '' || URL.parse(url)?.origin === origin
  const chosen = recorded.filter(
    (each) => target === '' || (each.target === target && isOfOrigin(each)),
  )
  if (chosen.length === 0) {
    const expected = `expected a response to ${target || 'a request'}`
    throw inputFailure('TARGET', `${file}: ${expected}, found ${recorded.length} others`)
  }
  const keys = await readKeysFile(keysFile)
  const results: Parameters<typeof describeRecording>[0][number][] = []
  for (const { url, recordedAtMs, read, ...request } of chosen) {
    const { at = Date.now() } = settings
    const nowMs = at === 'recorded' ? recordedAtMs : at
    const address = {
      origin: url.slice(0, url.length - request.target.length),
      target: request.target,
    }
    try {
      if (Number.isNaN(nowMs)) throw inputFailure('TIME', `${file}: the recorder states no time`)
      const { status = 0, ...saved } = read()
      const { ifNoneMatch, ...rest } = { ...saved, ...request, status }
      const response = ifNoneMatch === undefined ? rest : { ...rest, ifNoneMatch }
      results.push(await checkSaved({ ...settings, address }, response, nowMs, keys, file))
    } catch (error) {
      if (!(error instanceof CommandFailure) || chosen.length === 1) throw error
      results.push({ ...request, url, refused: error })
    }
  }
  return describeRecording(results, settings.at === 'recorded')
}

function parseStatus(option: string, text: string): number {
  if (/^[1-5]\d\d$/.test(text)) return Number(text)
  throw new UsageError(`${option} expects a status code such as 200`)
}

/** A response from files, and the file of its keys, because nothing is fetched; undefined without --headers and --response. */
function parseSavedFiles({
  response,
  headers = '',
  body,
  keys,
  status,
}: {
  readonly [name in 'response' | 'headers' | 'body' | 'keys']?: string
} & { readonly status?: number }) {
  if (response !== undefined && (headers !== '' || body !== undefined)) {
    throw new UsageError('--response contains head and body; omit --headers and --body')
  }
  if (headers === '' && response === undefined) {
    if (body === undefined && status === undefined) return undefined
    throw new UsageError('--body and --status belong to a saved response; give its --headers too')
  }
  if (keys === undefined) {
    throw new UsageError('a saved response needs --keys FILE: nothing is fetched')
  }
  const read = () =>
    response === undefined ? readSavedResponse(headers, body) : readResponses(response)
  return { headers, response, status, keys, read }
}

/** A time of RFC 3339, to the millisecond: recorders write other offsets and more decimals than the service. */
const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:(\.\d{1,3})\d*)?([Zz]|[+-]\d\d:\d\d)$/

function parseAt(option: string, text: string): number | 'recorded' {
  if (text === 'recorded') return text
  // A leap second is the first one of the next day to clocks without them.
  const isLeap = /^.{11}\d\d:59:60/.test(text)
  const plain = isLeap ? text.replace(':60', ':59') : text
  const [, day, time, decimals = '', zone = ''] = RFC_3339.exec(plain) ?? []
  // The day is checked by itself, because a Date takes the 31st of each month.
  const isDay = parseInstant(`${day}T${time}Z`) !== undefined
  const atMs = isDay ? Date.parse(`${day}T${time}${decimals}${zone.toUpperCase()}`) : Number.NaN
  if (!Number.isNaN(atMs)) return isLeap ? atMs + 1000 : atMs
  throw new UsageError(
    `${option} expects a time of RFC 3339, such as 2026-11-21T09:00:00Z or 2026-11-21T16:00:00.5+07:00, or "recorded"`,
  )
}

/** The characters of a header field (RFC 9110 5.5). */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

function parseEtag(option: string, text: string): string {
  if (FIELD_VALUE.test(text)) return text
  throw new UsageError(`${option} expects an ETag such as W/"abc"`)
}

/** `svc verify`: checks that the service signed a response. */
export const command = createCommand({
  usage: [
    'verify URL [options]',
    'verify URL|TARGET --headers FILE [--body FILE] --keys FILE [options]',
    'verify [URL|TARGET] --response FILE --keys FILE [options]',
    'verify --proof FILE --policy FILE [--resource-file FILE] [--entry FILE]',
  ],
  about: `Requests URL, and verifies the response step by step: digest, signature, key,
age, ETag, request ID. Path and query are sent and verified exactly as typed.
Signed errors are verified in the same way. Responses to HEAD and OPTIONS have
no signature.

Without --pin, a copy of the service with its own key passes. Get the key ID
from a source that an attacker of the service does not control, and pass it as
--pin.

With --mirror, reads a copy while the service is away, and says which one and when it was
current. A response that was received and does not verify is never replaced.

With --headers or --response, verifies a saved response and fetches nothing:
  curl -sS -D headers -o body https://example.org${READ_PATHS.status}
  curl -sS -o keys.json https://example.org${READ_PATHS.signingKey}
  svc verify ${READ_PATHS.status} --headers headers --body body --keys keys.json`,
  options: {
    pin: textOptions('KEYID: ID of a trusted key; repeat it for several keys'),
    'pin-from': PIN_FROM_OPTION,
    'max-age': numberOption(
      `SECONDS: maximum age of a signature (default:
      ${SIGNATURE_MAX_AGE_SECONDS})`,
      [1, 1_000_000_000],
    ),
    method: {
      ...textOptionOr(
        'GET',
        `METHOD: GET, HEAD or OPTIONS; for a saved response also POST or
      DELETE`,
      ),
      choices: SAVED_METHODS,
    },
    'if-none-match': {
      ...textOption(`ETAG: send If-None-Match with ETAG, and verify the 304; for a saved 304,
      the tag that was sent, unless a recording has it`),
      parse: parseEtag,
    },
    mirror: textOptions(`URL: a copy to read while the service is away: no response, or a 429 or 5xx
      without a signature; repeat it for several copies. Needs a pinned key`),
    'max-mirror-age': numberOption(
      'SECONDS: refuse older copies (default: any age)',
      [1, 1_000_000_000],
    ),
    fresh: flag('add a random query parameter, which bypasses every cache'),
    keys: textOption('FILE: the signing-key document from a file'),
    headers: textOption('FILE: the saved head of a response, as curl -D writes it'),
    body: textOption('FILE: the saved body'),
    response: textOption(`FILE: head and body of a response, as curl -i writes it, or a recording: a
      WARC (.warc, .warc.gz) or a HAR. Without URL, all its responses`),
    status: {
      ...textOption('CODE: the status, if the head has no status line'),
      parse: parseStatus,
    },
    at: {
      ...textOption(`TIME: verify as of this time (RFC 3339) instead of now; "recorded" is the time
      that the recorder states, which anyone can change`),
      parse: parseAt,
    },
    timeout: { ...numberOption('SECONDS: limit for each response', [1, 600]), default: '30' },
    proof: textOption('FILE: verify this offline proof; nothing is fetched'),
    policy: textOption('FILE: whom you trust, for --proof (c2sp.org/tlog-policy)'),
    'resource-file': textOption('FILE: verify these bytes of a resource by the proof, too'),
    entry: textOption('FILE: the entry, for a proof that does not contain it'),
  },
  json: 'print the outcome as one JSON object',
  exit: `0 verified, also from a copy; 1 not verified; 2 wrong usage; 3 no conclusion: unreachable,
    timed out, a proxy's error without a signature, or no copy that is new enough`,
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
    if (rest.length > 0) throw new UsageError('expected one URL, found more')
    const files = parseSavedFiles(values)
    const isSaved = files !== undefined
    if (given === undefined && files?.response === undefined) throw new UsageError(EXPECTED_URL)
    const pinFrom = values['pin-from']
    if (isSaved && pinFrom !== undefined) {
      throw new UsageError('--pin-from cannot be combined with --headers or --response; use --pin')
    }
    if (isSaved && values.fresh) {
      throw new UsageError('--fresh cannot be combined with --headers or --response')
    }
    const mirrors = values.mirror?.map(parseOrigin)
    const changesRequest = values.fresh || values['if-none-match'] !== undefined
    if (mirrors !== undefined && (isSaved || changesRequest || values.method !== 'GET')) {
      throw new UsageError('--mirror can replace only the response to a plain GET')
    }
    if (mirrors === undefined && values['max-mirror-age'] !== undefined) {
      throw new UsageError('--max-mirror-age needs --mirror URL')
    }
    const typed: Address =
      given === undefined || (isSaved && isTarget(given))
        ? { origin: '', target: given ?? '' }
        : parseAddress(given)
    const pinnedKeyIds = await choosePins({ pin: values.pin, pinFrom }, typed.origin, output)
    if (mirrors !== undefined && pinnedKeyIds === undefined) {
      throw new UsageError('--mirror needs --pin or --pin-from: anyone can sign with their own key')
    }
    const settings: Settings = {
      address: values.fresh ? { ...typed, target: freshTarget(typed.target) } : typed,
      method: parseChoice(
        '--method',
        values.method.toUpperCase(),
        isSaved ? SAVED_METHODS : ASKED_METHODS,
      ),
      ifNoneMatch: values['if-none-match'],
      keysFile: values.keys,
      pinnedKeyIds,
      maxAgeSeconds: values['max-age'] ?? SIGNATURE_MAX_AGE_SECONDS,
      at: values.at,
      timeoutMs: values.timeout * 1000,
      copies: mirrors &&
        pinnedKeyIds && {
          mirrors,
          pinnedKeyIds,
          maxAgeSeconds: values['max-mirror-age'] ?? Infinity,
        },
    }
    return isSaved ? verifySaved(settings, files) : verifyFetched(settings)
  },
})
