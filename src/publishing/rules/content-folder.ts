import path from 'node:path'
import { getSystemErrorMessage } from 'node:util'
import { messageOf } from '@public-api/contract/errors/error-message'
import {
  type TranslatedName,
  TRANSLATED_SCHEMAS,
  isTranslatedName,
} from '@public-api/contract/registry/resource-names'
import { WALLET_NAMES } from '@public-api/contract/snapshots/no-wallet'
import { isPastEventsName, pastEventsResource } from '@public-api/contract/snapshots/past-events'
import { isSnapshotName } from '@public-api/contract/snapshots/snapshot-schemas'
import {
  TRANSLATION_LOCALES,
  type TranslationLocale,
} from '@public-api/contract/snapshots/translations'
import { LOCALES } from '@public-api/contract/terms/locales'
import { expectedName, nearestName } from '@public-api/contract/text/nearest-name'
import { listBelow, PARTIAL_PATTERN, readBelow } from '../../files/folder-files.ts'
import {
  type Checked,
  type ContentMistake,
  type FieldPath,
  fault,
  locateFaults,
  mistakeAt,
  mistakeOf,
} from './content-mistake.ts'
import { SETTINGS_FILE } from './content-schemas.ts'
import type { ContentSource } from './yaml-source.ts'

/** A file of the content folder. */
export interface ContentFile {
  /** The path as the operator would open it: below the folder's path as it was given. */
  readonly file: string
  readonly text: string
}

/** A file that content refers to. */
export interface ReferencedFile {
  readonly file: string
  readonly bytes: Buffer
}

/** The files of a content folder. */
export type ContentFolder = ReturnType<typeof readContentFolder>['folder']

/** Files that content may refer to. */
const REFERENCED = /^[^/]+\.(?:svg|png|csv)$/

/** Files for people, to which content may also refer. */
const NOTES = /\.md$/

/** The largest file that is read. YAML files have a lower limit (`MAX_SOURCE_LENGTH`). */
export const MAX_FILE_BYTES = 4_194_304

/** The name of a resource in the content folder: `organization` for `site/organization`. */
export const contentName = (name: TranslatedName): string => name.replace(/^site\//, '')

/** The resource that each content file describes, by the file's path relative to the content folder. */
export const CONTENT_FILES: ReadonlyMap<string, TranslatedName> = new Map(
  Object.keys(TRANSLATED_SCHEMAS)
    .filter(isTranslatedName)
    .map((name) => [`${contentName(name)}.yaml`, name]),
)

const PAST_EVENTS_FILE = /^events\/(\d{4})\.yaml$/

/** The resource that a content file describes, by its path relative to the content folder; undefined for other files. */
export function resourceOfFile(file: string): TranslatedName | undefined {
  const [, year] = PAST_EVENTS_FILE.exec(file) ?? []
  return year === undefined ? CONTENT_FILES.get(file) : pastEventsResource(year)
}

/** The content files of resources by name: those that every folder may have, and those of the years among `names`. */
export function contentFiles(
  names: Iterable<string> = [],
): readonly (readonly [file: string, name: TranslatedName])[] {
  const years = [...new Set(names)].filter(isPastEventsName).toSorted()
  return [...CONTENT_FILES, ...years.map((name) => [`${contentName(name)}.yaml`, name] as const)]
}

/** The content files of a resource: its own and its translations. */
export function contentFilesOf(name: TranslatedName): readonly string[] {
  const own = `${contentName(name)}.yaml`
  return [own, ...TRANSLATION_LOCALES.map((locale) => `${locale}/${own}`)]
}

/** The resource of a content file or of a translation that is published with `--only`. The status includes the years before it. */
export function publishedWith(file: string): TranslatedName | undefined {
  const [first = '', ...rest] = file.split('/')
  const isTranslation = TRANSLATION_LOCALES.some((locale) => locale === first)
  const name = resourceOfFile(isTranslation ? rest.join('/') : file)
  return name !== undefined && isPastEventsName(name) ? 'status' : name
}

function explainUnknown(name: string): string {
  const [folder = '', ...rest] = name.split('/')
  if (rest.length > 0 && folder === LOCALES[0]) {
    return `${rest.join('/')} in the content folder itself: content is written in ${LOCALES[0]}`
  }
  if (rest.length > 0 && resourceOfFile(rest.join('/')) !== undefined) {
    return `a folder for a locale that the pages have: ${TRANSLATION_LOCALES.join(', ')}`
  }
  const files = [...CONTENT_FILES.keys()]
  const inFolder = [...files, SETTINGS_FILE]
  const translations = TRANSLATION_LOCALES.flatMap((locale) =>
    files.map((file) => `${locale}/${file}`),
  )
  const otherwise = `one of ${inFolder.join(', ')}`
  return expectedName(name, [...inFolder, ...translations], 'a known name', otherwise)
}

/** The known name of a content file, also of one that is mistyped. A translation is not a mistyped file of the wallet. */
function intendedName(name: string): string {
  if (TRANSLATION_LOCALES.some((locale) => name.startsWith(`${locale}/`))) return name
  const depth = name.split('/').length
  const siblings = [...CONTENT_FILES.keys()].filter((file) => file.split('/').length === depth)
  return resourceOfFile(name) !== undefined ? name : (nearestName(name, siblings) ?? name)
}

const isWallet = (name: TranslatedName): boolean => WALLET_NAMES.some((wallet) => wallet === name)

/** The required content files that are missing. Wallet files may be missing all together. */
function missingFiles(present: ReadonlySet<string>) {
  const required = [...CONTENT_FILES].filter(([, name]) => isSnapshotName(name))
  const hasWallet = required.some(([file, name]) => isWallet(name) && present.has(file))
  return required.filter(([file, name]) => !present.has(file) && (hasWallet || !isWallet(name)))
}

/** What editors, merge tools, systems and killed commands leave beside a file. */
const LEFTOVERS = [
  /~$|\.(?:bak|old|orig|rej|save|sw[a-p]|tmp)$|^#.*#$|^(?:thumbs\.db|desktop\.ini|4913)$/i,
  new RegExp(`${PARTIAL_PATTERN}$`),
]

/** Whether a name in a content folder is of an editor, a system, version control or a killed command, and not content. */
export const isLeftover = (part: string): boolean =>
  part.startsWith('.') || LEFTOVERS.some((pattern) => pattern.test(part))

/** The folder with texts to begin an incident or a maintenance from. They are published only with what begins from them. */
export const TEMPLATES_FOLDER = 'templates'

/** Whether a path in a content folder is of a template, or of its translation. */
const isTemplate = (name: string): boolean =>
  ['', ...TRANSLATION_LOCALES.map((locale) => `${locale}/`)].some((prefix) =>
    `${name}/`.startsWith(`${prefix}${TEMPLATES_FOLDER}/`),
  )

/** A mistake for a merge conflict that was not resolved, with the lines of its markers. */
export function conflictMistake(file: string, lines: readonly number[]): ContentMistake {
  const found = `a merge conflict (${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')})`
  return mistakeAt({ file, line: lines[0] ?? 1, column: 1 }, [], found, 'one text, without markers')
}

/** In Markdown, a line of `=` alone may underline a heading. */
function findConflict(file: string, text: string): readonly ContentMistake[] {
  const marker = /^(?:(?:<{7}|>{7}|\|{7})(?:\s|$)|={7}\r?$)/
  const marked = text
    .split('\n')
    .flatMap((line, index) => (marker.test(line) ? [{ line, index }] : []))
  const isUnderlined = file.endsWith('.md') && marked.every(({ line }) => line.startsWith('='))
  if (marked.length === 0 || isUnderlined) return []
  return [
    conflictMistake(
      file,
      marked.map(({ index }) => index + 1),
    ),
  ]
}

/** The text of a file. A file that is not in UTF-8 is a mistake, and so is one with a merge conflict. */
export function decodeText({ value, mistakes }: Checked<ReferencedFile>): Checked<ContentFile> {
  if (value === undefined) return { mistakes }
  const { file, bytes } = value
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const conflicts = findConflict(file, text)
    return { value: conflicts.length > 0 ? undefined : { file, text }, mistakes: conflicts }
  } catch {
    const found = 'bytes that are not text in UTF-8'
    return { mistakes: [mistakeOf(file, found, 'a file in UTF-8')] }
  }
}

/** Why a file or folder cannot be read, without its path: the mistake names it, and a path may look like a secret. */
function reasonOf(error: unknown): string {
  return error instanceof Error && 'errno' in error && typeof error.errno === 'number'
    ? `${'code' in error ? `${String(error.code)}: ` : ''}${getSystemErrorMessage(error.errno)}`
    : messageOf(error)
}

/**
 * Reads a content folder: one YAML file per resource, named after it; the organization; overlays in a folder for each
 * locale; the settings of the publishing step. Unknown, missing and unreadable files are mistakes. `replaced` has bytes to
 * use instead of those of a file, by its path in the folder.
 */
export function readContentFolder(
  contentDir: string,
  replaced: ReadonlyMap<string, Buffer> = new Map(),
) {
  const mistakes: ContentMistake[] = []
  const resources = new Map<TranslatedName, ContentFile>()
  const overlays: (ContentFile & { locale: TranslationLocale; name: TranslatedName })[] = []
  let settings: ContentFile | undefined
  const files: string[] = []
  const irregular = new Set<string>()
  let present: ReadonlySet<string> = new Set()
  const referable = new Set<string>()

  const mistakeIn = (name: string, found: string, expected: string): ContentMistake =>
    mistakeOf(path.join(contentDir, name), found, expected)
  const fail = (name: string, found: string, expected: string): void =>
    void mistakes.push(mistakeIn(name, found, expected))

  function readFile(name: string): Checked<ReferencedFile> {
    const file = path.join(contentDir, name)
    try {
      const bytes = replaced.get(name) ?? readBelow(contentDir, name, MAX_FILE_BYTES)
      return { value: { file, bytes }, mistakes: [] }
    } catch (error) {
      const expected = `a file of at most ${MAX_FILE_BYTES} bytes`
      return { mistakes: [mistakeIn(name, `an unreadable file (${reasonOf(error)})`, expected)] }
    }
  }

  function readContentFile(name: string): void {
    const locale = TRANSLATION_LOCALES.find((each) => name.startsWith(`${each}/`))
    const resource = resourceOfFile(locale === undefined ? name : name.slice(locale.length + 1))
    if (resource === undefined && name !== SETTINGS_FILE)
      return fail(name, 'an unknown file', explainUnknown(name))
    const { value: file, mistakes: found } = decodeText(readFile(name))
    mistakes.push(...found)
    if (file === undefined) return
    if (resource === undefined) settings = file
    else if (locale === undefined) resources.set(resource, file)
    else overlays.push({ locale, name: resource, ...file })
  }

  const refuseFolder = (name: string, error: unknown, expected = 'one that publishers may read') =>
    fail(name, `an unreadable folder (${reasonOf(error)})`, expected)
  try {
    for (const { name, kind } of listBelow(contentDir, undefined, isLeftover, refuseFolder)) {
      if (isLeftover(path.basename(name)) || isTemplate(name)) continue
      if (kind === 'file') files.push(name)
      // Links may lead out of the folder. Reading a pipe or a device may never end.
      else if (kind !== 'folder') irregular.add(name)
    }
    const isNew = (name: string) => !files.includes(name) && !isLeftover(path.basename(name))
    files.push(...[...replaced.keys()].filter(isNew))
    present = new Set([...files, ...irregular].map((name) => intendedName(name)))
    for (const [file, name] of missingFiles(present)) {
      const expected = `the content of ${name}${isWallet(name) ? ', or none of the wallet files' : ''}`
      fail(file, 'no such file', expected)
    }
  } catch (error) {
    refuseFolder('', error, 'the content folder')
  }
  for (const name of irregular) fail(name, 'a link or a special file', 'a regular file')
  for (const name of files.toSorted()) {
    if (REFERENCED.test(name)) referable.add(name)
    else if (!NOTES.test(name)) readContentFile(name)
  }
  const folder = {
    /** By the resource that each describes. */
    resources,
    /** Translations, each of one resource into one locale. */
    overlays,
    /** content/publishing.yaml, if it exists. */
    settings,
    /** Whether a resource has a file, also one that cannot be read or has a mistyped name. */
    hasFile: (name: TranslatedName): boolean => present.has(`${contentName(name)}.yaml`),
    /** Reads the file that the field at `path` of `source` refers to. A file that cannot be read is a mistake. */
    readReferenced(
      name: string,
      { place }: Pick<ContentSource, 'place'>,
      at: FieldPath,
    ): Checked<ReferencedFile> {
      if (files.includes(name)) return readFile(name)
      // A link or a special file has its own mistake.
      if (irregular.has(name)) return { mistakes: [] }
      const found = `${JSON.stringify(name)}, which is not in the content folder`
      return { mistakes: locateFaults(place, [fault(at, found, 'the name of a file there')]) }
    },
    /** A mistake for each image and export that content does not refer to, if each reference leads to a file. */
    findUnreferenced: (referenced: ReadonlySet<string>): readonly ContentMistake[] =>
      [...referenced].every((name) => files.includes(name))
        ? [...referable]
            .filter((name) => !referenced.has(name))
            .map((name) => mistakeIn(name, 'an unused file', 'a reference to it or no file'))
        : [],
  }
  return { folder, mistakes }
}
