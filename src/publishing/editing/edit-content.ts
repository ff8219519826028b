import path from 'node:path'
import { messageOf } from '@public-api/contract/errors/error-message'
import { readBelow, rewriteBelow } from '../../files/folder-files.ts'
import { compileContent } from '../compile/compile-content.ts'
import { decodeText, MAX_FILE_BYTES } from '../rules/content-folder.ts'
import { locateFaults, type ContentMistake } from '../rules/content-mistake.ts'
import { contentSchema } from '../rules/content-schemas.ts'
import { PublishError } from '../rules/publish-error.ts'
import { checkSchema } from '../rules/schema-check.ts'
import { parseYamlSource } from '../rules/yaml-source.ts'
import { withContentLock } from './content-lock.ts'
import { isUsual, type Status, type StatusEdit } from './edit-status.ts'
import { planMove } from './move-aged-events.ts'
import { changedLines, rewriteYaml } from './rewrite-yaml.ts'
import { readUsualSummary, writeUsualSummary } from './usual-summary.ts'

const STATUS_FILE = 'status.yaml'
/** Other editors that change the file in between are retried, so that no change is lost. */
const MAX_ATTEMPTS = 5
function refuse(file: string, mistakes: readonly ContentMistake[], when: string): never {
  const count = mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`
  throw new PublishError('CONTENT', `${when} ${count}; ${file} was left unchanged`, { mistakes })
}

function readBytes(contentDir: string, name: string): Buffer {
  try {
    return readBelow(contentDir, name, MAX_FILE_BYTES)
  } catch (error) {
    const reason = `${path.join(contentDir, name)} cannot be read: ${messageOf(error)}`
    throw new PublishError('CONTENT', reason, { cause: error })
  }
}

/** The status in its content file, with the bytes of the file. Throws a PublishError if it has mistakes of its own. */
export function readStatusFile(contentDir: string) {
  const bytes = readBytes(contentDir, STATUS_FILE)
  const file = path.join(contentDir, STATUS_FILE)
  const text = bytes.toString('utf8')
  const decoded = decodeText({ value: { file, bytes }, mistakes: [] })
  if (decoded.value === undefined) return refuse(file, decoded.mistakes, 'the file has')
  const { value: source, mistakes } = parseYamlSource(file, decoded.value.text)
  if (source === undefined) return refuse(file, mistakes, 'the file has')
  const faults = locateFaults(source.place, checkSchema(contentSchema('status'), source.value))
  if (faults.length > 0) return refuse(file, faults, 'the file has')
  // The schema was checked.
  return { bytes, text, status: source.value as unknown as Status }
}

/**
 * Changes status.yaml of a content folder, which remembers the usual summary while something is open. The change is made
 * only if the whole folder would have no mistakes with it; otherwise the file keeps its bytes. `texts` are published with
 * it (the version's note). Rejects with a PublishError.
 */
export async function editStatusFile(
  contentDir: string,
  nowMs: number,
  edit: (status: Status, usualSummary: string | undefined) => StatusEdit,
  texts: ReadonlyMap<string, string>,
) {
  const file = path.join(contentDir, STATUS_FILE)
  for (let attempt = 1; ; attempt += 1) {
    const { bytes: before, text, status } = readStatusFile(contentDir)
    const remembered = readUsualSummary(text)
    const result = edit(status, remembered)
    const usual = isUsual(status) ? status.summary : remembered
    const after = writeUsualSummary(
      rewriteYaml(text, result.status),
      isUsual(result.status) ? undefined : usual,
    )
    const replaced = new Map([[STATUS_FILE, Buffer.from(after)]])
    const { mistakes } = await compileContent(contentDir, nowMs, texts, replaced)
    // A killed move left events in both places; the publication completes it.
    const moved = mistakes.length > 0 ? planMove(contentDir, nowMs, replaced) : undefined
    const isMended =
      moved !== undefined &&
      'compile' in moved &&
      (await moved.compile(texts)).mistakes.length === 0
    if (mistakes.length > 0 && !isMended) refuse(file, mistakes, 'the edited content would have')
    try {
      const replace = (old: Buffer, now: string): boolean => {
        if (!readBytes(contentDir, STATUS_FILE).equals(old)) return false
        rewriteBelow(contentDir, STATUS_FILE, now, 0o644)
        return true
      }
      if (await withContentLock(contentDir, async () => replace(before, after))) {
        return {
          file,
          /** The lines that changed, each after `-` or `+`. */
          lines: changedLines(text, after),
          /** The status before. */
          before: status,
          result,
          /** Gives the file its bytes from before the edit. Returns whether that was possible. */
          undo(): boolean {
            try {
              return replace(Buffer.from(after), text)
            } catch {
              return false
            }
          },
        }
      }
    } catch (error) {
      if (error instanceof PublishError) throw error
      const reason = `${file} could not be written (${messageOf(error)}); it was left unchanged`
      throw new PublishError('STORAGE', reason, { cause: error })
    }
    if (attempt === MAX_ATTEMPTS) {
      throw new PublishError('CONFLICT', `${file} changes all the time; try again when it is saved`)
    }
  }
}
