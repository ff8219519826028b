import { createHash } from 'node:crypto'
import { VERSION_HASH_LABEL } from '@public-api/contract/history/version-chain'
import { createHashTree, type HashTree } from '@public-api/client-source/log/hash-tree'
import { HASH_BYTES } from '@public-api/client-source/log/merkle-tree'

/**
 * The entry of the log for a version: the text whose SHA-256 is the version's hash. `text` is the stored canonical JSON of
 * a checked version. Its member `hash` is cut out of the text, because parsing 10,000 versions again takes half a second.
 * The hash covers everything else, so no other member can have its value.
 */
export function logEntryOf(text: string, hash: string): Buffer {
  return Buffer.from(`${VERSION_HASH_LABEL}\n${text.replace(`"hash":"${hash}",`, '')}`)
}

/** The tree over entries. */
export function treeOf(entries: readonly Uint8Array[]): Promise<HashTree> {
  const leaves = Buffer.alloc(entries.length * HASH_BYTES)
  for (const [index, entry] of entries.entries()) {
    createHash('sha256')
      .update(LEAF_PREFIX)
      .update(entry)
      .digest()
      .copy(leaves, index * HASH_BYTES)
  }
  return createHashTree(leaves)
}

const LEAF_PREFIX = Uint8Array.of(0)
