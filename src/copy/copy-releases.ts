import fs from 'node:fs'
import path from 'node:path'
import { LOCALES } from '@public-api/contract/terms/locales'
import { startOfDay } from '@public-api/contract/text/instant'
import { listBelow } from '../files/folder-files.ts'
import { openReleaseStore } from '../releases/release-store.ts'
import { loadReleases } from '../service/releases/releases.ts'
import { CopyFailure } from './copy-list.ts'
import { type CopyOptions, digestOfProgram, listCopyFiles, shortDigest } from './copy-source.ts'
import { writeCopy } from './write-copy.ts'

const CARD = /^([\w-]{43})\.png$/

/** Files of each version: its entry, about one resource, and two pages in each language. */
const FILES_PER_VERSION = 2 + 2 * LOCALES.length

/**
 * Opens the releases for a static copy of everything that a service serves beside its API. Throws a readable error without a
 * version. They are read and checked when it is written.
 */
export function openReleasesCopy(
  releasesDir: string,
  settings: Omit<CopyOptions, 'releases' | 'cards' | 'program'>,
) {
  const store = openReleaseStore(releasesDir)
  const cards = fs.existsSync(path.join(releasesDir, 'cards'))
    ? listBelow(releasesDir, 'cards').flatMap(({ name }) => CARD.exec(name)?.[1] ?? [])
    : []
  const snapshotId = store.readVersionIds().at(-1)
  if (snapshotId === undefined) {
    throw new CopyFailure(
      `${releasesDir}: no version is published; publish one first (svc publish)`,
    )
  }
  const program = digestOfProgram()
  const { origin, baseUrl, keyId, clock } = settings
  // The newest version names all that it is made of, and every version before it.
  const madeOf = shortDigest([
    [program, origin, baseUrl, keyId, startOfDay(clock.nowMs()), cards],
    [store.readVersionText(snapshotId), store.listRedactions(), store.readTlogFiles()],
  ])
  function files() {
    const releases = loadReleases(store, undefined, 'unread')
    if (releases.faults.length > 0) {
      const names = releases.faults.map(({ resource }) => resource).join(', ')
      throw new CopyFailure(`${releasesDir}: missing or damaged: ${names}; the copy is unchanged`)
    }
    return listCopyFiles({ ...settings, releases, cards, program })
  }
  return {
    /** The newest version. */
    snapshotId,
    /** About how many files it has. */
    expectedFiles: Number(snapshotId.slice('VS-'.length)) * FILES_PER_VERSION,
    /** Writes it below a folder. `onFile` is called for each file, written or not. Rejects with a readable error. */
    write: (folder: string, onFile: () => void) => writeCopy(folder, { madeOf, files }, onFile),
  }
}
