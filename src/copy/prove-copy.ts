import fs from 'node:fs'
import path from 'node:path'
import { createClient } from '@public-api/client-internal/client'
import { COPY_SCHEMA } from '@public-api/client-internal/copies/copy-proof'
import { fetchCopyProof, isLaterProof } from '@public-api/client-internal/copies/fetch-copy-proof'
import { replaceFile } from '@public-api/client-internal/node/durable-file'
import { messageOf } from '@public-api/contract/errors/error-message'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { CopyFailure } from './copy-list.ts'

/** The file of a copy that proves how old the copy is. */
const PROOF_FILE = 'now.json'

/**
 * Asks the service for its newest version and keeps the proof in the copy. Rejects with a CopyFailure if the copy does not have
 * that version, with an Error if the proof in the copy is of a later one, and with the client's errors.
 */
export async function proveCopy(
  folder: string,
  origin: string,
  pinnedKeyIds: readonly string[],
): Promise<{ readonly snapshotId: string }> {
  const client = createClient({
    baseUrl: origin,
    ...(pinnedKeyIds.length === 0 ? {} : { pinnedKeyIds }),
  })
  const { entry, ...proof } = await fetchCopyProof(client)
  const { snapshotId, hash } = entry
  const versionFile = path.join(folder, 'archive', 'versions', `${snapshotId}.json`)
  if (!fs.existsSync(versionFile)) {
    throw new CopyFailure(
      `${origin} serves ${snapshotId}, which the copy does not have; update the releases folder first. ${PROOF_FILE} is unchanged`,
    )
  }
  // Two histories have one number in common, and never a hash.
  const copied = propertyOf(parseJson(fs.readFileSync(versionFile)), 'hash')
  if (copied !== hash) {
    throw new CopyFailure(
      `${origin} serves another ${snapshotId} than the copy has: expected the hash ${String(copied)}, found ${hash}. Is it the service of these releases? ${PROOF_FILE} is unchanged`,
    )
  }
  const file = path.join(folder, PROOF_FILE)
  const now = { origin, entry, nowMs: Date.now() }
  if (fs.existsSync(file) && (await isLaterProof(fs.readFileSync(file), now))) {
    throw new Error(
      `${origin} serves ${snapshotId}, and signed a later version before: one of its nodes is late, or it went back. ${PROOF_FILE} is unchanged`,
    )
  }
  const text = `${JSON.stringify({ ...proof, schema: COPY_SCHEMA })}\n`
  try {
    replaceFile(file, text, { mode: 0o644 })
  } catch (error) {
    throw new CopyFailure(`${file}: could not be written (${messageOf(error)})`, { cause: error })
  }
  return { snapshotId }
}
