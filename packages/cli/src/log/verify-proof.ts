import type { CommandResult } from '@public-api/cli-kit/command'
import { PROOF_FIRST_LINE, verifyProof } from '@public-api/client-internal/log/log-proof'
import { sanitizeForTerminal } from '../verifying/sanitize-for-terminal.ts'
import { inputFailure, readInput, readTextInput } from '../verifying/saved-response.ts'
import {
  checkpointLines,
  describeCheckpoint,
  MAX_RESOURCE_BYTES,
  MAX_TEXT_BYTES,
  readPolicyFile,
  withLogErrors,
} from './log-inputs.ts'

/** Files of an offline verification. */
export interface ProofFiles {
  readonly proof: string
  readonly policy: string
  readonly resource: string | undefined
  readonly entry: string | undefined
}

/** Verifies an offline proof. Throws a CommandFailure. */
export async function verifyProofFiles(files: ProofFiles, nowMs: number): Promise<CommandResult> {
  const policy = await readPolicyFile(files.policy)
  const proof = await readTextInput(files.proof, MAX_TEXT_BYTES)
  if (!proof.startsWith(`${PROOF_FIRST_LINE}\n`)) {
    throw inputFailure(
      'MALFORMED',
      `${files.proof}: expected an offline proof, whose first line is ${PROOF_FIRST_LINE}`,
    )
  }
  const resource =
    files.resource === undefined ? undefined : await readInput(files.resource, MAX_RESOURCE_BYTES)
  const entry = files.entry === undefined ? undefined : await readInput(files.entry, MAX_TEXT_BYTES)
  const { version, checkpoint, resources } = await withLogErrors(
    () =>
      verifyProof({
        proof,
        policy,
        nowMs,
        ...(resource === undefined ? {} : { resource }),
        ...(entry === undefined ? {} : { entry }),
      }),
    files.proof,
  )
  const { snapshotId, createdAt, hash, note } = version
  const shown =
    resource === undefined
      ? []
      : [`${files.resource} is its resource ${sanitizeForTerminal(resources.join(', '), 200)}.`]
  return {
    json: {
      ...describeCheckpoint(checkpoint),
      version: { snapshotId, createdAt, hash, note },
      resources,
    },
    lines: [
      `Verified: ${snapshotId} of ${sanitizeForTerminal(createdAt, 40)}, hash ${hash}.`,
      `  ${sanitizeForTerminal(JSON.stringify(note), 600)}`,
      ...shown,
      ...checkpointLines(checkpoint),
    ],
  }
}
