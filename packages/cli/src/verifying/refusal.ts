import { CommandFailure, EXIT_CODES } from '@public-api/cli-kit/command'
import type { ApiResponseError } from '@public-api/client-internal/api-response-error'
import { sanitizeForTerminal } from './sanitize-for-terminal.ts'

/** A signed refusal as a failure of a command: temporary for a limit and an outage, and with the wait that it names. */
export function refusalOf(error: ApiResponseError, who: string): CommandFailure {
  const { code, status, message, retryAfterSeconds } = error
  const wait = retryAfterSeconds === undefined ? '' : ` (Retry-After: ${retryAfterSeconds})`
  const isTemporary = status >= 500 || status === 429
  return new CommandFailure(code, `${who}: ${sanitizeForTerminal(message)}${wait}`, {
    exitCode: isTemporary ? EXIT_CODES.unreachable : EXIT_CODES.failure,
    members: { retryAfterSeconds },
  })
}
