import { hashNode, HASH_BYTES, type SubtreeHashes } from './merkle-tree.ts'

/** A tree in memory. */
export interface HashTree extends SubtreeHashes {
  /** Number of leaves. */
  readonly size: number
  /** Consecutive hashes of the complete subtrees of a level, as one sequence of bytes. */
  slice(level: number, start: number, end: number): Uint8Array
}

/** Nodes between two pauses: about a millisecond of work. */
const NODES_PER_PAUSE = 256

/**
 * Builds the complete subtrees over the hashes of leaves. `leaves` has 32 bytes per leaf. `pause` is awaited from time to
 * time, for a process that must respond meanwhile.
 */
export async function createHashTree(
  leaves: Uint8Array,
  pause?: () => Promise<void>,
): Promise<HashTree> {
  const levels = [leaves]
  for (let below = leaves; below.length >= 2 * HASH_BYTES;) {
    const count = Math.floor(below.length / (2 * HASH_BYTES))
    const level = new Uint8Array(count * HASH_BYTES)
    for (let index = 0; index < count; index += 1) {
      const at = 2 * index * HASH_BYTES
      const left = below.subarray(at, at + HASH_BYTES)
      const right = below.subarray(at + HASH_BYTES, at + 2 * HASH_BYTES)
      level.set(await hashNode(left, right), index * HASH_BYTES)
      if (pause !== undefined && index % NODES_PER_PAUSE === NODES_PER_PAUSE - 1) await pause()
    }
    levels.push(level)
    below = level
  }
  const slice = (level: number, start: number, end: number): Uint8Array => {
    const hashes = levels[level]?.subarray(start * HASH_BYTES, end * HASH_BYTES)
    if (hashes?.length !== (end - start) * HASH_BYTES) {
      throw new RangeError(`level ${level} has no subtrees from ${start} to ${end}`)
    }
    return hashes
  }
  return {
    size: leaves.length / HASH_BYTES,
    slice,
    at: (level, index) => slice(level, index, index + 1),
  }
}
