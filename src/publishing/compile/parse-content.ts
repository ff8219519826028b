import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import {
  type ResourceName,
  type TranslatedName,
  translationsOf,
} from '@public-api/contract/registry/resource-names'
import { ORGANIZATION_RESOURCE } from '@public-api/contract/snapshots/organization'
import { isPartOfStatus } from '@public-api/contract/snapshots/past-events'
import type { TranslationLocale } from '@public-api/contract/snapshots/translations'
import { readImport } from '../imports/read-import.ts'
import { type ContentFile, type ContentFolder, contentName } from '../rules/content-folder.ts'
import type { Checked, ContentMistake } from '../rules/content-mistake.ts'
import { IMPORT_FIELDS } from '../rules/content-schemas.ts'
import { type ContentSource, parseYamlSource } from '../rules/yaml-source.ts'

/** An overlay: the translation of one resource. */
export interface ParsedOverlay {
  readonly locale: TranslationLocale
  readonly name: TranslatedName
  readonly source: ContentSource
  /** Whether it, what it translates and its record are what was published before. */
  readonly isKnown: boolean
}

/** A content file and its source, which is undefined if it has mistakes. */
export interface ParsedFile extends ContentFile {
  /** The resource that the file describes; undefined for a translation. */
  readonly name?: TranslatedName
  /** The resource that it is published in. */
  readonly resource: ResourceName
  readonly source: ContentSource | undefined
  /** Whether the text is one that was published, and searched then. */
  readonly isPublished: boolean
}

/** What the files of a folder were published as. */
export interface KnownFiles {
  /** Whether a file, by its path in the folder, has the text that it was published with. */
  readonly isSame: (file: string, text: string) => boolean
  /** The data of a published resource; undefined if it cannot be read. */
  readonly read: (resource: ResourceName) => JsonValue | undefined
  /** The digest of a published resource. */
  readonly digestOf: (resource: ResourceName) => string | undefined
}

/** Of a folder that was not published. */
export const NO_FILES: KnownFiles = {
  isSame: () => false,
  read: () => undefined,
  digestOf: () => undefined,
}

/** A source that is parsed only where the place of a value in it is asked for. */
function knownSource({ file, text }: ContentFile, value: JsonValue): ContentSource {
  let parsed: ContentSource | undefined
  return {
    value,
    texts: [],
    place(at, part) {
      parsed ??= parseYamlSource(file, text).value
      return parsed?.place(at, part) ?? { file, line: 1, column: 1 }
    },
  }
}

/** The content as data with places. */
export type ParsedContent = ReturnType<typeof parseContent>

/** The name of the file that a resource refers to. */
export function referenceIn(name: TranslatedName, value: JsonValue): string | undefined {
  const field = name === ORGANIZATION_RESOURCE ? 'logo' : IMPORT_FIELDS[name]?.name
  const file = field && propertyOf(propertyOf(value, field), 'file')
  return typeof file === 'string' ? file : undefined
}

/**
 * Parses every file of a content folder, and the files that they import. `knownRecords` are the locales whose
 * translations have the record with which they were published.
 */
export function parseContent(
  folder: ContentFolder,
  known: KnownFiles = NO_FILES,
  knownRecords: ReadonlySet<TranslationLocale> = new Set(),
) {
  const sources = new Map<TranslatedName, ContentSource>()
  const knownSources = new Set<ResourceName>()
  const overlays: ParsedOverlay[] = []
  const files: ParsedFile[] = []
  const referenced = new Set<string>()
  const mistakes: ContentMistake[] = []
  const notes: string[] = []
  const parse = (
    file: ContentFile,
    readKnown: () => JsonValue | undefined,
  ): Checked<ContentSource> & { readonly isKnown: boolean } => {
    const value = readKnown()
    return value === undefined
      ? { ...parseYamlSource(file.file, file.text), isKnown: false }
      : { value: knownSource(file, value), mistakes: [], isKnown: true }
  }
  for (const [name, file] of folder.resources) {
    const isSame = known.isSame(`${contentName(name)}.yaml`, file.text)
    const parsed = parse(file, () => (isSame ? known.read(name) : undefined))
    const whole: ReturnType<typeof readImport> =
      parsed.value === undefined ? parsed : readImport(name, parsed.value, folder)
    mistakes.push(...whole.mistakes)
    notes.push(...(whole.notes ?? []))
    if (parsed.isKnown) knownSources.add(name)
    const source = whole.value ?? parsed.value
    files.push({ ...file, name, resource: name, source, isPublished: isSame })
    if (whole.value !== undefined) sources.set(name, whole.value)
    const reference = parsed.value && referenceIn(name, parsed.value.value)
    if (reference !== undefined) referenced.add(reference)
  }
  for (const { locale, name, ...file } of folder.overlays) {
    const resource = translationsOf(locale, name)
    // A translation is checked again with another original or another record.
    const isSame = known.isSame(`${locale}/${contentName(name)}.yaml`, file.text)
    const mayBeKnown = isSame && knownSources.has(name) && knownRecords.has(locale)
    const {
      value: source,
      mistakes: found,
      isKnown,
    } = parse(file, () => {
      const published = mayBeKnown ? propertyOf(known.read(resource), 'resources') : undefined
      return propertyOf(published, name) as JsonValue | undefined
    })
    mistakes.push(...found)
    files.push({ ...file, resource, source, isPublished: isSame })
    if (source !== undefined) overlays.push({ locale, name, source, isKnown })
    // Others have the translations of several files.
    if (isKnown && isPartOfStatus(resource)) knownSources.add(resource)
  }
  const { settings } = folder
  const parsedSettings = settings && parseYamlSource(settings.file, settings.text)
  return {
    /** With the fields that are imported from other files. */
    sources,
    /** Those that are what was published before. */
    known: knownSources as ReadonlySet<ResourceName>,
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
