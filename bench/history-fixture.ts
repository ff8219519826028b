import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { canonicalJson } from '../src/contract/canonical-json.ts'
import type { VersionEntry } from '../src/contract/version-chain.ts'
import { changesBetween } from '../src/contract/version-changes.ts'
import { openReleaseStore } from '../src/storage/release-store.ts'
import { chainedEntry } from '../test/support/made-entry.ts'

/**
 * Writes a releases folder with a long history: entries like the newest one of another folder, each chained to the one
 * before it.
 */
export function writeHistory(fromDir: string, toDir: string, versions: number): void {
  const store = openReleaseStore(fromDir)
  const newestId = store.readVersionIds().at(-1)
  if (newestId === undefined) throw new RangeError('expected releases with a version')
  const newest = JSON.parse(store.readVersionText(newestId)) as VersionEntry
  cpSync(path.join(fromDir, 'resources'), path.join(toDir, 'resources'), { recursive: true })
  const versionsDir = path.join(toDir, 'versions')
  mkdirSync(versionsDir)
  let previous: VersionEntry | undefined
  for (let sequence = 1; sequence <= versions; sequence += 1) {
    const changes = changesBetween(previous?.resources ?? {}, newest.resources)
    previous = chainedEntry(previous, { ...newest, changes })
    writeFileSync(
      path.join(versionsDir, `${previous.snapshotId}.json`),
      canonicalJson({ ...previous }),
    )
  }
}
