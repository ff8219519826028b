import { CommandFailure, EXIT_CODES } from '@public-api/cli-kit/command'
import { ConnectionError } from '@public-api/client-internal/connection'
import { LogError } from '@public-api/client-internal/log/log-error'
import { type LogPolicy, openPolicy } from '@public-api/client-internal/log/log-policy'
import type { VerifiedCheckpoint } from '@public-api/client-internal/log/verify-checkpoint'
import { readFileUpTo } from '@public-api/client-internal/node/read-file-up-to'
import { messageOf } from '@public-api/contract/errors/error-message'
import { ChainError } from '@public-api/contract/history/version-chain'
import { describeFailure } from '../verifying/failure-reason.ts'
import { sanitizeForTerminal } from '../verifying/sanitize-for-terminal.ts'

/** The largest resource of a release. */
export const MAX_RESOURCE_BYTES = 8_388_608
/** Larger files are refused before they are parsed. */
const MAX_TEXT_BYTES = 1_000_000

/** The bytes of a file. Throws a CommandFailure that names it. */
export async function readInput(file: string, maxBytes: number = MAX_TEXT_BYTES): Promise<Buffer> {
  try {
    return await readFileUpTo(file, maxBytes)
  } catch (error) {
    throw new CommandFailure('UNREADABLE', `${file}: could not be read (${messageOf(error)})`)
  }
}

/** The text of a file. Throws a CommandFailure that names it. */
export async function readTextInput(file: string): Promise<string> {
  const bytes = await readInput(file)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new CommandFailure('MALFORMED', `${file}: expected UTF-8 text`)
  }
}

/** The policy in a file. Throws a CommandFailure that names the file and the line. */
export async function readPolicyFile(file: string): Promise<LogPolicy> {
  const text = await readTextInput(file)
  return withLogErrors(() => openPolicy(text), file)
}

/** Runs checks of a log. What must not be trusted is exit code 1, and what does not respond 3. */
export async function withLogErrors<Result>(
  work: () => Promise<Result>,
  place?: string,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof LogError || error instanceof ChainError) {
      const where = place === undefined ? '' : `${place}: `
      throw new CommandFailure(error.code, `${where}${sanitizeForTerminal(error.message, 400)}`)
    }
    if (error instanceof ConnectionError) {
      // The cause of fetch's own error names the reason.
      const { cause } = error
      const reason = describeFailure(
        cause instanceof Error ? (cause.cause ?? cause) : cause,
        30_000,
      )
      throw new CommandFailure('UNREACHABLE', `${place ?? 'the service'} ${reason}`, {
        exitCode: EXIT_CODES.unreachable,
      })
    }
    throw error
  }
}

/** When the quorum cosigned, as text. */
export function witnessedAt({ witnessedAtMs }: VerifiedCheckpoint): string | null {
  if (witnessedAtMs === undefined || Math.abs(witnessedAtMs) > 8.64e15) return null
  return new Date(witnessedAtMs).toISOString()
}

/** Who vouches for a checkpoint, as lines for a person. */
export function checkpointLines(checkpoint: VerifiedCheckpoint): readonly string[] {
  const { origin, size, cosignatures } = checkpoint
  const at = witnessedAt(checkpoint)
  const names = cosignatures.map(({ witness }) => sanitizeForTerminal(witness, 60)).join(', ')
  return [
    `Log ${sanitizeForTerminal(origin, 200)}, ${size} versions.`,
    at === null
      ? 'The policy asks for no witness: only its operator vouches for it.'
      : `Cosigned by ${names}; the quorum was met at ${at}.`,
  ]
}
