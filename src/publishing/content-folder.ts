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
import { SNAPSHOT_NAMES } from '../contract/snapshot-schemas.ts'
import { TRANSLATION_LOCALES, type TranslationLocale } from '../contract/translations.ts'
import { readRegularFile } from '../storage/read-regular-file.ts'
import type { ReferencedFile } from './compile-organization.ts'
import { type ContentMistake } from './content-mistake.ts'
import { SETTINGS_FILE } from './publishing-settings.ts'

/** A file of the content folder. */
export interface ContentFile {
  /** The path as the operator would open it: below the folder's path as it was given. */
  readonly file: string
  readonly text: string
}

/** The files of a content folder. */
export interface ContentFolder {
  /** By the resource that each describes. */
  readonly resources: ReadonlyMap<TranslatedName, ContentFile>
  /** Overlays: by locale, then by the resource that each translates. */
  readonly overlays: ReadonlyMap<TranslationLocale, ReadonlyMap<TranslatedName, ContentFile>>
  /** content/publishing.yaml, if it exists. */
  readonly settings: ContentFile | undefined
  /** Reads a file that content refers to, such as the logo. A file that cannot be read is a mistake in `report`. */
  readReferenced(
    name: string,
    report: (found: string, expected: string) => void,
  ): ReferencedFile | undefined
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

function wholeFile(file: string, found: string, expected: string): ContentMistake {
  return { file, line: 1, column: 1, field: '', found, expected }
}

interface Listing {
  readonly files: readonly string[]
  /** Links may lead out of the folder. Reading a pipe or a device may never end. */
  readonly irregular: readonly string[]
}

/** Paths of all files below a folder, with `/` between names. */
function listFiles(folder: string): Listing {
  const files: string[] = []
  const irregular: string[] = []
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const relative = path.relative(folder, path.join(entry.parentPath, entry.name))
    const name = relative.split(path.sep).join('/')
    // Files of editors, systems and version control are not content.
    if (name.split('/').some((part) => part.startsWith('.'))) continue
    if (entry.isFile()) files.push(name)
    else if (!entry.isDirectory()) irregular.push(name)
  }
  return { files: files.toSorted(), irregular: irregular.toSorted() }
}

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

/** Mistakes for resources without a file. Wallet files may be missing all together. */
function findMissing(contentDir: string, present: ReadonlySet<string>): readonly ContentMistake[] {
  const missing = SNAPSHOT_NAMES.filter((name) => !present.has(contentFileName(name)))
  const isWallet = (name: string): boolean => WALLET_NAMES.some((wallet) => wallet === name)
  const hasWallet = missing.filter((name) => isWallet(name)).length < WALLET_NAMES.length
  return missing.flatMap((name) => {
    if (isWallet(name) && !hasWallet) return []
    const expected = `the content of ${name}${isWallet(name) ? ', or none of the wallet files' : ''}`
    return [wholeFile(path.join(contentDir, contentFileName(name)), 'no such file', expected)]
  })
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
  let listing: Listing = { files: [], irregular: [] }
  let isListed = true
  try {
    listing = listFiles(contentDir)
  } catch (error) {
    isListed = false
    mistakes.push(
      wholeFile(contentDir, `an unreadable folder (${messageOf(error)})`, 'the content folder'),
    )
  }

  function readFile(name: string): Buffer | undefined {
    const file = path.join(contentDir, name)
    try {
      return readRegularFile(file, MAX_FILE_BYTES)
    } catch (error) {
      mistakes.push(
        wholeFile(
          file,
          `an unreadable file (${messageOf(error)})`,
          `a file of at most ${MAX_FILE_BYTES} bytes`,
        ),
      )
      return undefined
    }
  }

  function readText(name: string): ContentFile | undefined {
    const bytes = readFile(name)
    if (bytes === undefined) return undefined
    const file = path.join(contentDir, name)
    try {
      return { file, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
    } catch {
      mistakes.push(wholeFile(file, 'bytes that are not text in UTF-8', 'a file in UTF-8'))
      return undefined
    }
  }

  for (const name of listing.irregular) {
    mistakes.push(
      wholeFile(path.join(contentDir, name), 'a link or a special file', 'a regular file'),
    )
  }
  const unreferenced = new Set<string>()
  for (const name of listing.files) {
    if (NOTES.test(name)) continue
    if (REFERENCED.test(name)) {
      unreferenced.add(name)
      continue
    }
    const locale = TRANSLATION_LOCALES.find((each) => name.startsWith(`${each}/`))
    const resource = CONTENT_FILES.get(locale === undefined ? name : name.slice(locale.length + 1))
    if (resource === undefined && name !== SETTINGS_FILE) {
      mistakes.push(wholeFile(path.join(contentDir, name), 'an unknown file', explainUnknown(name)))
      continue
    }
    const file = readText(name)
    if (file === undefined) continue
    if (resource === undefined) settings = file
    else if (locale === undefined) resources.set(resource, file)
    else
      overlays.set(
        locale,
        (overlays.get(locale) ?? new Map<TranslatedName, ContentFile>()).set(resource, file),
      )
  }
  if (isListed) {
    mistakes.push(...findMissing(contentDir, new Set([...listing.files, ...listing.irregular])))
  }
  return {
    resources,
    overlays,
    settings,
    readReferenced(name, report) {
      unreferenced.delete(name)
      if (!listing.files.includes(name)) {
        if (!listing.irregular.includes(name)) {
          report(
            `${JSON.stringify(name)}, which is not in the content folder`,
            'the name of a file there',
          )
        }
        return undefined
      }
      const bytes = readFile(name)
      return bytes === undefined ? undefined : { file: path.join(contentDir, name), bytes }
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
