import {
  appendVersion,
  checkLine,
  type PublishResult,
  readVersions,
  type ReleaseOptions,
  resourceFault,
} from './append-version.ts'
import { type CompiledContent, compileContent } from './compile-content.ts'
import { PublishError } from './publish-error.ts'

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
export async function publishRelease(
  options: ReleaseOptions & { readonly contentDir: string },
): Promise<PublishResult> {
  const { contentDir, store, nowMs, note } = options
  checkLine('the note', note)
  const { resources } = await requireContent(contentDir, nowMs, new Map([['the note', note]]))
  const compiled = [...resources].map(([name, resource]) => ({ name, ...resource }))
  const digests = Object.fromEntries(compiled.map(({ name, digest }) => [name, digest]))
  return appendVersion(options, readVersions(store), digests, (isNew) => {
    const written = compiled.filter(
      ({ name, digest }) => isNew || resourceFault(store, name, digest) !== undefined,
    )
    for (const { name, digest, text } of written) store.writeResource(name, digest, text)
    return isNew ? [] : written.map(({ name }) => name).toSorted()
  })
}
