import { randomUUID } from 'node:crypto'
import { type Stats } from 'node:fs'
import {
  type FileHandle,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import path from 'node:path'

import { type Config, SECRET_VARIABLES } from '../../config.ts'
import { messageOf } from '../../contract/error-message.ts'
import { syncFolder } from '../../storage/sync-folder.ts'
import { CommandFailure } from '../command-failure.ts'

const { variable, file } = SECRET_VARIABLES.waitlistRecipient

/** What became of the setting that tells the service its recipient. */
export type SettingOutcome =
  | { readonly kind: 'written' | 'unchanged'; readonly place: string }
  /** It stands in a variable, which only the operator can change. */
  | { readonly kind: 'to-be-set'; readonly place: string }

async function statOf(target: string): Promise<Stats | undefined> {
  return stat(target).catch(() => undefined)
}

/** A command run as root must not take the file from the service: it keeps its owner, or gets that of its folder. */
async function giveTo(handle: FileHandle, model: Stats | undefined, mode: number): Promise<void> {
  const { uid, gid } = await handle.stat()
  if (model !== undefined && (model.uid !== uid || model.gid !== gid)) {
    await handle.chown(model.uid, model.gid)
  }
  await handle.chmod(mode)
}

/** Replaces a file at once: whoever reads it, also after a power cut, finds the old text or the new one. */
async function replaceFile(target: string, text: string): Promise<void> {
  const known = await statOf(target)
  // A link in the secrets folder stays one.
  const real = known === undefined ? target : await realpath(target)
  const folder = path.dirname(real)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const beside = `${real}.${randomUUID()}.partial`
  try {
    const handle = await open(beside, 'wx', 0o600)
    try {
      await giveTo(handle, known ?? (await statOf(folder)), (known?.mode ?? 0o600) & 0o777)
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(beside, real)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
  syncFolder(folder)
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
    await replaceFile(place, `${recipient}\n`)
  } catch (error) {
    throw new CommandFailure(
      'UNWRITABLE',
      `${place}: could not be written (${messageOf(error)}); no row was changed. Write ${recipient} there by hand and run this again`,
    )
  }
  return { kind: 'written', place }
}
