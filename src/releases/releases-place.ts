import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { PARTIAL_PATTERN } from '@public-api/client-internal/node/durable-file'

/** Where a folder has its releases. */
export interface ReleasesPlace {
  /** `releases`: a publisher's folder. `archive`: the `/archive` of a service. `copy`: all of a service's files. */
  readonly kind: 'releases' | 'archive' | 'copy'
  /** The folder with `versions` and `resources`. */
  readonly folder: string
}

const isFolder = (folder: string): boolean =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true

/** The list that an archive has beside its versions, and a publisher's folder has not; also an interrupted write of it. */
export const ARCHIVE_INDEX: RegExp = new RegExp(`^versions\\.json(?:${PARTIAL_PATTERN})?$`)

/**
 * Finds the releases in a publisher's folder, in a copy (of `svc site`, `svc mirror` or a program that follows links) or in
 * its archive. Undefined for a folder of something else; an empty one may become a publisher's.
 */
export function locateReleases(folder: string): ReleasesPlace | undefined {
  const archive = path.join(folder, 'archive')
  if (isFolder(path.join(archive, 'versions'))) return { kind: 'copy', folder: archive }
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'))
  if (isFolder(path.join(folder, 'versions'))) {
    return { kind: names.some((name) => ARCHIVE_INDEX.test(name)) ? 'archive' : 'releases', folder }
  }
  return names.every((name) => name === 'log' || name === 'cards')
    ? { kind: 'releases', folder }
    : undefined
}
