import { hashLeaf, hashNode, HASH_BYTES, type SubtreeHashes } from './merkle-tree.ts'

/** A tree in memory. */
export type HashTree = Awaited<ReturnType<typeof createHashTree>>

/** Nodes between two pauses: about a millisecond of work. */
const NODES_PER_PAUSE = 256

/**
 * Builds the complete subtrees over the hashes of leaves. `leaves` has 32 bytes per leaf. `pause` is awaited from time to
 * time, for a process that must respond meanwhile.
 */
export async function createHashTree(leaves: Uint8Array, pause?: () => Promise<void>) {
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
  const at: SubtreeHashes['at'] = (level, index) => slice(level, index, index + 1)
  return {
    /** Number of leaves. */
    size: leaves.length / HASH_BYTES,
    /** Consecutive hashes of the complete subtrees of a level, as one sequence of bytes. */
    slice,
    /** The hash of one subtree. */
    at,
  }
}

/** The tree over entries. */
export async function treeOfEntries(entries: readonly (Uint8Array | string)[]): Promise<HashTree> {
  const leaves = new Uint8Array(entries.length * HASH_BYTES)
  for (const [at, entry] of entries.entries()) leaves.set(await hashLeaf(entry), at * HASH_BYTES)
  return createHashTree(leaves)
}
