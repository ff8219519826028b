import { realpathSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'

import { type Config, SECRET_VARIABLES } from '../../config.ts'
import { messageOf } from '../../contract/error-message.ts'
import { makeFolder } from '../../storage/make-folder.ts'
import { replaceFile } from '../../storage/whole-file.ts'
import { CommandFailure } from '../command-failure.ts'

const { variable, file } = SECRET_VARIABLES.waitlistRecipient

/** What became of the setting that tells the service its recipient. */
export type SettingOutcome =
  | { readonly kind: 'written' | 'unchanged'; readonly place: string }
  /** It stands in a variable, which only the operator can change. */
  | { readonly kind: 'to-be-set'; readonly place: string }

/**
 * Writes the file anew. A command run as root must not take it from the service: it keeps its owner and its mode, or gets
 * the owner of its folder. A link in the secrets folder stays one.
 */
function write(place: string, text: string): void {
  const known = statSync(place, { throwIfNoEntry: false })
  const target = known === undefined ? place : realpathSync(place)
  const folder = path.dirname(target)
  makeFolder(folder, 0o700)
  replaceFile(target, text, {
    mode: (known?.mode ?? 0o600) & 0o777,
    owner: known ?? statSync(folder),
  })
}

/** Makes a recipient the service's own from its next start on. Rejects with a CommandFailure that says what to do by hand. */
export async function setRecipient(config: Config, recipient: string): Promise<SettingOutcome> {
  const inVariable = config.secretVariables.waitlistRecipient
  if (inVariable !== undefined) {
    return { kind: inVariable === recipient ? 'unchanged' : 'to-be-set', place: variable }
  }
  const place = path.join(config.secretsDir, file)
  const current = await readFile(place, 'utf8').catch(() => '')
  if (current.trim() === recipient) return { kind: 'unchanged', place }
  try {
    write(place, `${recipient}\n`)
  } catch (error) {
    throw new CommandFailure(
      'UNWRITABLE',
      `${place}: could not be written (${messageOf(error)}); no row was changed. Write ${recipient} there by hand and run this again`,
    )
  }
  return { kind: 'written', place }
}
