import { readFileSync } from 'node:fs'
import path from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { CommandFailure, UsageError } from '@public-api/cli-kit/command'
import { textOptions } from '@public-api/cli-kit/options'
import { messageOf } from '@public-api/contract/errors/error-message'
import { type Config, WAITLIST_IDENTITY_FILE } from '../../config.ts'
import { AgeError, createDecryptor, parseIdentities } from '../../crypto/age-file.ts'

/** `--identity` of the commands that decrypt. */
export const IDENTITY_OPTION = textOptions(`FILE: file with age identities, - for standard input;
  repeatable (default: waitlist-identity.txt in the secrets folder)`)

/** Starts of an identity file that is encrypted with a passphrase: binary or armored. */
const ENCRYPTED_STARTS = ['age-encryption.org/', '-----BEGIN AGE ENCRYPTED FILE-----']

/**
 * Reads the identities in the given files (`-` is standard input), by default from the secrets folder. Rejects with a
 * UsageError without an identity file, and with a CommandFailure for a file without identities.
 */
export async function readIdentities(
  files: readonly string[],
  config: () => Pick<Config, 'secretsDir'>,
): Promise<readonly string[]> {
  const isDefault = files.length === 0
  const names = isDefault ? [path.join(config().secretsDir, WAITLIST_IDENTITY_FILE)] : files

  async function readFileOf(file: string): Promise<readonly string[]> {
    const place = file === '-' ? 'standard input' : file
    let text: string
    try {
      text = file === '-' ? await readAll(process.stdin) : readFileSync(file, 'utf8')
    } catch (error) {
      const reason = messageOf(error)
      if (isDefault) {
        throw new UsageError(`expected --identity FILE, because ${file} cannot be read (${reason})`)
      }
      throw new CommandFailure(
        'IDENTITY',
        `${place}: expected a readable file with age identities (${reason})`,
      )
    }
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

  // Standard input can be read only once.
  const lists = await Promise.all([...new Set(names)].map(readFileOf))
  return [...new Set(lists.flat())]
}

/** Rejects with a CommandFailure if the identities can decrypt rows of none of these recipients. */
export async function requireMatchingIdentity(
  identities: readonly string[],
  recipients: readonly string[],
): Promise<void> {
  const given = (await createDecryptor(identities)).recipients
  if (recipients.some((each) => given.includes(each))) return
  throw new CommandFailure(
    'NO_MATCHING_IDENTITY',
    `no row is encrypted to the identity given (${given.join(', ')}); the rows are encrypted to ${recipients.join(', ')}. Nothing was changed`,
  )
}
