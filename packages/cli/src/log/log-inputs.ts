import { CommandFailure, EXIT_CODES } from '@public-api/cli-kit/command'
import { pluralOf } from '@public-api/cli-kit/wording'
import { ConnectionError } from '@public-api/client-internal/connection'
import { LogError } from '@public-api/client-internal/log/log-error'
import { type LogPolicy, openPolicy } from '@public-api/client-internal/log/log-policy'
import { ED25519 } from '@public-api/client-internal/log/signed-note'
import type { VerifiedCheckpoint } from '@public-api/client-internal/log/verify-checkpoint'
import { ChainError } from '@public-api/contract/history/version-chain'
import { describeFailure } from '../verifying/failure-reason.ts'
import { sanitizeForTerminal } from '../verifying/sanitize-for-terminal.ts'
import { inputFailure, readTextInput } from '../verifying/saved-response.ts'

/** The largest resource of a release. */
export const MAX_RESOURCE_BYTES = 8_388_608
/** Larger files are refused before they are parsed. */
export const MAX_TEXT_BYTES = 1_000_000

/** The policy in a file. Throws a CommandFailure (exit code 2) that names the file and the line. */
export async function readPolicyFile(file: string): Promise<LogPolicy> {
  const text = await readTextInput(file, MAX_TEXT_BYTES)
  let policy: LogPolicy
  try {
    policy = await openPolicy(text)
  } catch (error) {
    if (!(error instanceof LogError)) throw error
    throw inputFailure(error.code, `${file}: ${sanitizeForTerminal(error.message, 400)}`)
  }
  // The log is not known from elsewhere.
  if (policy.logs.some(({ key }) => key.type === ED25519)) return policy
  throw inputFailure('MALFORMED', `${file} names no log; expected a line: log <vkey> [<url>]`)
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

/** A checkpoint for `--json`. */
export function describeCheckpoint(checkpoint: VerifiedCheckpoint) {
  const { origin, size, cosignatures } = checkpoint
  return {
    origin,
    size,
    witnessedAt: witnessedAt(checkpoint),
    cosignatures: cosignatures.map(({ witness }) => witness),
  }
}

/** Who vouches for a checkpoint, as lines for a person. */
export function checkpointLines(checkpoint: VerifiedCheckpoint): readonly string[] {
  const { origin, size, cosignatures } = checkpoint
  const at = witnessedAt(checkpoint)
  const names = cosignatures.map(({ witness }) => sanitizeForTerminal(witness, 60)).join(', ')
  return [
    `Log ${sanitizeForTerminal(origin, 200)}, ${pluralOf(size, 'version')}.`,
    at === null
      ? 'The policy asks for no witness: only its operator vouches for it.'
      : `Cosigned by ${names}; the quorum was met at ${at}.`,
  ]
}
