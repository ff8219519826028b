import { realpathSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'

import { type Config, SECRET_VARIABLES } from '../../config.ts'
import { messageOf } from '../../contract/error-message.ts'
import { makeFolder } from '../../storage/make-folder.ts'
import { replaceFile } from '../../storage/whole-file.ts'
import { CommandFailure } from '../../../packages/cli/src/command/command-failure.ts'

const { variable, file } = SECRET_VARIABLES.waitlistRecipient

/** The result of setting the recipient of the service. */
export type SettingOutcome =
  | { readonly kind: 'written' | 'unchanged'; readonly place: string }
  /** It is set by a variable, which only the operator can change. */
  | { readonly kind: 'manual'; readonly place: string }

/**
 * Replaces the file and keeps its owner and mode, so that a command run as root leaves it readable for the service. A new
 * file gets the owner of its folder. A symbolic link stays one.
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

/** Sets the recipient that the service uses from its next start. Rejects with a CommandFailure that says what to do by hand. */
export async function setRecipient(config: Config, recipient: string): Promise<SettingOutcome> {
  const inVariable = config.secretVariables.waitlistRecipient
  if (inVariable !== undefined) {
    return { kind: inVariable === recipient ? 'unchanged' : 'manual', place: variable }
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
