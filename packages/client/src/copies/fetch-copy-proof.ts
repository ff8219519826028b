import type { VersionEntry } from '#contract/history/version-chain'
import { READ_PATHS } from '#contract/registry/read-paths'
import type { Client } from '../client.ts'
import { toPortable } from '../portable-response.ts'
import { VerificationError } from '../verification-error.ts'
import { COPY_SCHEMA, type CopyProof, requireEntry, verifyCopyProof } from './copy-proof.ts'

/** Resources with larger bodies are not in `now.json`: the copy has them under the digest that the version names. */
const MAX_RESOURCE_BYTES = 65_536

/**
 * Asks a service for what `now.json` holds: its newest version, its keys, and each resource of that version whose response
 * has at most 64 KiB. Every response is verified. Rejects as `client.get` does. A resource that another version replaced in
 * the meantime is left out.
 */
export async function fetchCopyProof(
  client: Client,
): Promise<CopyProof & { readonly entry: VersionEntry }> {
  const version = await client.get(READ_PATHS.version)
  const entry = await requireEntry(version.data)
  const keyDocument = await client.get(READ_PATHS.signingKey)
  const responses = [version, keyDocument].map(({ response }) => toPortable(response))
  for (const [name, digest] of Object.entries(entry.resources)) {
    if (name.startsWith('site/')) continue
    const { etag, response } = await client.get(`${READ_PATHS.index}/${name}`)
    const isSame = etag === `W/"${digest}"`
    if (isSame && response.body.length <= MAX_RESOURCE_BYTES) responses.push(toPortable(response))
  }
  return { schema: COPY_SCHEMA, origin: client.origin, responses, entry }
}

/** Whether `now.json` proves a later version than this one. A copy never goes back, though a node of the service is late. */
export async function isLaterProof(
  bytes: Uint8Array,
  {
    origin,
    entry,
    nowMs,
  }: Pick<CopyProof, 'origin'> & { readonly entry: VersionEntry; readonly nowMs: number },
): Promise<boolean> {
  try {
    const proof = await verifyCopyProof(bytes, { origin, pinnedKeyIds: [], nowMs })
    return proof.entry.sequence > entry.sequence
  } catch (error) {
    if (error instanceof VerificationError) return false
    throw error
  }
}
