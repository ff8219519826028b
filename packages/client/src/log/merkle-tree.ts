// The Merkle tree of RFC 6962 section 2.1 with SHA-256. Sizes and indexes are JavaScript numbers: at most 2^53 - 1, so
// that no bit operator may be used on them.

import { sha256 } from '#crypto'
import { LogError } from './log-error.ts'

/** Bytes of one hash. */
export const HASH_BYTES = 32
/** The highest tree whose size is a safe integer has 53 levels; the C2SP formats allow 63 hashes. */
export const MAX_PROOF_HASHES = 63

type MaybePromise<Value> = Promise<Value> | Value

const encoder = new TextEncoder()

/** The hash of a leaf: SHA-256 of 0x00 and the entry. */
export async function hashLeaf(entry: Uint8Array | string): Promise<Uint8Array> {
  const bytes = typeof entry === 'string' ? encoder.encode(entry) : entry
  const prefixed = new Uint8Array(1 + bytes.length)
  prefixed.set(bytes, 1)
  return sha256(prefixed)
}

/** The hash of a node: SHA-256 of 0x01 and the hashes of its two children. */
export function hashNode(left: Uint8Array, right: Uint8Array): MaybePromise<Uint8Array> {
  const bytes = new Uint8Array(1 + 2 * HASH_BYTES)
  bytes[0] = 1
  bytes.set(left, 1)
  bytes.set(right, 1 + HASH_BYTES)
  return sha256(bytes)
}

/** The root of the tree without leaves: SHA-256 of nothing. */
function emptyRoot(): MaybePromise<Uint8Array> {
  return sha256(new Uint8Array(0))
}

export function equalHashes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index])
}

/** The largest power of two below a size of at least 2. */
function splitOf(size: number): number {
  let power = 1
  while (power * 2 < size) power *= 2
  return power
}

/**
 * The hashes of the complete subtrees of a tree: `at(level, index)` is the one over the 2^level leaves from
 * index × 2^level. A tree in memory and the tiles of a log both provide them.
 */
export interface SubtreeHashes {
  /** The hash over the 2^level leaves from index × 2^level. */
  at(level: number, index: number): MaybePromise<Uint8Array>
}

/** The root over the leaves from `start` to `end` (exclusive), where `start` begins a subtree at least that large. */
async function rootOfRange(hashes: SubtreeHashes, start: number, end: number): Promise<Uint8Array> {
  const size = end - start
  const level = Math.log2(size)
  if (Number.isInteger(level) && 2 ** level === size) return hashes.at(level, start / size)
  const split = start + splitOf(size)
  return hashNode(await rootOfRange(hashes, start, split), await rootOfRange(hashes, split, end))
}

/** The root of the tree of the first `size` leaves. */
export async function rootOf(hashes: SubtreeHashes, size: number): Promise<Uint8Array> {
  return size === 0 ? emptyRoot() : rootOfRange(hashes, 0, size)
}

function checkSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new RangeError(`size: expected an integer from 0 to 2^53 - 1, found ${size}`)
  }
}

/** The subtrees beside the way from the root down to the first one with a leaf that `isEnd` accepts, and where that is. */
async function pathTo(
  hashes: SubtreeHashes,
  size: number,
  leaf: number,
  isEnd: (start: number, end: number) => boolean,
) {
  const beside: Uint8Array[] = []
  let [start, end] = [0, size]
  while (!isEnd(start, end)) {
    const split = start + splitOf(end - start)
    const [left, right] = [[start, split] as const, [split, end] as const]
    beside.push(await rootOfRange(hashes, ...(leaf < split ? right : left)))
    ;[start, end] = leaf < split ? left : right
  }
  return { beside, start, end }
}

/** The hashes that prove the leaf at `index` (RFC 6962 2.1.1), from the leaf's sibling to the root's child. */
export async function inclusionProof(
  hashes: SubtreeHashes,
  index: number,
  size: number,
): Promise<readonly Uint8Array[]> {
  checkSize(size)
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) {
    throw new RangeError(`index: expected an integer from 0 to ${size - 1}, found ${index}`)
  }
  const { beside } = await pathTo(hashes, size, index, (start, end) => end - start === 1)
  return beside.toReversed()
}

/** The hashes that prove that the tree of `size` leaves extends the one of `oldSize` (RFC 6962 2.1.2). */
export async function consistencyProof(
  hashes: SubtreeHashes,
  oldSize: number,
  size: number,
): Promise<readonly Uint8Array[]> {
  checkSize(size)
  if (!Number.isSafeInteger(oldSize) || oldSize < 0 || oldSize > size) {
    throw new RangeError(`oldSize: expected an integer from 0 to ${size}, found ${oldSize}`)
  }
  if (oldSize === 0 || oldSize === size) return []
  const isOld = (_: number, end: number) => end === oldSize
  const { beside, start, end } = await pathTo(hashes, size, oldSize - 1, isOld)
  // A whole tree of a power of two is the old root itself, which the verifier has.
  if (start !== 0) beside.push(await rootOfRange(hashes, start, end))
  return beside.toReversed()
}

/** An inclusion to verify. */
export interface Inclusion {
  /** Place of the leaf, from 0. */
  readonly index: number
  /** Number of leaves of the tree. */
  readonly size: number
  /** Hash of the leaf: SHA-256 of 0x00 and the entry. */
  readonly leafHash: Uint8Array
  /** From the leaf's sibling to the root's child. */
  readonly proof: readonly Uint8Array[]
  /** Root of the tree. */
  readonly root: Uint8Array
}

/**
 * Verifies that a leaf is in a tree (RFC 9162 2.1.3.2). Throws a LogError (INCLUSION).
 *
 * @example
 * ```ts
 * await verifyInclusion({ index: 7, size: 8, leafHash, proof, root: checkpoint.root })
 * ```
 */
export async function verifyInclusion(inclusion: Inclusion): Promise<void> {
  const { index, size, leafHash, proof, root } = inclusion
  const failure = new LogError('INCLUSION', `entry ${index} of a tree of ${size}`)
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size)) throw failure
  if (index < 0 || index >= size) throw failure
  const roots = await climb(index, size - 1, leafHash, proof)
  if (roots === undefined || !equalHashes(roots.root, root)) throw failure
}

/** Goes up from a subtree with its siblings. Resolves with undefined if there are too few siblings or too many. */
async function climb(
  place: number,
  lastPlace: number,
  first: Uint8Array,
  siblings: readonly Uint8Array[],
) {
  let [node, last, oldRoot, root] = [place, lastPlace, first, first]
  for (const sibling of siblings) {
    if (last === 0) return undefined
    if (node % 2 === 1 || node === last) {
      oldRoot = await hashNode(sibling, oldRoot)
      root = await hashNode(sibling, root)
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)]
    } else {
      root = await hashNode(root, sibling)
    }
    ;[node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
  }
  if (last !== 0) return undefined
  return {
    /** Of the tree that ends with the subtree. */
    oldRoot,
    /** Of the whole tree. */
    root,
  }
}

/** The two roots that a consistency proof leads to; undefined if it has another length. */
export async function rootsOfConsistency(
  oldSize: number,
  size: number,
  proof: readonly Uint8Array[],
) {
  const [first, ...rest] = proof
  if (first === undefined) return undefined
  let [node, last] = [oldSize - 1, size - 1]
  while (node % 2 === 1) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
  return climb(node, last, first, rest)
}

/** Whether a number is a power of two. */
export function isPowerOfTwo(size: number): boolean {
  return size > 0 && Number.isInteger(Math.log2(size)) && 2 ** Math.log2(size) === size
}

/** Two trees of one log to compare. */
export interface Consistency {
  /** Number of leaves of the smaller tree. */
  readonly oldSize: number
  /** Root of the smaller tree. */
  readonly oldRoot: Uint8Array
  /** Number of leaves of the larger tree. */
  readonly size: number
  /** Root of the larger tree. */
  readonly root: Uint8Array
  /** As RFC 6962 2.1.2 has it; empty if the smaller tree is empty or the sizes are equal. */
  readonly proof: readonly Uint8Array[]
}

/**
 * Verifies that one tree extends another (RFC 9162 2.1.4.2). Throws a LogError (CONSISTENCY).
 *
 * @example
 * ```ts
 * await verifyConsistency({ oldSize: 5, oldRoot, size: 8, root, proof })
 * ```
 */
export async function verifyConsistency(consistency: Consistency): Promise<void> {
  const { oldSize, oldRoot, size, root, proof } = consistency
  const failure = new LogError('CONSISTENCY', `a tree of ${oldSize} and one of ${size}`)
  const isSized = [oldSize, size].every((each) => Number.isSafeInteger(each) && each >= 0)
  if (!isSized || oldSize > size) throw failure
  if (oldSize === 0 || oldSize === size) {
    const expected = oldSize === size ? root : await emptyRoot()
    if (proof.length > 0 || !equalHashes(oldRoot, expected)) throw failure
    return
  }
  if (proof.length === 0) throw failure
  const path = isPowerOfTwo(oldSize) ? [oldRoot, ...proof] : proof
  const roots = await rootsOfConsistency(oldSize, size, path)
  const isProved =
    roots !== undefined && equalHashes(roots.oldRoot, oldRoot) && equalHashes(roots.root, root)
  if (!isProved) throw failure
}
