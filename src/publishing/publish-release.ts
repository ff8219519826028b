import type { VersionEntry } from '../contract/version-chain.ts'
import {
  appendEntry,
  checkLine,
  createEntry,
  isUnchanged,
  readVersions,
  type ReleaseOptions,
  writeRelease,
} from './append-version.ts'
import { type CompiledContent, compileContent } from './compile-content.ts'
import { PublishError } from './publish-error.ts'
import { resourceFault } from './resource-fault.ts'
import type { ReleaseStore } from '../storage/release-store.ts'

/** What to publish, and where. */
export interface PublishOptions extends ReleaseOptions {
  readonly contentDir: string
}

/** The result of publishing. */
export interface PublishResult {
  /**
   * `published`: a version was written. `unchanged`: the newest version has the same content. `repaired`: the same, and
   * the files of `damaged` were written again.
   */
  readonly outcome: 'published' | 'unchanged' | 'repaired'
  /** The entry of the newest version. */
  readonly entry: VersionEntry
  /** If `repaired`: resources of the newest version whose file was missing or damaged. */
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

/** The resources of the newest version whose files were changed. */
function findDamaged(store: ReleaseStore, head: VersionEntry): readonly string[] {
  return Object.entries(head.resources)
    .filter(([name, digest]) => resourceFault(store, name, digest) !== undefined)
    .map(([name]) => name)
}

function writeResources(
  store: ReleaseStore,
  compiled: CompiledContent,
  names: ReadonlySet<string>,
): void {
  for (const [name, { digest, text }] of compiled.resources) {
    if (names.has(name)) store.writeResource(name, digest, text)
  }
}

/**
 * Publishes a content folder as the next version. Rejects with a PublishError if the content has mistakes, the history
 * is damaged, the clock is wrong, another publisher was faster or the folder cannot be written; then nothing changed.
 */
export async function publishRelease(options: PublishOptions): Promise<PublishResult> {
  const { contentDir, store, nowMs, note } = options
  checkLine('the note', note)
  const compiled = await requireContent(contentDir, nowMs, new Map([['the note', note]]))
  const head = readVersions(store).at(-1)
  const resources = Object.fromEntries(
    [...compiled.resources].map(([name, { digest }]) => [name, digest]),
  )
  const entry = createEntry(head, resources, options)
  if (head !== undefined && isUnchanged(head, entry)) {
    const damaged = findDamaged(store, head)
    if (damaged.length === 0) return { outcome: 'unchanged', entry: head, damaged }
    writeRelease(head.snapshotId, () => writeResources(store, compiled, new Set(damaged)))
    return { outcome: 'repaired', entry: head, damaged }
  }
  writeRelease(entry.snapshotId, () => {
    writeResources(store, compiled, new Set(compiled.resources.keys()))
    appendEntry(store, head, entry)
  })
  return { outcome: 'published', entry, damaged: [] }
}
