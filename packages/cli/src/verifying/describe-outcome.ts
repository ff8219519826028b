import { type CommandResult, EXIT_CODES, type ExitCode } from '@public-api/cli-kit/command'
import { formatErrorLine } from '@public-api/cli-kit/error-line'
import { pluralOf } from '@public-api/cli-kit/wording'
import type { HttpResponse } from '@public-api/client-internal/http-response'
import type { VerificationError } from '@public-api/client-internal/verification-error'
import type { StepReport, VerificationStep } from '@public-api/client-internal/verification-step'
import { propertyOf } from '@public-api/contract/json/property-of'
import { formatInstant, parseInstant } from '@public-api/contract/text/instant'
import { failureNote } from './failure-note.ts'
import { isInconclusive } from './inconclusive-status.ts'
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

/** What each step checks. */
const QUESTIONS: { readonly [Name in VerificationStep]: string } = {
  keys: 'the key document contains a usable key, and the pinned key if --pin is given',
  proof: 'the headers of a signature',
  digest: 'Content-Digest is the SHA-256 of the body',
  signature: 'the signature matches method, target, status, time and digest',
  key: 'a trusted key signed within its validity period',
  freshness: 'the signature is neither too old nor from the future',
  body: 'the body is JSON',
  etag: 'the ETag is the hash of the data',
  requestId: 'X-Request-Id matches the body',
}

const QUESTION_304 = 'the request named this ETag'

function describeFreshness({ expected, found }: StepReport, nowMs: number): string {
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

function describePassed(report: StepReport, { response, nowMs }: VerifyOutcome): string {
  const { step, expected, found } = report
  const [value] = found
  switch (step) {
    case 'keys': {
      const ids = found.map((id) => `${id}${expected.includes(id) ? ' (pinned)' : ''}`)
      return `${pluralOf(found.length, 'key')}: ${ids.join(', ')}`
    }
    case 'digest':
      return `${value} over ${pluralOf(response.body.length, 'byte')}`
    case 'signature':
      return `covers ${response.method} ${response.target}, status ${response.status}, this time and this ${signedPart(response)}`
    case 'freshness':
      return describeFreshness(report, nowMs)
    case 'body':
      return 'valid UTF-8 JSON'
    case 'etag':
      return value ?? `no ETag header; computed from the data: ${expected[0] ?? 'none'}`
    case 'requestId':
      return value ?? 'no X-Request-Id header'
    case 'proof':
    case 'key':
      return found.join(', ')
  }
}

/** What a failed step found. The message of the error, unless more is known. */
function describeFailed(
  report: StepReport,
  { response, nowMs }: VerifyOutcome,
  { code, message }: VerificationError,
): string {
  const { step, expected, found } = report
  switch (step) {
    case 'proof':
      return `no ${expected.filter((name) => !found.includes(name)).join(', no ')}`
    case 'digest':
      return `stated ${expected[0] ?? 'no sha-256'}, the body of ${pluralOf(response.body.length, 'byte')} has ${found.join()}`
    case 'signature':
      return `no known key signed ${response.method} ${response.target} ${response.status} with this time and ${signedPart(response)}`
    case 'freshness':
      return ['MALFORMED', 'FUTURE', 'STALE'].includes(code)
        ? describeFreshness(report, nowMs)
        : message
    case 'body':
      return 'not valid UTF-8 JSON'
    case 'keys':
    case 'key':
    case 'etag':
    case 'requestId':
      return message
  }
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
    const expected = step === 'etag' && response.status === 304 ? QUESTION_304 : QUESTIONS[step]
    const found =
      result === 'unchecked'
        ? 'not checked'
        : result === 'failed' && failure !== undefined
          ? describeFailed(report, outcome, failure)
          : describePassed(report, outcome)
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
  return failure.code === 'UNSIGNED' && isInconclusive(failure.response?.status ?? 0)
    ? EXIT_CODES.unreachable
    : EXIT_CODES.failure
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
