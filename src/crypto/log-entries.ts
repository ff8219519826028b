import { hash } from 'node:crypto'
import { VERSION_HASH_LABEL } from '@public-api/contract/history/version-chain'
import { createHashTree, type HashTree } from '@public-api/client-source/log/hash-tree'
import { HASH_BYTES } from '@public-api/client-source/log/merkle-tree'

/**
 * The entry of the log for a version: the text whose SHA-256 is the version's hash. `text` is the stored canonical JSON of
 * a checked version. Its member `hash` is cut out of the text, because parsing 10,000 versions again takes half a second.
 * The hash covers everything else, so no other member can have its value.
 */
export function logEntryOf(text: string, versionHash: string): string {
  return `${VERSION_HASH_LABEL}\n${text.replace(`"hash":"${versionHash}",`, '')}`
}

/** The tree over the texts of entries. */
export function treeOf(entries: readonly string[]): Promise<HashTree> {
  const leaves = Buffer.alloc(entries.length * HASH_BYTES)
  for (const [index, entry] of entries.entries()) {
    // The byte 0x00 before a leaf is the character U+0000.
    hash('sha256', `\0${entry}`, 'buffer').copy(leaves, index * HASH_BYTES)
  }
  return createHashTree(leaves)
}
