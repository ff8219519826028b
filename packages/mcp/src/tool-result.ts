import { CommandFailure } from '@public-api/cli-kit/command'
import { formatErrorLine } from '@public-api/cli-kit/error-line'
import { ApiResponseError } from '@public-api/client-internal/api-response-error'
import { ConnectionError } from '@public-api/client-internal/connection'
import { CopyError } from '@public-api/client-internal/copies/copy-error'
import { AuditStateError } from '@public-api/client-internal/history/audit-state-error'
import { HistoryError, UnlinkedKeysError } from '@public-api/client-internal/history/history-error'
import { HISTORY_FAULTS } from '@public-api/client-internal/history/history-proofs'
import { UnsettledError } from '@public-api/client-internal/history/unsettled-error'
import { describeRetiredPin } from '@public-api/client-internal/retired-pin'
import { orAborted } from '@public-api/client-internal/retries'
import {
  VERIFICATION_FAULTS,
  VerificationError,
} from '@public-api/client-internal/verification-error'
import { ChainError } from '@public-api/contract/history/version-chain'
import { escapeHidden } from '@public-api/contract/text/hidden-characters'

/** A tool cannot return what was asked. The message is written here and quotes nothing that was received. */
export class ToolFailure extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = 'ToolFailure'
    this.code = code
  }
}

/** The result of a tool, in the form of the protocol. */
export interface ToolResult {
  [member: string]: unknown
  readonly isError?: true
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent?: { [member: string]: unknown }
}

/** A longer result would fill the context of an agent, or be cut off by its client. */
const MAX_CHARACTERS = 100_000

/** Writes what only a model would read as its escape, in every text of a value. */
function escapeTexts(value: unknown): unknown {
  if (typeof value === 'string') return escapeHidden(value)
  if (Array.isArray(value)) return value.map(escapeTexts)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(
    ([name, member]) => [escapeHidden(name), escapeTexts(member)] as const,
  )
  return Object.fromEntries(members)
}

/**
 * A result as JSON: texts of the service stay within its strings, and what only a model would read is escaped. As a value,
 * it has the same members.
 */
function toResult(value: object): ToolResult {
  const text = escapeHidden(JSON.stringify(value, undefined, 2))
  if (text.length > MAX_CHARACTERS) {
    const reason = `the result has ${text.length} characters, more than ${MAX_CHARACTERS}; search, or ask for fewer versions`
    throw new ToolFailure('TOO_LARGE', reason)
  }
  return {
    content: [{ type: 'text', text }],
    structuredContent: escapeTexts(value) as { [member: string]: unknown },
  }
}

/** The code and the reason of an error. Errors of the client quote header fields, so their messages are not used. */
function describeError(error: unknown): readonly [code: string, reason: string] {
  if (error instanceof ToolFailure) return [error.code, error.message]
  if (error instanceof VerificationError) return [error.code, VERIFICATION_FAULTS[error.code]]
  if (error instanceof HistoryError) {
    return [error.code, `${HISTORY_FAULTS[error.code]}. Run 'svc audit' to save the evidence.`]
  }
  if (error instanceof ChainError) return ['BROKEN', 'an entry breaks the chain of the history']
  if (error instanceof UnlinkedKeysError) {
    return [error.code, 'the history contradicts the saved one, and unrelated keys signed the two']
  }
  if (error instanceof CopyError) return [error.code, 'the service is away, and no copy has this']
  if (error instanceof AuditStateError) return [error.code, 'the saved state is of another service']
  if (error instanceof UnsettledError)
    return ['UNSETTLED', 'versions are being published; ask again later']
  if (error instanceof ApiResponseError)
    return [error.code, `the service refused with status ${error.status}`]
  if (error instanceof ConnectionError) return ['UNREACHABLE', 'no complete response was received']
  if (error instanceof CommandFailure) return [error.code, 'the key IDs to trust could not be read']
  // Its message may quote what was received.
  return ['INTERNAL', 'this server failed; the details are on its standard error']
}

/**
 * Creates a function that runs a tool for at most `timeoutMs`. What does not verify is an error without content. The
 * tool gets a signal that aborts at the limit.
 */
export function createToolRunner(timeoutMs: number) {
  return async (tool: (late: AbortSignal) => Promise<object>): Promise<ToolResult> => {
    const late = AbortSignal.timeout(timeoutMs)
    try {
      return toResult(await orAborted(tool(late), late))
    } catch (thrown) {
      const tooLong = `no result within ${timeoutMs / 1000} s; --timeout allows more`
      const error = thrown === late.reason ? new ToolFailure('TIMEOUT', tooLong) : thrown
      const [code, fault] = describeError(error)
      const retired = await describeRetiredPin(error)
      const reason = retired === undefined ? fault : `${fault}; ${retired}`
      if (code === 'INTERNAL') process.stderr.write(`${formatErrorLine(String(error))}\n`)
      const why = error instanceof ToolFailure ? '' : ', because nothing was verified'
      const text = `${code}: ${reason}. No content is returned${why}.`
      return { isError: true, content: [{ type: 'text', text }] }
    }
  }
}
