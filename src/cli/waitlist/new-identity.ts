import { existsSync, readFileSync } from 'node:fs'

import { formatInstant } from '../../contract/instant.ts'
import { generateIdentity, type IdentityPair, parseIdentity } from '../../crypto/age-file.ts'
import { CommandFailure } from '../../../packages/cli/src/command/command-failure.ts'
import { createNewFile } from '../new-file.ts'

/** The recipient of the identity in a file; undefined when the file does not contain exactly one. */
async function recipientIn(file: string): Promise<string | undefined> {
  try {
    return (await parseIdentity(readFileSync(file, 'utf8'))).recipient
  } catch {
    return undefined
  }
}

/** Rejects with a CommandFailure if the file exists. If it contains an identity, the message says how to use it. */
export async function requireNoFile(file: string): Promise<void> {
  if (!existsSync(file)) return
  const recipient = await recipientIn(file)
  throw new CommandFailure(
    'EXISTS',
    recipient === undefined
      ? `${file}: the file exists and was left unchanged`
      : `${file}: the file already contains an identity. To use it, pass --recipient ${recipient} instead of --new-identity`,
  )
}

/**
 * Creates an identity in a new file with mode 0600. The file is durable when this resolves. Rejects with a CommandFailure.
 */
export async function createIdentityFile(file: string, nowMs: number): Promise<IdentityPair> {
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
