import fs from 'node:fs'
import path from 'node:path'

import { messageOf } from '../contract/error-message.ts'
import { LOCALES } from '../contract/locales.ts'
import { expectedName } from '../contract/nearest-name.ts'
import { WALLET_NAMES } from '../contract/no-wallet.ts'
import { ORGANIZATION_RESOURCE } from '../contract/organization.ts'
import {
  type TranslatedName,
  TRANSLATED_SCHEMAS,
  isTranslatedName,
} from '../contract/resource-names.ts'
import { SNAPSHOT_NAMES, type SnapshotName } from '../contract/snapshot-schemas.ts'
import { TRANSLATION_LOCALES, type TranslationLocale } from '../contract/translations.ts'
import { readRegularFile } from '../storage/read-regular-file.ts'
import type { ContentMistake, FieldPath, Report } from './content-mistake.ts'
import { SETTINGS_FILE } from './publishing-settings.ts'

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
export interface ContentFolder {
  /** By the resource that each describes. */
  readonly resources: ReadonlyMap<TranslatedName, ContentFile>
  /** Overlays: by locale, then by the resource that each translates. */
  readonly overlays: ReadonlyMap<TranslationLocale, ReadonlyMap<TranslatedName, ContentFile>>
  /** content/publishing.yaml, if it exists. */
  readonly settings: ContentFile | undefined
  /** Reads a file that the field at `path` refers to. A file that cannot be read is a mistake. */
  readReferenced(name: string, report: Report, path: FieldPath): ReferencedFile | undefined
  /** Files that are missing, unknown or unreadable, and images and exports to which no content refers. */
  mistakes(): readonly ContentMistake[]
}

const EXTENSION = '.yaml'

/** Files that content may refer to. */
const REFERENCED = /^[^/]+\.(?:svg|png|csv)$/

/** Files for people, to which content may also refer. */
const NOTES = /\.md$/

/** The largest file that is read. YAML files have a lower limit (`MAX_SOURCE_LENGTH`). */
const MAX_FILE_BYTES = 4_194_304

/** The content file of a resource, relative to the content folder. */
export function contentFileName(name: TranslatedName): string {
  return `${name === ORGANIZATION_RESOURCE ? 'organization' : name}${EXTENSION}`
}

const CONTENT_FILES: ReadonlyMap<string, TranslatedName> = new Map(
  Object.keys(TRANSLATED_SCHEMAS)
    .filter(isTranslatedName)
    .map((name) => [contentFileName(name), name]),
)

function explainUnknown(name: string): string {
  const [folder = '', ...rest] = name.split('/')
  if (rest.length > 0 && folder === LOCALES[0]) {
    return `${rest.join('/')} in the content folder itself: content is written in ${LOCALES[0]}`
  }
  if (rest.length > 0 && CONTENT_FILES.has(rest.join('/'))) {
    return `a folder for a locale that the pages have: ${TRANSLATION_LOCALES.join(', ')}`
  }
  const known = [
    ...CONTENT_FILES.keys(),
    SETTINGS_FILE,
    ...TRANSLATION_LOCALES.flatMap((locale) =>
      [...CONTENT_FILES.keys()].map((file) => `${locale}/${file}`),
    ),
  ]
  const inFolder = [...CONTENT_FILES.keys(), SETTINGS_FILE]
  return expectedName(name, known, 'a known name', `one of ${inFolder.join(', ')}`)
}

/** The resources without a file. Wallet files may be missing all together. */
function missingNames(present: ReadonlySet<string>): readonly SnapshotName[] {
  const missing = SNAPSHOT_NAMES.filter((name) => !present.has(contentFileName(name)))
  const hasWallet = !WALLET_NAMES.every((name) => missing.includes(name))
  return hasWallet ? missing : missing.filter((name) => !isWallet(name))
}

function isWallet(name: SnapshotName): boolean {
  return WALLET_NAMES.some((wallet) => wallet === name)
}

/**
 * Reads a content folder: one YAML file per resource, named after it; the organization; overlays in a folder for each
 * locale; the settings of the publishing step. Unknown and missing files are mistakes.
 */
export function readContentFolder(contentDir: string): ContentFolder {
  const mistakes: ContentMistake[] = []
  const resources = new Map<TranslatedName, ContentFile>()
  const overlays = new Map<TranslationLocale, Map<TranslatedName, ContentFile>>()
  let settings: ContentFile | undefined
  const files: string[] = []
  const irregular = new Set<string>()
  const unreferenced = new Set<string>()

  const wholeFile = (file: string, found: string, expected: string): ContentMistake => ({
    file,
    line: 1,
    column: 1,
    field: '',
    found,
    expected,
  })
  const fail = (file: string, found: string, expected: string): void => {
    mistakes.push(wholeFile(file, found, expected))
  }

  function readFile(name: string): ReferencedFile | undefined {
    const file = path.join(contentDir, name)
    try {
      return { file, bytes: readRegularFile(file, MAX_FILE_BYTES) }
    } catch (error) {
      const expected = `a file of at most ${MAX_FILE_BYTES} bytes`
      fail(file, `an unreadable file (${messageOf(error)})`, expected)
      return undefined
    }
  }

  function readText(name: string): ContentFile | undefined {
    const { file, bytes } = readFile(name) ?? {}
    if (file === undefined) return undefined
    try {
      return { file, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
    } catch {
      fail(file, 'bytes that are not text in UTF-8', 'a file in UTF-8')
      return undefined
    }
  }

  function readContentFile(name: string): void {
    const locale = TRANSLATION_LOCALES.find((each) => name.startsWith(`${each}/`))
    const resource = CONTENT_FILES.get(locale === undefined ? name : name.slice(locale.length + 1))
    if (resource === undefined && name !== SETTINGS_FILE) {
      fail(path.join(contentDir, name), 'an unknown file', explainUnknown(name))
      return
    }
    const file = readText(name)
    if (file === undefined) return
    if (resource === undefined) settings = file
    else if (locale === undefined) resources.set(resource, file)
    else {
      const translated = overlays.get(locale) ?? new Map<TranslatedName, ContentFile>()
      overlays.set(locale, translated.set(resource, file))
    }
  }

  try {
    for (const entry of fs.readdirSync(contentDir, { recursive: true, withFileTypes: true })) {
      const relative = path.relative(contentDir, path.join(entry.parentPath, entry.name))
      const name = relative.split(path.sep).join('/')
      // Files of editors, systems and version control are not content.
      if (name.split('/').some((part) => part.startsWith('.'))) continue
      if (entry.isFile()) files.push(name)
      // Links may lead out of the folder. Reading a pipe or a device may never end.
      else if (!entry.isDirectory()) irregular.add(name)
    }
    for (const name of missingNames(new Set([...files, ...irregular]))) {
      const expected = `the content of ${name}${isWallet(name) ? ', or none of the wallet files' : ''}`
      fail(path.join(contentDir, contentFileName(name)), 'no such file', expected)
    }
  } catch (error) {
    fail(contentDir, `an unreadable folder (${messageOf(error)})`, 'the content folder')
  }
  for (const name of irregular) {
    fail(path.join(contentDir, name), 'a link or a special file', 'a regular file')
  }
  for (const name of files.toSorted()) {
    if (REFERENCED.test(name)) unreferenced.add(name)
    else if (!NOTES.test(name)) readContentFile(name)
  }
  return {
    resources,
    overlays,
    settings,
    readReferenced(name, report, at) {
      unreferenced.delete(name)
      if (files.includes(name)) return readFile(name)
      const found = `${JSON.stringify(name)}, which is not in the content folder`
      // A file of another kind is reported above.
      if (!irregular.has(name)) report(at, found, 'the name of a file there')
      return undefined
    },
    mistakes: () => [
      ...mistakes,
      ...[...unreferenced].map((name) =>
        wholeFile(
          path.join(contentDir, name),
          'a file that no content refers to',
          'only files that are in use',
        ),
      ),
    ],
  }
}
