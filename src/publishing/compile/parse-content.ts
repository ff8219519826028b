import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import type { TranslatedName } from '@public-api/contract/registry/resource-names'
import { ORGANIZATION_RESOURCE } from '@public-api/contract/snapshots/organization'
import type { TranslationLocale } from '@public-api/contract/snapshots/translations'
import { readImport } from '../imports/read-import.ts'
import type { ContentFile, ContentFolder } from '../rules/content-folder.ts'
import type { ContentMistake } from '../rules/content-mistake.ts'
import { IMPORT_FIELDS } from '../rules/content-schemas.ts'
import { type ContentSource, parseYamlSource } from '../rules/yaml-source.ts'

/** An overlay: the translation of one resource. */
export interface ParsedOverlay {
  readonly locale: TranslationLocale
  readonly name: TranslatedName
  readonly source: ContentSource
}

/** A content file and its source, which is undefined if it has mistakes. */
export interface ParsedFile extends ContentFile {
  readonly name?: TranslatedName
  readonly source: ContentSource | undefined
}

/** The content as data with places. */
export type ParsedContent = ReturnType<typeof parseContent>

/** The name of the file that a resource refers to. */
export function referenceIn(name: TranslatedName, value: JsonValue): string | undefined {
  const field = name === ORGANIZATION_RESOURCE ? 'logo' : IMPORT_FIELDS[name]?.name
  const file = field && propertyOf(propertyOf(value, field), 'file')
  return typeof file === 'string' ? file : undefined
}

/** Parses every file of a content folder, and the files that they import. */
export function parseContent(folder: ContentFolder) {
  const sources = new Map<TranslatedName, ContentSource>()
  const overlays: ParsedOverlay[] = []
  const files: ParsedFile[] = []
  const referenced = new Set<string>()
  const mistakes: ContentMistake[] = []
  const notes: string[] = []
  for (const [name, file] of folder.resources) {
    const parsed = parseYamlSource(file.file, file.text)
    const whole = parsed.value === undefined ? parsed : readImport(name, parsed.value, folder)
    mistakes.push(...whole.mistakes)
    notes.push(...(whole.notes ?? []))
    files.push({ ...file, name, source: whole.value ?? parsed.value })
    if (whole.value !== undefined) sources.set(name, whole.value)
    const reference = parsed.value && referenceIn(name, parsed.value.value)
    if (reference !== undefined) referenced.add(reference)
  }
  for (const { locale, name, ...file } of folder.overlays) {
    const parsed = parseYamlSource(file.file, file.text)
    mistakes.push(...parsed.mistakes)
    files.push({ ...file, source: parsed.value })
    if (parsed.value !== undefined) overlays.push({ locale, name, source: parsed.value })
  }
  const { settings } = folder
  const parsedSettings = settings && parseYamlSource(settings.file, settings.text)
  return {
    /** With the fields that are imported from other files. */
    sources,
    overlays,
    /** content/publishing.yaml. */
    settings: parsedSettings?.value,
    /** Every file of `sources` and `overlays`, and every one that could not be parsed. */
    files,
    /** The files that content refers to: logo and imports. */
    referenced,
    /** Whether every file could be parsed and every import read. Otherwise, what is unused cannot be known. */
    isComplete: mistakes.length === 0,
    /** What imports left out, one line each with its place. */
    notes,
    mistakes: [...mistakes, ...(parsedSettings?.mistakes ?? [])],
  }
}
