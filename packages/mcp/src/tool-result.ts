import { CommandFailure } from '@public-api/cli-kit/command'
import { formatErrorLine } from '@public-api/cli-kit/error-line'
import { ApiResponseError } from '@public-api/client-internal/api-response-error'
import { ConnectionError } from '@public-api/client-internal/connection'
import { CopyError } from '@public-api/client-internal/copies/copy-error'
import { AuditStateError } from '@public-api/client-internal/history/audit-state-error'
import { HistoryError, UnlinkedKeysError } from '@public-api/client-internal/history/history-error'
import { HISTORY_FAULTS } from '@public-api/client-internal/history/history-proofs'
import { UnsettledError } from '@public-api/client-internal/history/unsettled-error'
import { isFinal, isOutage } from '@public-api/client-internal/outage'
import { describeRetiredPin } from '@public-api/client-internal/retired-pin'
import { orAborted } from '@public-api/client-internal/retries'
import {
  VERIFICATION_FAULTS,
  VerificationError,
} from '@public-api/client-internal/verification-error'
import { ChainError } from '@public-api/contract/history/version-chain'
import { formatBounded, type PageRequest } from './bounded-result.ts'
import { ToolFailure } from './tool-failure.ts'

/** The result of a tool, in the form of the protocol. */
export interface ToolResult {
  [member: string]: unknown
  readonly isError?: true
  readonly content: { readonly type: 'text'; readonly text: string }[]
}

const COPY_FAULTS = {
  NO_COPY: 'the service is away, and no copy has this',
  STALE_COPY: 'the service is away, and its copies are older than --max-mirror-age',
  OTHER_HISTORY: 'the service is away, and a copy contradicts the history that was verified',
}

/** The code and the reason of an error. Errors of the client quote header fields, so their messages are not used. */
function describeError(error: unknown): readonly [code: string, reason: string] {
  if (error instanceof ToolFailure) return [error.code, error.message]
  if (error instanceof VerificationError) {
    const away = 'the service is away, and a proxy sent an error without a signature'
    return [error.code, isOutage(error) ? away : VERIFICATION_FAULTS[error.code]]
  }
  if (error instanceof HistoryError) {
    return [error.code, `${HISTORY_FAULTS[error.code]}. Run 'svc audit' to save the evidence.`]
  }
  if (error instanceof ChainError) return ['BROKEN', 'an entry breaks the chain of the history']
  if (error instanceof UnlinkedKeysError) {
    return [error.code, 'the history contradicts the saved one, and unrelated keys signed the two']
  }
  if (error instanceof CopyError) return [error.code, COPY_FAULTS[error.code]]
  if (error instanceof AuditStateError) return [error.code, 'the saved state is of another service']
  if (error instanceof UnsettledError)
    return ['UNSETTLED', 'versions are being published; ask again later']
  if (error instanceof ApiResponseError) {
    const { code, status, retryAfterSeconds } = error
    const wait = retryAfterSeconds === undefined ? '' : `; try again after ${retryAfterSeconds} s`
    return [
      code,
      `the service refused with status ${status}, and the signature of the refusal was verified${wait}`,
    ]
  }
  if (error instanceof ConnectionError) {
    return isFinal(error)
      ? ['RESPONSE', 'it is a redirect, or too large; asking again does not help']
      : ['UNREACHABLE', 'no complete response was received']
  }
  if (error instanceof CommandFailure) return [error.code, 'the key IDs to trust could not be read']
  // Its message may quote what was received.
  return ['INTERNAL', 'this server failed; the details are on its standard error']
}

/**
 * Creates a function that runs a tool for at most `timeoutMs`. What does not verify is an error without content. The
 * tool gets a signal that aborts at the limit.
 */
export function createToolRunner(timeoutMs: number) {
  return async (
    tool: (late: AbortSignal) => Promise<object>,
    page?: PageRequest,
  ): Promise<ToolResult> => {
    const late = AbortSignal.timeout(timeoutMs)
    try {
      const text = formatBounded(await orAborted(tool(late), late), page)
      return { content: [{ type: 'text', text }] }
    } catch (thrown) {
      const tooLong = `no result within ${timeoutMs / 1000} s; --timeout allows more`
      const error = thrown === late.reason ? new ToolFailure('TIMEOUT', tooLong) : thrown
      const [code, fault] = describeError(error)
      const retired = await describeRetiredPin(error)
      const reason = retired === undefined ? fault : `${fault}; ${retired}`
      if (code === 'INTERNAL') process.stderr.write(`${formatErrorLine(String(error))}\n`)
      const isKnown = error instanceof ToolFailure || error instanceof ApiResponseError
      const why = isKnown ? '' : ', because nothing was verified'
      const text = `${code}: ${reason}. No content is returned${why}.`
      return { isError: true, content: [{ type: 'text', text }] }
    }
  }
}
