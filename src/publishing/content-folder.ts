import fs from 'node:fs'
import path from 'node:path'

import { messageOf } from '../contract/error-message.ts'
import { type ContentMistake } from './content-mistake.ts'
import { nearestName } from '../contract/nearest-name.ts'
import { SNAPSHOT_NAMES, type SnapshotName } from '../contract/snapshot-schemas.ts'
import { SETTINGS_FILE } from './publishing-settings.ts'

/** A file of the content folder. */
export interface ContentFile {
  /** The path as the operator would open it: below the folder's path as it was given. */
  readonly file: string
  readonly text: string
}

/** The files of a content folder, by the resource that each describes. */
export interface ContentFolder {
  readonly resources: ReadonlyMap<SnapshotName, ContentFile>
  /** content/publishing.yaml, where there is one. */
  readonly settings: ContentFile | undefined
  /** Files that are missing, unknown or unreadable. */
  readonly mistakes: readonly ContentMistake[]
}

const EXTENSION = '.yaml'

/** Where a resource is described, below the content folder. */
function contentFileOf(name: SnapshotName): string {
  return `${name}${EXTENSION}`
}

function wholeFile(file: string, found: string, expected: string): ContentMistake {
  return { file, line: 1, column: 1, field: '', found, expected }
}

/** Paths of all files below a folder, with `/` between names; links are listed apart, since they may lead out of it. */
function listFiles(folder: string): { files: string[]; links: string[] } {
  const files: string[] = []
  const links: string[] = []
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const relative = path.relative(folder, path.join(entry.parentPath, entry.name))
    const name = relative.split(path.sep).join('/')
    // What an editor, a system or version control puts beside the files is no content; notes for people are none.
    if (name.split('/').some((part) => part.startsWith('.')) || name.endsWith('.md')) continue
    if (entry.isSymbolicLink()) links.push(name)
    else if (!entry.isDirectory()) files.push(name)
  }
  return { files: files.toSorted(), links: links.toSorted() }
}

/**
 * Reads a content folder: one YAML file per resource, named as the resource is, and the settings of the publishing
 * step. A file for no resource is a mistake, and so is a resource without a file.
 */
export function readContentFolder(contentDir: string): ContentFolder {
  const mistakes: ContentMistake[] = []
  const resources = new Map<SnapshotName, ContentFile>()
  let settings: ContentFile | undefined
  let listed
  try {
    listed = listFiles(contentDir)
  } catch (error) {
    mistakes.push(
      wholeFile(contentDir, `no readable folder (${messageOf(error)})`, 'the content folder'),
    )
    return { resources, settings, mistakes }
  }
  const expectedFiles = [...SNAPSHOT_NAMES.map(contentFileOf), SETTINGS_FILE]
  for (const link of listed.links) {
    mistakes.push(
      wholeFile(
        path.join(contentDir, link),
        'a symbolic link',
        'a file: links may lead out of the folder',
      ),
    )
  }
  for (const name of listed.files) {
    const file = path.join(contentDir, name)
    if (!expectedFiles.includes(name)) {
      const nearest = nearestName(name, expectedFiles)
      mistakes.push(
        wholeFile(
          file,
          'a file for no known resource',
          nearest === undefined
            ? `one of ${expectedFiles.join(', ')}`
            : `a known name; did you mean ${nearest}?`,
        ),
      )
      continue
    }
    let text: string
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(fs.readFileSync(file))
    } catch (error) {
      mistakes.push(wholeFile(file, `no readable text (${messageOf(error)})`, 'a file in UTF-8'))
      continue
    }
    const resource = SNAPSHOT_NAMES.find((each) => contentFileOf(each) === name)
    if (resource === undefined) settings = { file, text }
    else resources.set(resource, { file, text })
  }
  for (const name of SNAPSHOT_NAMES) {
    const fileName = contentFileOf(name)
    if (listed.files.includes(fileName) || listed.links.includes(fileName)) continue
    mistakes.push(
      wholeFile(path.join(contentDir, fileName), 'no such file', `the content of ${name}`),
    )
  }
  return { resources, settings, mistakes }
}
