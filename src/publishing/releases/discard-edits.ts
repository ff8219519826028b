import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { makeFolder } from '@public-api/client-internal/node/durable-file'
import { messageOf } from '@public-api/contract/errors/error-message'
import type { TranslatedName } from '@public-api/contract/registry/resource-names'
import { formatInstant } from '@public-api/contract/text/instant'
import { listBelow, readBelow } from '../../files/folder-files.ts'
import type { ReleaseStore } from '../../releases/release-store.ts'
import { compileContent } from '../compile/compile-content.ts'
import { withContentLock } from '../editing/content-lock.ts'
import { writeContentFile } from '../editing/write-content-file.ts'
import {
  contentFiles,
  contentFilesOf,
  isLeftover,
  MAX_FILE_BYTES,
  publishedWith,
} from '../rules/content-folder.ts'
import { PublishError } from '../rules/publish-error.ts'
import { RECORD_FILE } from '../translations/translation-record.ts'
import { readBase, writeBase } from './content-base.ts'
import { readVersions, timeAfter } from './published-versions.ts'
import {
  restoreContent,
  restoreFile,
  type RestoredVersion,
  usualSummaryOf,
} from './restore-content.ts'
import { digestsOf, selectResources, sourcesOf, sourcesOfVersion } from './select-resources.ts'

/** One file that is discarded; undefined where it does not exist. */
interface DiscardedFile {
  /** Its path in the content folder. */
  readonly name: string
  readonly before: Buffer | undefined
  readonly after: Buffer | undefined
}

/** What discarding would do. Nothing was changed. */
export type DiscardPlan = Awaited<ReturnType<typeof planDiscard>>

/** Names that are read or written: content, and the records of translations. Not those of editors and of Git. */
const isOwnName = (name: string): boolean => {
  const base = path.basename(name)
  return !base.startsWith('.') || base === RECORD_FILE
}

/** Whether a file is the record of a translation, which commands write. */
export const isDiscardRecord = ({ name }: DiscardedFile): boolean =>
  path.basename(name) === RECORD_FILE

function readFiles(folder: string): ReadonlyMap<string, Buffer> {
  // What this user cannot read is not theirs to discard.
  const files = listBelow(folder, undefined, isLeftover, () => {}).filter(
    ({ name, kind }) => kind === 'file' && isOwnName(name),
  )
  return new Map(files.map(({ name }) => [name, readBelow(folder, name, MAX_FILE_BYTES)]))
}

/** Whether a file is one of these resources, or a translation of one. */
function isFileOf(file: string, names: ReadonlySet<TranslatedName>): boolean {
  const name = publishedWith(file)
  return name !== undefined && names.has(name)
}

/**
 * Compiles a copy of a folder. Files with mistakes are replaced by the published ones until all mistakes are gone: what they
 * would publish is unknown. Resolves with their names too.
 */
async function mendCopy(copy: string, published: RestoredVersion, nowMs: number) {
  const mended = new Map<string, 'kept comments' | 'new'>()
  const known = new Set(
    contentFiles(published.wanted.keys()).flatMap(([, name]) => contentFilesOf(name)),
  )
  for (;;) {
    const compiled = await compileContent(copy, nowMs)
    const broken = new Set(
      compiled.mistakes
        .map(({ file }) => path.relative(copy, file))
        .filter((name) => known.has(name) && mended.get(name) !== 'new'),
    )
    if (broken.size === 0) return { compiled, mended: [...mended.keys()] }
    for (const name of broken) {
      // A comment may be the mistake.
      const isSecond = mended.has(name)
      if (isSecond) writeContentFile(copy, name, undefined)
      const saved = restoreFile(copy, name, published)
      for (const each of saved) writeContentFile(copy, each, undefined)
      mended.set(name, isSecond ? 'new' : 'kept comments')
    }
  }
}

/**
 * Finds out how a content folder gets the content of the newest version, or only some of its resources with their
 * translations. Works on a copy. Rejects with a PublishError if nothing is published or the folder cannot be read.
 */
export async function planDiscard({
  store,
  contentDir,
  nowMs: clockMs,
  only,
}: {
  readonly store: ReleaseStore
  readonly contentDir: string
  readonly nowMs: number
  readonly only?: ReadonlySet<TranslatedName> | undefined
}) {
  const versions = readVersions(store)
  const entry = versions.at(-1)
  if (entry === undefined) throw new PublishError('VERSION', 'no version is published')
  const nowMs = timeAfter(entry.createdAt, clockMs)
  const wanted = sourcesOfVersion(store, entry)
  const usualSummary = usualSummaryOf(store, versions)
  const published = { name: entry.snapshotId, wanted, usualSummary }
  const original = readFiles(contentDir)
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-discard-'))
  try {
    for (const [name, bytes] of original) writeContentFile(copy, name, bytes)
    const { compiled, mended } = await mendCopy(copy, published, nowMs)
    const isChosen = (file: string) => only === undefined || isFileOf(file, only)
    for (const name of mended) if (!isChosen(name)) writeContentFile(copy, name, original.get(name))
    const sources = sourcesOf(compiled)
    const known = only === undefined ? sources : selectResources(wanted, sources, only)
    const { byHand, saved } = await restoreContent(copy, known, published, nowMs)
    for (const name of saved) writeContentFile(copy, name, undefined)
    const brought = readFiles(copy)
    const changed = [...new Set([...original.keys(), ...brought.keys()])]
      .map((name) => ({ name, before: original.get(name), after: brought.get(name) }))
      .filter(({ before, after }) => before === undefined || after?.equals(before) !== true)
    // A record alone states nothing that was typed.
    const files: readonly DiscardedFile[] = changed.every(isDiscardRecord) ? [] : changed
    const { resources } = await compileContent(copy, nowMs)
    const isWhole = isDeepStrictEqual(digestsOf(resources), entry.resources)
    const rest = `${contentDir} still differs from ${entry.snapshotId}; see svc diff`
    const isSilent = only === undefined && !isWhole && byHand.length === 0
    return {
      contentDir,
      /** The newest version. */
      entry,
      files,
      /** What differs from the version and stays, one line each. */
      byHand: isSilent ? [rest] : byHand.map((line) => line.replaceAll(copy, contentDir)),
      /** Whether the folder has the content of the version afterwards. */
      isWhole,
      /** Whether the folder states that it is based on the version. */
      isBased: readBase(contentDir, versions)?.hash === entry.hash,
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).errno === undefined) throw error
    const reason = `a copy in ${os.tmpdir()} could not be written (${messageOf(error)})`
    throw new PublishError('STORAGE', reason, { cause: error })
  } finally {
    fs.rmSync(copy, { recursive: true, force: true })
  }
}

/**
 * Copies files to a new folder below the content folder, where everyone may write who may discard. Its dot excludes it from
 * the content. Git ignores it: not everything that was typed is meant for others.
 */
function keepFiles(contentDir: string, files: readonly DiscardedFile[], nowMs: number): string {
  const parent = path.join(path.resolve(contentDir), '.discarded')
  if (!fs.existsSync(parent)) {
    fs.mkdirSync(parent)
    // The umask may have removed permissions of the group, which discards too.
    fs.chmodSync(parent, fs.statSync(contentDir).mode & 0o7777)
    fs.writeFileSync(path.join(parent, '.gitignore'), '*\n')
  }
  const folder = path.join(parent, formatInstant(nowMs).replaceAll(':', '-'))
  fs.mkdirSync(folder)
  for (const { name } of files) {
    makeFolder(path.dirname(path.join(folder, name)), 0o755)
    // With its permissions: what was typed may not be meant for others.
    fs.copyFileSync(path.join(contentDir, name), path.join(folder, name))
  }
  return folder
}

/** A failure of the system, with the folder and what it means. */
function failure(contentDir: string, error: unknown, consequence: string): PublishError {
  const reason = `${messageOf(error)} in ${contentDir}; ${consequence}`
  return new PublishError('STORAGE', reason, { cause: error })
}

/**
 * Carries out a plan. The files are copied to a folder of their own first; resolves with its path, undefined if no file is
 * lost. Rejects with a PublishError if a file changed since the plan; then nothing was changed.
 */
export async function discardEdits(
  { contentDir, entry, files, isWhole, isBased }: DiscardPlan,
  nowMs: number,
): Promise<string | undefined> {
  const unchanged = 'nothing was discarded'
  if (files.length === 0 && (isBased || !isWhole)) return undefined
  return withContentLock(contentDir, async () => {
    const current = readFiles(contentDir)
    const changed = files.find(({ name, before }) => {
      const now = current.get(name)
      return now === undefined || before === undefined ? now !== before : !now.equals(before)
    })
    if (changed !== undefined) {
      const file = path.join(contentDir, changed.name)
      throw new PublishError('CONFLICT', `${file} changed meanwhile; ${unchanged}`)
    }
    const lost = files.filter((each) => each.before !== undefined && !isDiscardRecord(each))
    const kept = lost.length === 0 ? undefined : keepFiles(contentDir, lost, nowMs)
    const state =
      kept === undefined ? 'run svc discard again' : `the discarded files are in ${kept}`
    try {
      for (const { name, after } of files) writeContentFile(contentDir, name, after)
    } catch (error) {
      throw failure(contentDir, error, state)
    }
    if (isWhole && !isBased) writeBase(contentDir, entry)
    return kept
  }).catch((error: unknown) => {
    // The lock, a file that cannot be read, or one that cannot be kept.
    throw error instanceof PublishError ? error : failure(contentDir, error, unchanged)
  })
}
