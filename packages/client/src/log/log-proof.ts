// Offline proofs: c2sp.org/tlog-proof.

import type { VersionEntry } from '#contract/history/version-chain'
import { decodeCanonicalBase64, encodeBase64 } from '../base64.ts'
import { parseSize } from './checkpoint.ts'
import { digestOf, parseLogEntry } from './log-entry.ts'
import { LogError } from './log-error.ts'
import type { LogPolicy } from './log-policy.ts'
import { hashLeaf, MAX_PROOF_HASHES, verifyInclusion } from './merkle-tree.ts'
import { checkNoteText, MAX_NOTE_BYTES } from './signed-note.ts'
import { MAX_ENTRY_BYTES } from './tiles.ts'
import { verifyCheckpoint, type VerifiedCheckpoint } from './verify-checkpoint.ts'

/** The first line of an offline proof. */
export const PROOF_FIRST_LINE = 'c2sp.org/tlog-proof@v1'
/** The entry in base64, the hashes and the checkpoint, each at its own limit. */
const MAX_PROOF_BYTES = MAX_NOTE_BYTES + 2 * MAX_ENTRY_BYTES + 64 * MAX_PROOF_HASHES

/** A proof, split; nothing of it is verified. */
export interface LogProof {
  /** The entry, if the proof contains it. */
  readonly entry: Uint8Array | undefined
  /** Place of the entry, from 0. */
  readonly index: number
  /** From the leaf's sibling to the root's child. */
  readonly hashes: readonly Uint8Array[]
  /** The signed checkpoint. */
  readonly note: string
}

/** The text of a proof. */
export function formatProof({ entry, index, hashes, note }: LogProof): string {
  const extra = entry === undefined ? [] : [`extra ${encodeBase64(entry)}`]
  return [PROOF_FIRST_LINE, ...extra, `index ${index}`, ...hashes.map(encodeBase64), '', note].join(
    '\n',
  )
}

/** Splits a proof. Throws a LogError (MALFORMED) with the line. */
function parseProof(text: string): LogProof {
  checkNoteText('the proof', text, MAX_PROOF_BYTES)
  const refuse = (line: number, expected: string): never => {
    throw new LogError('MALFORMED', `the proof, line ${line}: expected ${expected}`)
  }
  const head = text.slice(0, Math.max(text.indexOf('\n\n'), 0)).split('\n')
  if (head[0] !== PROOF_FIRST_LINE) return refuse(1, PROOF_FIRST_LINE)
  const hasExtra = head[1]?.startsWith('extra ') === true
  const entry = hasExtra ? decodeCanonicalBase64(head[1]?.slice('extra '.length) ?? '') : undefined
  if (hasExtra && entry === undefined) return refuse(2, 'extra and an entry in base64')
  const at = hasExtra ? 2 : 1
  const [, size = ''] = /^index (.*)$/.exec(head[at] ?? '') ?? []
  const index = parseSize(size)
  if (index === undefined) return refuse(at + 1, 'index and the place of the entry in decimal')
  const lines = head.slice(at + 1)
  if (lines.length > MAX_PROOF_HASHES) {
    return refuse(at + 2 + MAX_PROOF_HASHES, `at most ${MAX_PROOF_HASHES} hashes`)
  }
  const hashes = lines.map(
    (line, place) =>
      decodeCanonicalBase64(line, 32) ?? refuse(at + 2 + place, 'a hash, 32 bytes in base64'),
  )
  return { entry, index, hashes, note: text.slice(text.indexOf('\n\n') + 2) }
}

/** A proof to verify. */
export interface ProofExpectations {
  /** Text of the `.tlog-proof` file. */
  readonly proof: string
  /** Whom you trust. */
  readonly policy: LogPolicy
  /** Your clock, in milliseconds since 1970. */
  readonly nowMs: number
  /** The entry, for a proof that does not contain it: the text whose SHA-256 is the version's hash. */
  readonly entry?: Uint8Array
  /** The bytes of a resource, if they are to be verified too. */
  readonly resource?: Uint8Array
  /** Maximum age of the cosignatures. Default: any. */
  readonly maxAgeSeconds?: number
}

/** What a proof shows. */
export interface VerifiedProof {
  /** The version. */
  readonly version: VersionEntry
  /** The checkpoint that contains it, with the witnesses and their times. */
  readonly checkpoint: VerifiedCheckpoint
  /** Names of the resources of the version that have the given bytes; empty without `resource`. */
  readonly resources: readonly string[]
}

/**
 * Verifies an offline proof: the checkpoint by the policy, the entry by the proof, and the bytes of a resource by the
 * entry. Needs no network. Throws a LogError.
 *
 * @example
 * ```ts
 * const policy = await openPolicy(policyText)
 * const { version, checkpoint } = await verifyProof({ proof, policy, nowMs: Date.now() })
 * console.log(version.snapshotId, version.hash, checkpoint.witnessedAtMs)
 * ```
 */
export async function verifyProof(expectations: ProofExpectations): Promise<VerifiedProof> {
  const { policy, nowMs, resource, maxAgeSeconds = Infinity } = expectations
  const { entry: extra, index, hashes, note } = parseProof(expectations.proof)
  const entry = expectations.entry ?? extra
  if (entry === undefined) {
    throw new LogError('ENTRY', 'the proof does not contain the entry; pass the entry as well')
  }
  const checkpoint = await verifyCheckpoint({ note, policy, nowMs, maxAgeSeconds })
  const { size, root } = checkpoint
  await verifyInclusion({ index, size, leafHash: await hashLeaf(entry), proof: hashes, root })
  const version = await parseLogEntry(entry, index)
  if (resource === undefined) return { version, checkpoint, resources: [] }
  const digest = await digestOf(resource)
  const resources = Object.keys(version.resources).filter(
    (name) => version.resources[name] === digest,
  )
  if (resources.length === 0) {
    throw new LogError('RESOURCE', `${version.snapshotId} has no resource with digest ${digest}`)
  }
  return { version, checkpoint, resources }
}
