import { statSync } from 'node:fs'
import path from 'node:path'
import { UsageError } from '@public-api/cli-kit/command'
import { textOption } from '@public-api/cli-kit/options'
import { openReleaseStore } from '../releases/release-store.ts'
import { locateReleases } from '../releases/releases-place.ts'
import { chooseFolder } from './service-environment.ts'

/** `--content` of the commands that read the content folder. */
export const CONTENT_OPTION = textOption(`DIR: folder with the content files
  (default: SVC_CONTENT_DIR, else content)`)

/** The content folder that `--content` names, else the configured one. Throws a UsageError. */
export function contentFolder(option: string | undefined): string {
  return chooseFolder(option, 'SVC_CONTENT_DIR', 'content')
}

/** `--releases` of the commands that read or change the releases. */
export const RELEASES_OPTION = textOption(`DIR: folder with the published releases
  (default: SVC_RELEASES_DIR, else releases)`)

/** The release folder that `--releases` names, else the configured one, and its path. Throws a ConfigError. */
export function openReleasesFolder(option: string | undefined) {
  const chosen = chooseFolder(option, 'SVC_RELEASES_DIR', 'releases')
  const folder = option ?? path.resolve(chosen)
  return { folder, store: openReleaseStore(folder) }
}

/** The same for a command that only reads. Throws a UsageError for a missing folder, which may be a mistyped one. */
export function openExistingReleases(option: string | undefined) {
  const opened = openReleasesFolder(option)
  const stats = statSync(opened.folder, { throwIfNoEntry: false })
  if (stats?.isDirectory() === true) return opened
  const found = stats === undefined ? 'does not exist' : 'is not a folder'
  throw new UsageError(`the releases folder ${opened.folder} ${found}`)
}

/**
 * The releases of a folder that is only read: a publisher's, an archive or a copy. Throws a UsageError for a folder of
 * something else.
 */
export function openReadableReleases(option: string | undefined) {
  const { folder, store } = openExistingReleases(option)
  const place = locateReleases(folder)
  if (place === undefined) {
    const expected = 'expected one with versions, a copy that svc site wrote, or its archive'
    throw new UsageError(`${folder} is another kind of folder; ${expected}`)
  }
  const { kind } = place
  return { folder, kind, store: place.folder === folder ? store : openReleaseStore(place.folder) }
}
