import { ApiResponseError } from '@public-api/client-source/api-response-error'
import { AuditStateError } from '@public-api/client-source/audit-state-error'
import { ConnectionError } from '@public-api/client-source/connection'
import { HistoryError, UnlinkedKeysError } from '@public-api/client-source/history-error'
import { HISTORY_FAULTS } from '@public-api/client-source/history-proofs'
import { UnsettledError } from '@public-api/client-source/unsettled-error'
import {
  VERIFICATION_FAULTS,
  VerificationError,
} from '@public-api/client-source/verification-error'
import { CommandFailure } from '@public-api/command/command'
import { ChainError } from '@public-api/contract/history/version-chain'

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
}

/** A result as JSON: texts of the service stay within its strings. */
function toResult(value: unknown): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value, undefined, 2) }] }
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
  if (error instanceof AuditStateError) return [error.code, 'the saved state is of another service']
  if (error instanceof UnsettledError)
    return ['UNSETTLED', 'versions are being published; ask again later']
  if (error instanceof ApiResponseError)
    return [error.code, `the service refused with status ${error.status}`]
  if (error instanceof ConnectionError) return ['UNREACHABLE', 'no complete response was received']
  if (error instanceof CommandFailure) return [error.code, 'the key IDs to trust could not be read']
  throw error
}

/** Runs a tool. What does not verify is an error without content. */
export async function runTool(tool: () => Promise<unknown>): Promise<ToolResult> {
  try {
    return toResult(await tool())
  } catch (error) {
    const [code, reason] = describeError(error)
    const text = `${code}: ${reason}. No content is returned, because nothing was verified.`
    return { isError: true, content: [{ type: 'text', text }] }
  }
}
