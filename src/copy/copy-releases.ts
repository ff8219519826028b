import fs from 'node:fs'
import path from 'node:path'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { LOCALES } from '@public-api/contract/terms/locales'
import { startOfDay } from '@public-api/contract/text/instant'
import { listBelow } from '../files/folder-files.ts'
import { openReleaseStore } from '../releases/release-store.ts'
import { loadReleases, type PublishedHistory } from '../service/releases/releases.ts'
import { CopyFailure, readValue } from './copy-list.ts'
import { type CopyOptions, digestOfProgram, listCopyFiles, shortDigest } from './copy-source.ts'
import { writeCopy } from './write-copy.ts'

/** The versions of the copy, which a run writes last. */
const INDEX_FILE = 'archive/versions.json'

const CARD = /^([\w-]{43})\.png$/

/** Files of each version: its entry, about one resource, and two pages in each language. */
const FILES_PER_VERSION = 2 + 2 * LOCALES.length

/**
 * Throws a CopyFailure unless the releases continue those of the copy: its readers never go back, and a copy is of one
 * history. Releases may be older than the copy where another machine wrote it.
 */
function requireSameHistory(folder: string, releases: PublishedHistory, releasesDir: string): void {
  const ids = propertyOf(readValue(folder, INDEX_FILE), 'versions')
  const snapshotId: unknown = Array.isArray(ids) ? ids.at(-1) : undefined
  if (typeof snapshotId !== 'string') return
  const hash = propertyOf(readValue(folder, `archive/versions/${snapshotId}.json`), 'hash')
  if (typeof hash !== 'string') return
  const own = parseJson(releases.version(snapshotId)?.json ?? '')
  if (propertyOf(own, 'hash') === hash) return
  const found =
    own === undefined ? `ends with ${releases.headSnapshotId}` : `has another ${snapshotId}`
  throw new CopyFailure(
    `${folder}: the copy has ${snapshotId} (${hash}), and ${releasesDir} ${found}; expected releases that continue the copy, or another folder`,
  )
}

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
  function files(folder: string) {
    const releases = loadReleases(store, undefined, 'unread')
    requireSameHistory(folder, releases, releasesDir)
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
    write: (folder: string, onFile: () => void) =>
      writeCopy(folder, { madeOf, files: () => files(folder) }, onFile),
  }
}
