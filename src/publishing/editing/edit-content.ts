import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { makeFolder } from '@public-api/client-internal/node/durable-file'
import { messageOf } from '@public-api/contract/errors/error-message'
import {
  TRANSLATION_LOCALES,
  type TranslationLocale,
} from '@public-api/contract/snapshots/translations'
import { readBelow, rewriteBelow } from '../../files/folder-files.ts'
import { compileContent, type CompileOptions } from '../compile/compile-content.ts'
import { decodeText, MAX_FILE_BYTES } from '../rules/content-folder.ts'
import { locateFaults, type ContentMistake } from '../rules/content-mistake.ts'
import { contentSchema } from '../rules/content-schemas.ts'
import { PublishError } from '../rules/publish-error.ts'
import { checkSchema } from '../rules/schema-check.ts'
import { parseYamlSource } from '../rules/yaml-source.ts'
import { withContentLock } from './content-lock.ts'
import { editOverlay, type EventTexts } from './edit-overlay.ts'
import { isUsual, type Status, type StatusEdit } from './edit-status.ts'
import { planMove } from './move-aged-events.ts'
import { changedLines, rewriteYaml } from './rewrite-yaml.ts'
import { readUsualSummary, writeUsualSummary } from './usual-summary.ts'

const STATUS_FILE = 'status.yaml'
/** An overlay that translates nothing. */
const NO_TEXTS = Buffer.from('{}\n')
/** Other editors that change the file in between are retried, so that no change is lost. */
const MAX_ATTEMPTS = 5
function refuse(file: string, mistakes: readonly ContentMistake[], when: string): never {
  const count = mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`
  const isElsewhere = mistakes.every((each) => each.file !== file)
  const advice = isElsewhere ? '; svc discard status takes back edits of its translations' : ''
  const reason = `${when} ${count}; ${file} was left unchanged${advice}`
  throw new PublishError('CONTENT', reason, { mistakes })
}

function readBytes(contentDir: string, name: string): Buffer {
  try {
    return readBelow(contentDir, name, MAX_FILE_BYTES)
  } catch (error) {
    const isDenied = (error as NodeJS.ErrnoException).code === 'EACCES'
    const advice = isDenied ? '; its owner shares it with the group by chmod g+rw' : ''
    const reason = `${path.join(contentDir, name)} cannot be read: ${messageOf(error)}${advice}`
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

/** The bytes of a file before and after an edit; undefined where it does not exist. */
interface EditedFile {
  readonly name: string
  readonly before: Buffer | undefined
  readonly after: Buffer | undefined
}

function readOverlay(contentDir: string, name: string): Buffer | undefined {
  return existsSync(path.join(contentDir, name)) ? readBytes(contentDir, name) : undefined
}

/** The overlays of the status with the texts of an edit. */
function editOverlays(
  contentDir: string,
  { status, ...event }: StatusEdit,
  translations: ReadonlyMap<TranslationLocale, EventTexts>,
  wasUsual: boolean,
): readonly EditedFile[] {
  return TRANSLATION_LOCALES.flatMap((locale) => {
    const name = `${locale}/${STATUS_FILE}`
    const before = readOverlay(contentDir, name)
    const texts = translations.get(locale) ?? {}
    const times = { wasUsual, isUsualAgain: isUsual(status) }
    const after = editOverlay(before?.toString('utf8'), event, texts, times)
    if (after === undefined || before?.equals(Buffer.from(after)) === true) return []
    return [{ name, before, after: Buffer.from(after) }]
  })
}

/** Replaces files if each is as it was before the edit. Returns whether they were. */
function replaceFiles(contentDir: string, files: readonly EditedFile[]): boolean {
  const isAsBefore = files.every(({ name, before }) => {
    const now = readOverlay(contentDir, name)
    return before === undefined ? now === undefined : now?.equals(before) === true
  })
  if (!isAsBefore) return false
  for (const { name, after } of files) {
    const file = path.join(contentDir, name)
    makeFolder(path.dirname(file), 0o755)
    if (after === undefined) rmSync(file)
    else rewriteBelow(contentDir, name, after, 0o644)
  }
  return true
}

/**
 * Changes status.yaml of a content folder, which remembers the usual summary while something is open, and its translations.
 * The change is made only if the status would have no mistakes with it; otherwise the files keep their bytes. The texts of
 * `options` are published with it (the version's note). Rejects with a PublishError.
 */
export async function editStatusFile(
  contentDir: string,
  nowMs: number,
  edit: (status: Status, usualSummary: string | undefined) => StatusEdit,
  options: Pick<CompileOptions, 'texts' | 'known'>,
  translations: ReadonlyMap<TranslationLocale, EventTexts> = new Map(),
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
    const files: readonly EditedFile[] = [
      // First: a translation of an update that a killed command did not write would be a mistake.
      { name: STATUS_FILE, before, after: Buffer.from(after) },
      ...editOverlays(contentDir, result, translations, isUsual(status)),
    ]
    const replaced = new Map(files.map((each) => [each.name, each.after ?? NO_TEXTS]))
    const only = new Set(['status'] as const)
    const { mistakes } = await compileContent(contentDir, nowMs, { ...options, replaced, only })
    // A killed move left events in both places; the publication completes it.
    const moved = mistakes.length > 0 ? planMove(contentDir, nowMs, replaced) : undefined
    const isMended =
      moved !== undefined &&
      'compile' in moved &&
      (await moved.compile({ ...options, only })).mistakes.length === 0
    if (mistakes.length > 0 && !isMended) refuse(file, mistakes, 'the edited content would have')
    try {
      if (await withContentLock(contentDir, async () => replaceFiles(contentDir, files))) {
        return {
          file,
          /** The lines that changed, each after `-` or `+`. */
          lines: changedLines(text, after),
          /** The status before. */
          before: status,
          result,
          /** The bytes of the files before the edit. An overlay that did not exist had no texts. */
          bytesBefore: new Map(files.map((each) => [each.name, each.before ?? NO_TEXTS])),
          /** Gives the files their bytes from before the edit. Returns whether that was possible. */
          undo(): boolean {
            try {
              return replaceFiles(
                contentDir,
                files.map((each) => ({ ...each, before: each.after, after: each.before })),
              )
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
