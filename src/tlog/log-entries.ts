import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { createHashTree, type HashTree } from '@public-api/client-internal/log/hash-tree'
import { HASH_BYTES } from '@public-api/client-internal/log/merkle-tree'

/** Leaves between two pauses: about a millisecond of work. */
const LEAVES_PER_PAUSE = 64

/** The hash of an entry's leaf. The byte 0x00 before it is the character U+0000. */
export const leafOf = (entry: string): Buffer => hash('sha256', `\0${entry}`, 'buffer')

/** The tree over the leaves of `size` entries. Other work of the process runs meanwhile. */
export async function treeOf(size: number, leafAt: (index: number) => Buffer): Promise<HashTree> {
  const leaves = Buffer.alloc(size * HASH_BYTES)
  for (let index = 0; index < size; index += 1) {
    leafAt(index).copy(leaves, index * HASH_BYTES)
    if (index % LEAVES_PER_PAUSE === LEAVES_PER_PAUSE - 1) await setImmediate()
  }
  return createHashTree(leaves, setImmediate)
}
