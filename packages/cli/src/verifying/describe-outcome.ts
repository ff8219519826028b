import {
  type CommandFailure,
  type CommandResult,
  EXIT_CODES,
  type ExitCode,
} from '@public-api/cli-kit/command'
import { formatErrorLine } from '@public-api/cli-kit/error-line'
import { pluralOf } from '@public-api/cli-kit/wording'
import type { HttpResponse } from '@public-api/client-internal/http-response'
import { isOutage } from '@public-api/client-internal/outage'
import type { VerificationError } from '@public-api/client-internal/verification-error'
import type { StepReport, VerificationStep } from '@public-api/client-internal/verification-step'
import { propertyOf } from '@public-api/contract/json/property-of'
import { formatInstant, parseInstant } from '@public-api/contract/text/instant'
import { failureNote } from './failure-note.ts'
import type { VerifyOutcome } from './outcome-of.ts'
import { ageOf, sanitizeForTerminal } from './sanitize-for-terminal.ts'
import { UNPINNED_WARNING } from './unpinned-warning.ts'

/** One step of a check, in words. */
interface DescribedStep {
  readonly step: VerificationStep
  readonly outcome: StepReport['outcome'] | 'warning'
  readonly expected: string
  readonly found: string
}

const QUESTION_304 = 'the request named this ETag'

function describeFreshness({ expected, found }: StepReport, { nowMs }: VerifyOutcome): string {
  const [signedAt = '', renewedAt] = found
  const signedAtMs = parseInstant(signedAt)
  if (signedAtMs === undefined) return `signed at ${signedAt}, which is not an ISO 8601 time in UTC`
  const seconds = (nowMs - signedAtMs) / 1000
  const age = seconds < 0 ? `${ageOf(-seconds)} in the future` : `${ageOf(seconds)} old`
  const renewed = renewedAt === undefined ? '' : `; renewed by a 304 at ${renewedAt}`
  return `signed at ${signedAt}, ${age} at ${formatInstant(nowMs)}; at most ${expected.join()} s${renewed}`
}

/** What the signature of a response covers besides method, target, status and time. */
function signedPart({ status }: HttpResponse): string {
  return status === 304 ? 'ETag' : 'digest'
}

/** How the found values of a step are described. */
type Describe = (report: StepReport, outcome: VerifyOutcome) => string

const joined: Describe = ({ found }) => found.join(', ')

/** What each step checks, what it found, and what it found if it failed, unless the message of the error says it. */
const STEPS: {
  readonly [Name in VerificationStep]: {
    readonly question: string
    readonly passed: Describe
    readonly failed?: (...given: [...Parameters<Describe>, VerificationError]) => string
  }
} = {
  keys: {
    question: 'the key document contains a usable key, and the pinned key if --pin is given',
    passed({ expected, found }) {
      const ids = found.map((id) => `${id}${expected.includes(id) ? ' (pinned)' : ''}`)
      return `${pluralOf(found.length, 'key')}: ${ids.join(', ')}`
    },
  },
  proof: {
    question: 'the headers of a signature',
    passed: joined,
    failed: ({ expected, found }) =>
      `no ${expected.filter((name) => !found.includes(name)).join(', no ')}`,
  },
  digest: {
    question: 'Content-Digest is the SHA-256 of the body',
    passed: ({ found }, { response }) =>
      `${found.join()} over ${pluralOf(response.body.length, 'byte')}`,
    failed: ({ expected, found }, { response }) =>
      `stated ${expected[0] ?? 'no sha-256'}, the body of ${pluralOf(response.body.length, 'byte')} has ${found.join()}`,
  },
  signature: {
    question: 'the signature matches method, target, status, time and digest',
    passed: (_, { response }) =>
      `covers ${response.method} ${response.target}, status ${response.status}, this time and this ${signedPart(response)}`,
    failed: (_, { response }) =>
      `no known key signed ${response.method} ${response.target} ${response.status} with this time and ${signedPart(response)}`,
  },
  key: { question: 'a trusted key signed within its validity period', passed: joined },
  freshness: {
    question: 'the signature is neither too old nor from the future',
    passed: describeFreshness,
    failed: (report, outcome, { code, message }) =>
      ['MALFORMED', 'FUTURE', 'STALE'].includes(code)
        ? describeFreshness(report, outcome)
        : message,
  },
  body: {
    question: 'the body is JSON',
    passed: () => 'valid UTF-8 JSON',
    failed: () => 'not valid UTF-8 JSON',
  },
  etag: {
    question: 'the ETag is the hash of the data',
    passed: ({ expected, found }) =>
      found[0] ?? `no ETag header; computed from the data: ${expected[0] ?? 'none'}`,
  },
  requestId: {
    question: 'X-Request-Id matches the body',
    passed: ({ found }) => found[0] ?? 'no X-Request-Id header',
  },
}

/** The beginning of the warnings that belong to a step. */
const WARNING_CODES: { readonly [Name in VerificationStep]?: string } = {
  etag: 'ETAG:',
  requestId: 'REQUEST_ID:',
}

/** The warnings of a verified response. */
function warningsOf({ verified }: VerifyOutcome): readonly string[] {
  return verified?.warnings ?? []
}

function describeSteps(outcome: VerifyOutcome): readonly DescribedStep[] {
  const { response, steps, failure } = outcome
  return steps.map((report) => {
    const { step, outcome: result } = report
    const { question, passed, failed } = STEPS[step]
    const expected = step === 'etag' && response.status === 304 ? QUESTION_304 : question
    const found =
      result === 'unchecked'
        ? 'not checked'
        : result === 'failed' && failure !== undefined
          ? (failed?.(report, outcome, failure) ?? failure.message)
          : passed(report, outcome)
    const code = WARNING_CODES[step]
    const isWarned = warningsOf(outcome).some((each) => code !== undefined && each.startsWith(code))
    const shown = isWarned ? 'warning' : result
    return { step, outcome: shown, expected, found: sanitizeForTerminal(found, 300) }
  })
}

/** The error that the service sent, if any. */
function refusalOf({ verified }: VerifyOutcome) {
  const error = propertyOf(verified?.content, 'error')
  const [code, message] = [propertyOf(error, 'code'), propertyOf(error, 'message')]
  return typeof code === 'string' && typeof message === 'string' ? { code, message } : undefined
}

/** The name of a step as words. */
function wordsOf(step: string): string {
  return step.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function failedStep(steps: readonly DescribedStep[]): string {
  return steps.find(({ outcome }) => outcome === 'failed')?.step ?? ''
}

const MARKS = { ok: 'ok', failed: 'FAILED', unchecked: '-', warning: 'warning' }

function linesOf(
  outcome: VerifyOutcome,
  steps: readonly DescribedStep[],
): Pick<CommandResult, 'lines' | 'errors'> {
  const { response, url, isPinned, nowMs, verified, failure } = outcome
  const { method, status, body } = response
  const refusal = refusalOf(outcome)
  const lines = [
    `${method} ${url}`,
    `status ${status}, ${pluralOf(body.length, 'byte')}`,
    '',
    ...steps.flatMap(({ step, outcome: mark, expected, found }) => [
      `  ${MARKS[mark].padEnd(7)} ${wordsOf(step).padEnd(10)} ${expected}`,
      ...(mark === 'unchecked' || found === '' ? [] : [`${' '.repeat(21)}${found}`]),
    ]),
    '',
    ...(refusal === undefined
      ? []
      : [
          `The service returned the error ${sanitizeForTerminal(`${refusal.code}: ${refusal.message}`)}`,
        ]),
  ]
  if (failure !== undefined) {
    const failed = failedStep(steps)
    const note = failureNote(outcome, failed)
    return {
      lines: [...lines, `Not verified: the ${wordsOf(failed)} check failed.`],
      errors: [
        formatErrorLine(sanitizeForTerminal(failure.message, 400)),
        ...(note === undefined ? [] : [note]),
      ],
    }
  }
  const { provedAtMs, keyId } = verified
  const age = ageOf((nowMs - provedAtMs) / 1000)
  return {
    lines: [
      ...lines,
      ...warningsOf(outcome).map(
        (each) => `Warning: ${sanitizeForTerminal(each, 400)} (not signed; a proxy may change it)`,
      ),
      `Verified: signed by ${keyId} ${age} ago.`,
      ...(isPinned ? [] : [UNPINNED_WARNING]),
    ],
  }
}

function jsonOf(outcome: VerifyOutcome, steps: readonly DescribedStep[]): object {
  const { response, url, isPinned, verified, failure, retiredPin } = outcome
  const { method, status } = response
  return {
    ok: failure === undefined,
    method,
    url,
    status,
    isPinned,
    ...(failure === undefined
      ? {}
      : {
          fault: {
            code: failure.code,
            step: failedStep(steps),
            message: failure.message,
            ...(retiredPin === undefined ? {} : { retiredPin }),
          },
        }),
    steps,
    ...(verified === undefined
      ? {}
      : {
          source: 'origin',
          keyId: verified.keyId,
          provedAt: formatInstant(verified.provedAtMs),
          ageSeconds: Math.floor(Math.max(0, outcome.nowMs - verified.provedAtMs) / 1000),
          etag: verified.etag ?? null,
          warnings: verified.warnings,
        }),
    error: refusalOf(outcome) ?? null,
  }
}

/** An unsigned 429 or 5xx comes from a proxy, or signing is off. It proves nothing about the service. */
function exitCodeOf({ failure }: VerifyOutcome): ExitCode {
  if (failure === undefined) return EXIT_CODES.done
  return isOutage(failure) ? EXIT_CODES.unreachable : EXIT_CODES.failure
}

/** A response of a recording that could not be checked. */
interface RefusedResponse {
  readonly method: string
  readonly url: string
  readonly refused: CommandFailure
}

const AT_RECORDED =
  'Checked as of the time that the recorder states. Nothing proves that time: it can be changed with the file.'

/** What the command prints about the responses of a recording: all about one, and a line about each of several. */
export function describeRecording(
  results: readonly (VerifyOutcome | RefusedResponse)[],
  isAtRecorded: boolean,
): CommandResult {
  const [only] = results
  const said = isAtRecorded ? [AT_RECORDED] : []
  if (only !== undefined && results.length === 1 && !('refused' in only)) {
    const { json, lines, ...rest } = describeOutcome(only)
    return { ...rest, json: { ...json, isAtRecorded }, lines: [...lines, ...said] }
  }
  const entries = results.map((result) => {
    if ('refused' in result) {
      const { method, url, refused } = result
      const { code, message } = refused
      const exitCode = EXIT_CODES.usage
      const line = `${method} ${url}: ${code}: ${message}`
      const json = { ok: false, method, url, code, message }
      return { exitCode, line: `- ${line}`, json }
    }
    const { response, url, failure } = result
    const { json, exitCode = EXIT_CODES.done } = describeOutcome(result)
    const verdict =
      failure === undefined
        ? `signed at ${formatInstant(result.verified.provedAtMs)}`
        : failure.message
    const line = `${response.method} ${url} ${response.status}: ${verdict}`
    return { exitCode, line: `${failure === undefined ? 'ok' : 'FAILED'} ${line}`, json }
  })
  const codes = entries.map(({ exitCode }) => exitCode)
  return {
    json: {
      ok: codes.every((code) => code === EXIT_CODES.done),
      isAtRecorded,
      responses: entries.map(({ json }) => json),
    },
    lines: [
      ...entries.map(({ line }) => sanitizeForTerminal(line, 400)),
      ...said,
      results.some((each) => 'isPinned' in each && !each.isPinned) && UNPINNED_WARNING,
    ],
    // What is wrong weighs more than what could not be checked.
    exitCode: ([1, 2, 3] as const).find((code) => codes.includes(code)) ?? EXIT_CODES.done,
  }
}

/** What the command prints about a check, and its exit code. */
export function describeOutcome(outcome: VerifyOutcome): CommandResult {
  const steps = describeSteps(outcome)
  return {
    json: jsonOf(outcome, steps),
    ...linesOf(outcome, steps),
    exitCode: exitCodeOf(outcome),
  }
}
