import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { createHashTree, type HashTree } from '@public-api/client-internal/log/hash-tree'
import { HASH_BYTES } from '@public-api/client-internal/log/merkle-tree'

/** Leaves between two pauses: about a millisecond of work. */
const LEAVES_PER_PAUSE = 64

/** The tree over the texts of `size` entries. Other work of the process runs meanwhile. */
export async function treeOf(size: number, entryAt: (index: number) => string): Promise<HashTree> {
  const leaves = Buffer.alloc(size * HASH_BYTES)
  for (let index = 0; index < size; index += 1) {
    // The byte 0x00 before a leaf is the character U+0000.
    hash('sha256', `\0${entryAt(index)}`, 'buffer').copy(leaves, index * HASH_BYTES)
    if (index % LEAVES_PER_PAUSE === LEAVES_PER_PAUSE - 1) await setImmediate()
  }
  return createHashTree(leaves, setImmediate)
}
