import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { makeFolder, rewriteFile } from '@public-api/client-internal/node/durable-file'
import { type Config, SECRET_VARIABLES } from '../../config.ts'
import { changeFile } from '../new-file.ts'

const { variable, file } = SECRET_VARIABLES.waitlistRecipient

/**
 * Sets the recipient that the service uses from its next start. Resolves with `manual` if it is set by a variable, which
 * only the operator can change. Rejects with a CommandFailure that describes the manual step.
 */
export async function setRecipient(config: Config, recipient: string) {
  const inVariable = config.secretVariables.waitlistRecipient
  if (inVariable !== undefined) {
    return { kind: inVariable === recipient ? 'unchanged' : 'manual', place: variable } as const
  }
  const place = path.join(config.secretsDir, file)
  const current = await readFile(place, 'utf8').catch(() => '')
  if (current.trim() === recipient) return { kind: 'unchanged', place } as const
  const advice = `; no row was changed. Write ${recipient} there by hand and run this again`
  changeFile(
    place,
    () => {
      makeFolder(config.secretsDir, 0o700)
      rewriteFile(place, `${recipient}\n`, 0o600)
    },
    advice,
  )
  return { kind: 'written', place } as const
}

export type SettingOutcome = Awaited<ReturnType<typeof setRecipient>>
