import { readFile } from 'node:fs/promises'
import path from 'node:path'

import { type Config, SECRET_VARIABLES } from '../../config.ts'
import { messageOf } from '../../contract/error-message.ts'
import { makeFolder } from '../../storage/make-folder.ts'
import { rewriteFile } from '../../storage/whole-file.ts'
import { CommandFailure } from '../../../packages/cli/src/command/command-failure.ts'

const { variable, file } = SECRET_VARIABLES.waitlistRecipient

/** The result of setting the recipient of the service. */
export type SettingOutcome =
  | { readonly kind: 'written' | 'unchanged'; readonly place: string }
  /** It is set by a variable, which only the operator can change. */
  | { readonly kind: 'manual'; readonly place: string }

/**
 * Sets the recipient that the service uses from its next start. Rejects with a CommandFailure that describes the manual
 * step.
 */
export async function setRecipient(config: Config, recipient: string): Promise<SettingOutcome> {
  const inVariable = config.secretVariables.waitlistRecipient
  if (inVariable !== undefined) {
    return { kind: inVariable === recipient ? 'unchanged' : 'manual', place: variable }
  }
  const place = path.join(config.secretsDir, file)
  const current = await readFile(place, 'utf8').catch(() => '')
  if (current.trim() === recipient) return { kind: 'unchanged', place }
  try {
    makeFolder(config.secretsDir, 0o700)
    rewriteFile(place, `${recipient}\n`, 0o600)
  } catch (error) {
    throw new CommandFailure(
      'UNWRITABLE',
      `${place}: could not be written (${messageOf(error)}); no row was changed. Write ${recipient} there by hand and run this again`,
    )
  }
  return { kind: 'written', place }
}
