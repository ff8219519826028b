import type { VersionEntry } from '../contract/version-chain.ts'
import {
  appendEntry,
  checkLine,
  nextEntry,
  readVersions,
  type ReleaseOptions,
  writeRelease,
} from './append-version.ts'
import { type CompiledContent, compileContent } from './compile-content.ts'
import { PublishError } from './publish-error.ts'
import { resourceFault } from './resource-fault.ts'

/** What to publish, and where. */
export interface PublishOptions extends ReleaseOptions {
  readonly contentDir: string
}

/** The result of publishing. */
export interface PublishResult {
  /** `published`: a version was written. `unchanged`: the newest version has the same content. */
  readonly outcome: 'published' | 'unchanged'
  /** The entry of the newest version. */
  readonly entry: VersionEntry
  /** If `unchanged`: resources whose file was missing or damaged. It was written again. */
  readonly damaged: readonly string[]
}

/** Compiles content. Rejects with a PublishError (CONTENT) that lists every mistake. */
export async function requireContent(
  contentDir: string,
  nowMs: number,
  texts?: ReadonlyMap<string, string>,
): Promise<CompiledContent> {
  const compiled = await compileContent(contentDir, nowMs, texts)
  const { mistakes } = compiled
  if (mistakes.length === 0) return compiled
  const count = mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`
  throw new PublishError('CONTENT', `the content has ${count}`, { mistakes })
}

/**
 * Publishes a content folder as the next version. Rejects with a PublishError if the content has mistakes, the history
 * is damaged, the clock is wrong, another publisher was faster or the folder cannot be written; then nothing changed.
 */
export async function publishRelease(options: PublishOptions): Promise<PublishResult> {
  const { contentDir, store, nowMs, note } = options
  checkLine('the note', note)
  const { resources } = await requireContent(contentDir, nowMs, new Map([['the note', note]]))
  const head = readVersions(store).at(-1)
  const compiled = [...resources].map(([name, resource]) => ({ name, ...resource }))
  const digests = Object.fromEntries(compiled.map(({ name, digest }) => [name, digest]))
  const entry = nextEntry(head, digests, options)
  const isNew = entry !== head
  const written = compiled.filter(
    ({ name, digest }) => isNew || resourceFault(store, name, digest) !== undefined,
  )
  writeRelease(entry.snapshotId, () => {
    for (const { name, digest, text } of written) store.writeResource(name, digest, text)
    if (isNew) appendEntry(store, head, entry)
  })
  return isNew
    ? { outcome: 'published', entry, damaged: [] }
    : { outcome: 'unchanged', entry, damaged: written.map(({ name }) => name).toSorted() }
}
