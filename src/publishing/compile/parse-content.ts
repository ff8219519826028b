import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import {
  type ResourceName,
  type TranslatedName,
  translationsOf,
} from '@public-api/contract/registry/resource-names'
import { ORGANIZATION_RESOURCE } from '@public-api/contract/snapshots/organization'
import type { TranslationLocale } from '@public-api/contract/snapshots/translations'
import { readImport } from '../imports/read-import.ts'
import type { ContentFile, ContentFolder } from '../rules/content-folder.ts'
import type { Checked, ContentMistake } from '../rules/content-mistake.ts'
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
  /** The resource that the file describes; undefined for a translation. */
  readonly name?: TranslatedName
  /** The resource that it is published in. */
  readonly resource: ResourceName
  readonly source: ContentSource | undefined
  /** Whether the source is what was published before. */
  readonly isKnown: boolean
}

/**
 * What a file of a past year was published as, by its resource; undefined for another text than the published one. A
 * translation is given as the overlay of its resource.
 */
export type KnownYears = (resource: ResourceName, text: string) => JsonValue | undefined

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

/** Parses every file of a content folder, and the files that they import. */
export function parseContent(folder: ContentFolder, known: KnownYears = () => undefined) {
  const sources = new Map<TranslatedName, ContentSource>()
  const overlays: ParsedOverlay[] = []
  const files: ParsedFile[] = []
  const referenced = new Set<string>()
  const mistakes: ContentMistake[] = []
  const notes: string[] = []
  const parse = (
    resource: ResourceName,
    file: ContentFile,
    mayBeKnown = true,
  ): Checked<ContentSource> & { readonly isKnown: boolean } => {
    const value = mayBeKnown ? known(resource, file.text) : undefined
    return value === undefined
      ? { ...parseYamlSource(file.file, file.text), isKnown: false }
      : { value: knownSource(file, value), mistakes: [], isKnown: true }
  }
  for (const [name, file] of folder.resources) {
    const parsed = parse(name, file)
    const whole: ReturnType<typeof readImport> =
      parsed.value === undefined ? parsed : readImport(name, parsed.value, folder)
    mistakes.push(...whole.mistakes)
    notes.push(...(whole.notes ?? []))
    const { isKnown } = parsed
    files.push({ ...file, name, resource: name, source: whole.value ?? parsed.value, isKnown })
    if (whole.value !== undefined) sources.set(name, whole.value)
    const reference = parsed.value && referenceIn(name, parsed.value.value)
    if (reference !== undefined) referenced.add(reference)
  }
  for (const { locale, name, ...file } of folder.overlays) {
    const resource = translationsOf(locale, name)
    // A translation is checked again with another original.
    const isOfKnown = files.some((each) => each.name === name && each.isKnown)
    const { value: source, mistakes: found, isKnown } = parse(resource, file, isOfKnown)
    mistakes.push(...found)
    files.push({ ...file, resource, source, isKnown })
    if (source !== undefined) overlays.push({ locale, name, source })
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
