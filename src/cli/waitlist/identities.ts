import { readFileSync } from 'node:fs'
import path from 'node:path'
import { text as readAll } from 'node:stream/consumers'

import { type Config, WAITLIST_IDENTITY_FILE } from '../../config.ts'
import { messageOf } from '../../contract/error-message.ts'
import { parseIdentities, SealError } from '../../crypto/sealed-box.ts'
import { UsageError } from '../command.ts'
import { CommandFailure } from '../command-failure.ts'

/** How an identity file starts that is itself sealed, with a passphrase: binary or armored. */
const SEALED_STARTS = ['age-encryption.org/', '-----BEGIN AGE ENCRYPTED FILE-----']

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

function identitiesIn(text: string, place: string): readonly string[] {
  if (SEALED_STARTS.some((start) => text.startsWith(start))) {
    throw new CommandFailure(
      'IDENTITY',
      `${place}: this identity is sealed with a passphrase; open it first: age --decrypt FILE | svc waitlist … --identity -`,
    )
  }
  try {
    return parseIdentities(text)
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    throw new CommandFailure('IDENTITY', `${place}: ${error.message}`)
  }
}

async function readIdentityFile(file: string): Promise<readonly string[]> {
  const place = file === '-' ? 'standard input' : file
  return identitiesIn(await readText(file, place), place)
}

/**
 * The identities in the files given (`-` is standard input), else in the secrets folder. Rejects with a UsageError where there
 * is none, and with a CommandFailure where a file holds none.
 */
export async function readIdentities(
  files: readonly string[],
  config: () => Pick<Config, 'secretsDir'>,
): Promise<readonly string[]> {
  if (files.length > 0) {
    // A file named twice is read once: standard input is empty the second time.
    const lists = await Promise.all([...new Set(files)].map(readIdentityFile))
    return [...new Set(lists.flat())]
  }
  const file = path.join(config().secretsDir, WAITLIST_IDENTITY_FILE)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(
      `expected --identity FILE: no identity can be read from ${file} (${messageOf(error)})`,
    )
  }
  return identitiesIn(text, file)
}
