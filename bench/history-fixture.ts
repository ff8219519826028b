import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { changesBetween, type VersionEntry } from '@public-api/contract/history/version-chain'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import { sha256Base64url } from '../src/crypto/sha256.ts'
import { openReleaseStore } from '../src/releases/release-store.ts'
import { chainedEntry } from '../test/support/made-entry.ts'
import { runSvc } from './processes.ts'
import type { Workspace } from './workspace.ts'

type Store = ReturnType<typeof openReleaseStore>

export function newestEntry(store: Store): VersionEntry | undefined {
  const id = store.readVersionIds().at(-1)
  return id === undefined ? undefined : (JSON.parse(store.readVersionText(id)) as VersionEntry)
}

/**
 * Appends versions to a releases folder, which is created if it is missing. Each is like the newest one of another folder,
 * with a status of its own.
 */
export function appendVersions(fromDir: string, releasesDir: string, count: number): void {
  mkdirSync(releasesDir, { recursive: true })
  const [template, store] = [openReleaseStore(fromDir), openReleaseStore(releasesDir)]
  const base = newestEntry(template)
  if (base === undefined) throw new RangeError('expected releases with a version')
  const read = (name: string) => template.readResourceText(name, base.resources[name] ?? '')
  const status = JSON.parse(read('status')) as { readonly [name: string]: JsonValue }
  let previous = newestEntry(store)
  if (previous === undefined) {
    for (const [name, digest] of Object.entries(base.resources)) {
      store.writeResource(name, digest, read(name))
    }
  }
  for (let each = 0; each < count; each += 1) {
    const text = canonicalJson({ ...status, sequence: (previous?.sequence ?? 0) + 1 })
    const digest = sha256Base64url(text)
    store.writeResource('status', digest, text)
    const resources = { ...base.resources, status: digest }
    const changes = changesBetween(previous?.resources ?? {}, resources)
    previous = chainedEntry(previous, { ...base, resources, changes })
    store.appendVersion(previous.snapshotId, canonicalJson({ ...previous }))
  }
}

/** A copy of the content of this repository, which has another history. */
export function copyContent({ root, folder }: Workspace): string {
  const contentDir = path.join(folder, 'content')
  cpSync(path.join(root, 'content'), contentDir, { recursive: true })
  rmSync(path.join(contentDir, '.published.json'), { force: true })
  return contentDir
}

/** Publishes a version with another summary of the status, with the command that operators use. */
export async function publishSummary(
  workspace: Workspace,
  contentDir: string,
  releasesDir: string,
  summary: string,
): Promise<void> {
  const file = path.join(contentDir, 'status.yaml')
  const text = readFileSync(file, 'utf8')
  const changed = text.replace(/^summary: .*$/m, `summary: ${summary}`)
  if (changed === text) throw new Error(`expected a line "summary: …" in ${file}`)
  writeFileSync(file, changed)
  const folders = ['--content', contentDir, '--releases', releasesDir]
  await runSvc(workspace, 'publish', ...folders, '--note', summary)
}
