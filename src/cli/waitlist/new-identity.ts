import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

import { formatInstant } from '../../contract/instant.ts'
import { generateIdentity, type IdentityPair, parseIdentity } from '../../crypto/age-file.ts'
import { createFile } from '../../storage/whole-file.ts'
import { CommandFailure } from '../../../packages/cli/src/command/command-failure.ts'
import { changeFile } from '../new-file.ts'

/** Rejects with a CommandFailure if the file exists. If it contains an identity, the message says how to use it. */
export async function requireNoFile(file: string): Promise<void> {
  if (!existsSync(file)) return
  const advice = await readFile(file, 'utf8')
    .then(parseIdentity)
    .then(
      ({ recipient }) =>
        `the file already contains an identity. To use it, pass --recipient ${recipient} instead of --new-identity`,
      () => 'the file exists and was left unchanged',
    )
  throw new CommandFailure('EXISTS', `${file}: ${advice}`)
}

/**
 * Creates an identity in a new file with mode 0600. The file is durable when this resolves. Rejects with a CommandFailure.
 */
export async function createIdentityFile(file: string, nowMs: number): Promise<IdentityPair> {
  const pair = await generateIdentity()
  // As age-keygen writes it.
  const comments = `# created: ${formatInstant(nowMs)}\n# public key: ${pair.recipient}\n`
  const text = `${comments}${pair.identity}\n`
  changeFile(file, () => createFile(file, text, { mode: 0o600 }, 'claim'))
  return pair
}
