import { decodeCanonicalBase64, encodeBase64 } from '../base64.ts'
import { isLineOf, parseSignedCheckpoint, type SignedCheckpoint } from './checkpoint.ts'
import { LogError } from './log-error.ts'
import type { LogPolicy } from './log-policy.ts'
import {
  consistencyProof,
  equalHashes,
  isPowerOfTwo,
  MAX_PROOF_HASHES,
  rootOf,
  rootsOfConsistency,
  type SubtreeHashes,
} from './merkle-tree.ts'
import { ED25519 } from './signed-note.ts'
import { describeSigners } from './verify-checkpoint.ts'

/** Two signed trees of one log that contradict each other, as JSON. Anyone can check it without the service. */
export interface ForkEvidence {
  /** Name of this format. */
  readonly format: 'svc-log-fork-v1'
  /** The two signed checkpoints, the smaller tree first. */
  readonly notes: readonly [string, string]
  /**
   * Hashes in base64 that lead to the root of the larger tree, and to another root than the smaller one's. As RFC 9162
   * 2.1.4.2 prepares them: the first is a subtree of both. Empty if the sizes are equal.
   */
  readonly proof: readonly string[]
}

/**
 * The log signed two trees that contradict each other. Store `evidence`: anyone can check it with `verifyForkEvidence`.
 *
 * @example
 * ```ts
 * if (error instanceof ForkError) await writeFile('fork.json', JSON.stringify(error.evidence))
 * ```
 */
export class ForkError extends LogError {
  /** Always FORK. */
  declare readonly code: 'FORK'
  /** JSON. */
  readonly evidence: ForkEvidence

  constructor(evidence: ForkEvidence) {
    const [smaller, larger] = evidence.notes.map((note) => parseSignedCheckpoint(note))
    super(
      'FORK',
      `${smaller?.origin} signed two histories: sizes ${smaller?.size} and ${larger?.size}`,
    )
    this.name = 'ForkError'
    this.evidence = evidence
  }
}

/** The path of a consistency proof with its first hash, which the proof itself omits for a power of two. */
async function fullPath(
  hashes: SubtreeHashes,
  oldSize: number,
  size: number,
): Promise<readonly Uint8Array[]> {
  const proof = await consistencyProof(hashes, oldSize, size)
  return isPowerOfTwo(oldSize) ? [await rootOf(hashes, oldSize), ...proof] : proof
}

/**
 * Checks that two verified checkpoints of one log are of one history. `hashes` are the subtrees of the larger tree,
 * such as its tiles. Throws a ForkError with evidence if they are not, and a LogError (CONSISTENCY) if `hashes` do not
 * belong to the larger tree.
 *
 * @example
 * ```ts
 * await verifyOneHistory(saved.note, checkpoint.note, createTileHashes(checkpoint.size, readTile))
 * ```
 */
export async function verifyOneHistory(
  oneNote: string,
  otherNote: string,
  hashes: SubtreeHashes,
): Promise<void> {
  const [one, other] = [parseSignedCheckpoint(oneNote), parseSignedCheckpoint(otherNote)]
  const isInOrder = one.size <= other.size
  const [smaller, larger] = isInOrder ? [one, other] : [other, one]
  const notes = isInOrder ? ([oneNote, otherNote] as const) : ([otherNote, oneNote] as const)
  const fail = (path: readonly Uint8Array[]): never => {
    throw new ForkError({ format: 'svc-log-fork-v1', notes, proof: path.map(encodeBase64) })
  }
  if (smaller.size === larger.size) {
    if (!equalHashes(smaller.root, larger.root)) fail([])
    return
  }
  if (smaller.size === 0) return
  const path = await fullPath(hashes, smaller.size, larger.size)
  const roots = await rootsOfConsistency(smaller.size, larger.size, path)
  if (roots === undefined || !equalHashes(roots.root, larger.root)) {
    const detail = `the hashes do not lead to the root of the tree of ${larger.size}`
    throw new LogError('CONSISTENCY', detail)
  }
  if (!equalHashes(roots.oldRoot, smaller.root)) fail(path)
}

/** Refuses a note that no key of the policy's log with this origin signed. */
async function checkSigned(note: SignedCheckpoint, policy: LogPolicy): Promise<void> {
  for (const { key } of policy.logs) {
    if (key.name !== note.origin || key.type !== ED25519) continue
    for (const line of note.signatures) {
      if (isLineOf(key, line) && (await key.isSignatureOf(line.signature, note.text))) return
    }
  }
  throw new LogError(
    'UNKNOWN_LOG',
    `no log of the policy signed the tree of ${note.size}; ${describeSigners(note, policy)}`,
  )
}

/**
 * Verifies that evidence proves that a log of the policy signed two trees that contradict each other. Resolves with the
 * origin of the log. Throws a LogError if it proves nothing.
 *
 * @example
 * ```ts
 * const origin = await verifyForkEvidence(JSON.parse(text), policy)
 * ```
 */
export async function verifyForkEvidence(
  evidence: ForkEvidence,
  policy: LogPolicy,
): Promise<string> {
  // Anyone can write this file, so it may be any JSON.
  const { format, notes, proof } = Object(evidence) as ForkEvidence
  const isShaped =
    format === 'svc-log-fork-v1' &&
    Array.isArray(notes) &&
    notes.length === 2 &&
    notes.every((note) => typeof note === 'string') &&
    Array.isArray(proof) &&
    proof.length <= MAX_PROOF_HASHES + 1
  if (!isShaped)
    throw new LogError('MALFORMED', 'the evidence is not of the format svc-log-fork-v1')
  const [smaller, larger] = [
    parseSignedCheckpoint(notes[0], 'the first note'),
    parseSignedCheckpoint(notes[1], 'the second note'),
  ]
  await checkSigned(smaller, policy)
  await checkSigned(larger, policy)
  const refuse = (fault: string): never => {
    throw new LogError('CONSISTENCY', `the evidence proves no fork: ${fault}`)
  }
  if (smaller.origin !== larger.origin) return refuse('the notes are of two logs')
  if (smaller.size > larger.size) return refuse('the larger tree is first')
  if (smaller.size === larger.size) {
    if (proof.length > 0) return refuse('expected no proof between trees of one size')
    if (equalHashes(smaller.root, larger.root)) return refuse('the trees are equal')
    return smaller.origin
  }
  const path = proof.map(
    (hash, index) =>
      decodeCanonicalBase64(hash, 32) ??
      refuse(`hash ${index + 1} of the proof is not 32 bytes in base64`),
  )
  const roots =
    smaller.size === 0 ? undefined : await rootsOfConsistency(smaller.size, larger.size, path)
  if (roots === undefined || !equalHashes(roots.root, larger.root)) {
    return refuse('the proof does not lead to the larger tree')
  }
  if (equalHashes(roots.oldRoot, smaller.root)) return refuse('one tree extends the other')
  return smaller.origin
}
