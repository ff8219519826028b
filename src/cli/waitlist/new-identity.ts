import { existsSync, readFileSync } from 'node:fs'

import { formatInstant } from '../../contract/instant.ts'
import { generateIdentity, type IdentityPair, readIdentity } from '../../crypto/sealed-box.ts'
import { CommandFailure } from '../command-failure.ts'
import { createNewFile } from '../new-file.ts'

/** The recipient of the one identity in a file, if that is what the file holds. */
async function recipientIn(file: string): Promise<string | undefined> {
  try {
    return (await readIdentity(readFileSync(file, 'utf8'))).recipient
  } catch {
    return undefined
  }
}

/** Rejects with a CommandFailure where there is such a file; of an identity it says how to go on with it. */
export async function requireNoFile(file: string): Promise<void> {
  if (!existsSync(file)) return
  const recipient = await recipientIn(file)
  throw new CommandFailure(
    'EXISTS',
    recipient === undefined
      ? `${file}: there is such a file already; it is left as it is`
      : `${file}: there is an identity already; to seal to it, give --recipient ${recipient} in place of --new-identity`,
  )
}

/**
 * Makes an identity, in a new file that only its owner may read, and gives it with its recipient. The file is on the disk
 * when this resolves. Rejects with a CommandFailure.
 */
export async function makeIdentity(file: string, nowMs: number): Promise<IdentityPair> {
  const pair = await generateIdentity()
  const target = await createNewFile(file)
  try {
    // As age-keygen writes it.
    const comments = `# created: ${formatInstant(nowMs)}\n# public key: ${pair.recipient}\n`
    await target.write(`${comments}${pair.identity}\n`)
    await target.finish()
  } catch (error) {
    await target.abandon()
    throw error
  }
  return pair
}
