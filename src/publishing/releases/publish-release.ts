import { type CompiledContent, compileContent } from '../compile/compile-content.ts'
import { PublishError } from '../rules/publish-error.ts'
import { type TranslatedText, writeTranslationRecord } from '../translations/translation-record.ts'
import {
  appendVersion,
  checkLine,
  type PublishResult,
  readVersions,
  type ReleaseOptions,
  resourceFault,
} from './append-version.ts'
import { checkBase, readBase, writeBase } from './content-base.ts'

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
 * is damaged, another publisher was faster or the folder cannot be written; then nothing changed.
 *
 * The content folder records the version it was published as. Content that is based on an older version is rejected, unless
 * `over` names the newest one.
 */
export async function publishRelease(
  options: ReleaseOptions & { readonly contentDir: string; readonly over?: string | undefined },
): Promise<PublishResult> {
  const { contentDir, store, nowMs, note, over } = options
  checkLine('the note', note)
  const {
    resources,
    translated,
    outdated,
    warnings: notes,
  } = await requireContent(contentDir, nowMs, new Map([['the note', note]]))
  const compiled = [...resources].map(([name, resource]) => ({ name, ...resource }))
  const digests = Object.fromEntries(compiled.map(({ name, digest }) => [name, digest]))
  const versions = readVersions(store)
  const undone = checkBase(versions, readBase(contentDir), digests, over)
  const read = (wanted: string) => compiled.find(({ name }) => name === wanted)?.text
  const prepared = (await options.prepare?.(read)) ?? []
  const result = appendVersion(options, versions, digests, (isNew) => {
    const written = compiled.filter(
      ({ name, digest }) => isNew || resourceFault(store, name, digest) !== undefined,
    )
    for (const { name, digest, text } of written) store.writeResource(name, digest, text)
    return isNew ? [] : written.map(({ name }) => name).toSorted()
  })
  const warning = writeBase(contentDir, result.entry)
  for (const locale of new Set(translated.map((text) => text.locale))) {
    const ofLocale = (text: TranslatedText) => text.locale === locale
    const kept = outdated.filter(ofLocale)
    const current = translated.filter((text) => ofLocale(text) && !kept.includes(text))
    writeTranslationRecord(contentDir, locale, current, kept)
  }
  const written = warning === undefined ? [] : [warning]
  const warnings = [...notes, ...prepared, ...result.warnings, ...written]
  return { ...result, undone, warnings }
}
