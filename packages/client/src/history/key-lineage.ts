import { propertyOf } from '#contract/json/property-of'
import { parseSigningKeys } from '../signing-keys.ts'
import type { Statement } from './history-statement.ts'

/** Ids of the keys that a signing-key document lists, computed from the keys; empty for any other response. */
async function listedKeyIds({ claim, data }: Statement): Promise<readonly string[]> {
  if (claim?.kind !== 'keys' || propertyOf(data, 'keys') === undefined) return []
  return (await parseSigningKeys(data)).map(({ keyId }) => keyId)
}

/**
 * Whether the responses come from one service: one key signed them all, or two keys did and a key document signed by
 * the older key lists both (contract decisions section 9). The older key is the one that signed first.
 */
export async function areOfOneLineage(
  responses: readonly Statement[],
  keyDocuments: readonly Statement[],
): Promise<boolean> {
  const inOrder = responses.toSorted((one, other) => one.provedAtMs - other.provedAtMs)
  const [older, newer, ...others] = new Set(inOrder.map(({ keyId }) => keyId))
  if (older === undefined || others.length > 0) return false
  if (newer === undefined) return true
  for (const document of keyDocuments) {
    if (document.keyId !== older) continue
    const listed = await listedKeyIds(document)
    if (listed.includes(older) && listed.includes(newer)) return true
  }
  return false
}
