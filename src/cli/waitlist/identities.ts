import { readFileSync } from 'node:fs'
import path from 'node:path'
import { text as readAll } from 'node:stream/consumers'

import { type Config, WAITLIST_IDENTITY_FILE } from '../../config.ts'
import { messageOf } from '../../contract/error-message.ts'
import { AgeError, createDecryptor, parseIdentities } from '../../crypto/age-file.ts'
import { UsageError } from '../../../packages/cli/src/command/command.ts'
import { CommandFailure } from '../../../packages/cli/src/command/command-failure.ts'
import { shortRecipient } from './format-row.ts'

/** Starts of an identity file that is encrypted with a passphrase: binary or armored. */
const ENCRYPTED_STARTS = ['age-encryption.org/', '-----BEGIN AGE ENCRYPTED FILE-----']

async function readText(file: string, place: string): Promise<string> {
  try {
    return file === '-' ? await readAll(process.stdin) : readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandFailure(
      'IDENTITY',
      `${place}: expected a readable file with age identities (${messageOf(error)})`,
    )
  }
}

function parseIdentityText(text: string, place: string): readonly string[] {
  if (ENCRYPTED_STARTS.some((start) => text.startsWith(start))) {
    throw new CommandFailure(
      'IDENTITY',
      `${place}: this identity is encrypted with a passphrase. Decrypt it first: age --decrypt FILE | svc waitlist … --identity -`,
    )
  }
  try {
    return parseIdentities(text)
  } catch (error) {
    if (!(error instanceof AgeError)) throw error
    throw new CommandFailure('IDENTITY', `${place}: ${error.message}`)
  }
}

async function readIdentityFile(file: string): Promise<readonly string[]> {
  const place = file === '-' ? 'standard input' : file
  return parseIdentityText(await readText(file, place), place)
}

/**
 * Reads the identities in the given files (`-` is standard input), by default from the secrets folder. Rejects with a
 * UsageError without an identity file, and with a CommandFailure for a file without identities.
 */
export async function readIdentities(
  files: readonly string[],
  config: () => Pick<Config, 'secretsDir'>,
): Promise<readonly string[]> {
  if (files.length > 0) {
    // Standard input can be read only once.
    const lists = await Promise.all([...new Set(files)].map(readIdentityFile))
    return [...new Set(lists.flat())]
  }
  const file = path.join(config().secretsDir, WAITLIST_IDENTITY_FILE)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(
      `expected --identity FILE, because ${file} cannot be read (${messageOf(error)})`,
    )
  }
  return parseIdentityText(text, file)
}

/** Rejects with a CommandFailure if the identities can decrypt rows of none of these recipients. */
export async function requireMatchingIdentity(
  identities: readonly string[],
  recipients: readonly string[],
): Promise<void> {
  const given = (await createDecryptor(identities)).recipients
  if (recipients.some((each) => given.includes(each))) return
  const names = (list: readonly string[]): string => list.map(shortRecipient).join(', ')
  throw new CommandFailure(
    'NO_MATCHING_IDENTITY',
    `no row is encrypted to the identity given (${names(given)}); the rows are encrypted to ${names(recipients)}. Nothing was changed`,
  )
}
