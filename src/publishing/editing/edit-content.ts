import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { messageOf } from '@public-api/contract/errors/error-message'
import { isPastEventsName, type PastEventsName } from '@public-api/contract/snapshots/past-events'
import type { PastEvents } from '@public-api/contract/snapshots/past-events-schema'
import {
  TRANSLATION_LOCALES,
  type TranslationLocale,
} from '@public-api/contract/snapshots/translations'
import { readBelow } from '../../files/folder-files.ts'
import { type CompileOptions } from '../compile/compile-content.ts'
import { contentName, decodeText, MAX_FILE_BYTES, resourceOfFile } from '../rules/content-folder.ts'
import { locateFaults, type ContentMistake } from '../rules/content-mistake.ts'
import { contentSchema } from '../rules/content-schemas.ts'
import { PublishError } from '../rules/publish-error.ts'
import { checkSchema } from '../rules/schema-check.ts'
import { hasEnded } from '../rules/status-rules.ts'
import { parseYamlSource } from '../rules/yaml-source.ts'
import { withContentLock } from './content-lock.ts'
import { type EditedEvent, editOverlay, type EventTexts } from './edit-overlay.ts'
import { isUsual, type Status, type StatusEdit, StatusEditError } from './edit-status.ts'
import { compileMoved } from './move-aged-events.ts'
import { changedLines, rewriteYaml } from './rewrite-yaml.ts'
import { readUsualSummary, writeUsualSummary } from './usual-summary.ts'
import { writeContentFile } from './write-content-file.ts'

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

/** What a content file says, with its bytes. Throws a PublishError if it has mistakes of its own. */
function readFileOf(contentDir: string, resource: 'status' | PastEventsName) {
  const name = `${contentName(resource)}.yaml`
  const bytes = readBytes(contentDir, name)
  const file = path.join(contentDir, name)
  const text = bytes.toString('utf8')
  const decoded = decodeText({ value: { file, bytes }, mistakes: [] })
  if (decoded.value === undefined) return refuse(file, decoded.mistakes, 'the file has')
  const { value: source, mistakes } = parseYamlSource(file, decoded.value.text)
  if (source === undefined) return refuse(file, mistakes, 'the file has')
  const faults = locateFaults(source.place, checkSchema(contentSchema(resource), source.value))
  if (faults.length > 0) return refuse(file, faults, 'the file has')
  return { name, bytes, text, value: source.value }
}

/** The status in its content file, with the bytes of the file. Throws a PublishError if it has mistakes of its own. */
export function readStatusFile(contentDir: string) {
  const { value, ...file } = readFileOf(contentDir, 'status')
  // The schema was checked.
  return { ...file, status: value as unknown as Status }
}

/** The file of the past year that has an incident or a maintenance; undefined if none has. Throws a PublishError. */
function findPastEvents(contentDir: string, id: string) {
  const folder = path.join(contentDir, 'events')
  const files = existsSync(folder) ? readdirSync(folder).toSorted().toReversed() : []
  for (const file of files) {
    const resource = resourceOfFile(`events/${file}`)
    if (resource === undefined || !isPastEventsName(resource)) continue
    const { value, ...read } = readFileOf(contentDir, resource)
    // The schema was checked.
    const past = value as unknown as PastEvents
    const items = [...(past.incidents ?? []), ...(past.maintenances ?? [])]
    if (items.some((item) => item.id === id)) return { ...read, past }
  }
  return undefined
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

/** The overlays of a file with the texts of an edit. */
function editOverlays(
  contentDir: string,
  file: string,
  event: EditedEvent,
  translations: ReadonlyMap<TranslationLocale, EventTexts>,
  times: { readonly wasUsual: boolean; readonly isUsualAgain: boolean },
): readonly EditedFile[] {
  return TRANSLATION_LOCALES.flatMap((locale) => {
    const name = `${locale}/${file}`
    const before = readOverlay(contentDir, name)
    const texts = translations.get(locale) ?? {}
    const after = editOverlay(before?.toString('utf8'), event, texts, times)
    if (after === undefined || before?.equals(Buffer.from(after)) === true) return []
    return [{ name, before, after: Buffer.from(after) }]
  })
}

/**
 * Replaces files if each is as it was before the edit. Returns whether they were. If one cannot be written, those before it
 * get their bytes back: an edit without its translations would be taken for the whole one when it is repeated.
 */
function replaceFiles(contentDir: string, files: readonly EditedFile[]): boolean {
  const isAsBefore = files.every(({ name, before }) => {
    const now = readOverlay(contentDir, name)
    return before === undefined ? now === undefined : now?.equals(before) === true
  })
  if (!isAsBefore) return false
  for (const [index, { name, after }] of files.entries()) {
    try {
      writeContentFile(contentDir, name, after)
    } catch (error) {
      for (const each of files.slice(0, index)) writeContentFile(contentDir, each.name, each.before)
      throw error
    }
  }
  return true
}

type Edit = (status: Status, usualSummary: string | undefined) => StatusEdit
type Translations = ReadonlyMap<TranslationLocale, EventTexts>

/** An edit that is not written yet. */
interface Prepared {
  /** The file with the item, within the content folder. */
  readonly name: string
  readonly text: string
  readonly after: string
  /** All that it changes, in the order of writing. */
  readonly files: readonly EditedFile[]
  /** What the edit got. */
  readonly before: Status
  readonly result: StatusEdit
}

function prepareStatusEdit(contentDir: string, edit: Edit, translations: Translations): Prepared {
  const { name, bytes: before, text, status } = readStatusFile(contentDir)
  const remembered = readUsualSummary(text)
  const result = edit(status, remembered)
  const usual = isUsual(status) ? status.summary : remembered
  const isUsualAgain = isUsual(result.status)
  const after = writeUsualSummary(
    rewriteYaml(text, result.status),
    isUsualAgain ? undefined : usual,
  )
  const times = { wasUsual: isUsual(status), isUsualAgain }
  const files: readonly EditedFile[] = [
    // First: a translation of an update that a killed command did not write would be a mistake.
    { name, before, after: Buffer.from(after) },
    ...editOverlays(contentDir, name, result, translations, times),
  ]
  return { name, text, after, files, before: status, result }
}

/** The same for what moved to the file of its year, which an edit does not bring back. Throws `missing` if no year has it. */
function preparePastEdit(
  contentDir: string,
  missing: StatusEditError,
  edit: Edit,
  translations: Translations,
): Prepared {
  const id = missing.missingId ?? ''
  const found = findPastEvents(contentDir, id)
  if (found === undefined) throw missing
  const { name, bytes, text, past } = found
  const { status } = readStatusFile(contentDir)
  const { incidents = [], maintenances = [] } = past
  const before = { ...status, incidents, maintenances }
  const result = edit(before, undefined)
  const { [result.list]: items = [] } = result.status
  const isOver = items.every((item) => item.id !== id || hasEnded(item))
  if (!isOver || result.status.summary !== status.summary) {
    const where = `${id} ended long ago, and is in ${name}`
    const expected =
      'expected a note about the past without --summary, or another item for what is new'
    throw new StatusEditError('state', `${where}; ${expected}`)
  }
  const after = rewriteYaml(text, { ...past, [result.list]: items })
  const times = { wasUsual: false, isUsualAgain: false }
  const files: readonly EditedFile[] = [
    { name, before: bytes, after: Buffer.from(after) },
    ...editOverlays(contentDir, name, result, translations, times),
  ]
  return { name, text, after, files, before, result }
}

function prepareEdit(contentDir: string, edit: Edit, translations: Translations): Prepared {
  try {
    return prepareStatusEdit(contentDir, edit, translations)
  } catch (error) {
    if (!(error instanceof StatusEditError) || error.missingId === undefined) throw error
    return preparePastEdit(contentDir, error, edit, translations)
  }
}

/**
 * Changes status.yaml of a content folder, which remembers the usual summary while something is open, or the file of the year
 * that has the item, and the translations. The change is made only if the status would have no mistakes with it; otherwise
 * the files keep their bytes. The texts of `options` are published with it (the version's note). Rejects with a PublishError,
 * and with a StatusEditError of the edit.
 */
export async function editStatusFile(
  contentDir: string,
  nowMs: number,
  edit: Edit,
  options: Pick<CompileOptions, 'texts' | 'known'>,
  translations: Translations = new Map(),
) {
  for (let attempt = 1; ; attempt += 1) {
    const { name, text, after, files, before, result } = prepareEdit(contentDir, edit, translations)
    const file = path.join(contentDir, name)
    const replaced = new Map(files.map((each) => [each.name, each.after ?? NO_TEXTS]))
    const only = new Set(['status'] as const)
    const { mistakes } = await compileMoved(contentDir, nowMs, { ...options, replaced, only })
    if (mistakes.length > 0) refuse(file, mistakes, 'the edited content would have')
    try {
      if (await withContentLock(contentDir, async () => replaceFiles(contentDir, files))) {
        return {
          file,
          /** The lines that changed, each after `-` or `+`. */
          lines: changedLines(text, after),
          /** The status before, or what the year had. */
          before,
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
