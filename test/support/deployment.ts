import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { makeReleases } from './made-releases.ts'
import { temporaryFolder } from './temporary-folder.ts'
import type { TestScope } from './test-scope.ts'

/** A folder with the standard folders of a deployment, for one test. */
export interface Deployment {
  readonly folder: string
  readonly releasesDir: string
  readonly dataDir: string
  readonly secretsDir: string
}

/** Writes releases with `count` versions through the store that publishing uses. Versions that exist are left alone. */
export function writeReleases(releasesDir: string, count = 2): void {
  const { versions, resources } = makeReleases(count)
  const store = openReleaseStore(releasesDir)
  for (const snapshotId of store.readVersionIds()) versions.delete(snapshotId)
  for (const [file, text] of resources) {
    const [name = '', digest = ''] = file.split(' ')
    store.writeResource(name, digest, text)
  }
  for (const [snapshotId, text] of versions) store.appendVersion(snapshotId, text)
}

function deploymentIn(folder: string): Deployment {
  return {
    folder,
    releasesDir: path.join(folder, 'releases'),
    dataDir: path.join(folder, 'data'),
    secretsDir: path.join(folder, 'secrets'),
  }
}

/** A deployment with two published versions and nothing else. */
export function makeDeployment(t: TestScope): Deployment {
  const deployment = deploymentIn(temporaryFolder(t))
  writeReleases(deployment.releasesDir)
  return deployment
}

/** A copy of a deployment whose service has stopped. */
export function copyDeployment(t: TestScope, { folder }: Deployment): Deployment {
  const copy = temporaryFolder(t)
  cpSync(folder, copy, { recursive: true })
  return deploymentIn(copy)
}

/** The stored file of a resource, by the digest that the version entry with this id names. */
export function resourceFile(releasesDir: string, snapshotId: string, resource: string): string {
  const text = readFileSync(path.join(releasesDir, 'versions', `${snapshotId}.json`), 'utf8')
  const { resources } = JSON.parse(text) as { resources: { [name: string]: string } }
  return path.join(releasesDir, 'resources', resource, `${resources[resource]}.json`)
}

/** Changes the text of a file; fails when nothing changed. */
export function editFile(file: string, edit: (text: string) => string): void {
  const before = readFileSync(file, 'utf8')
  const after = edit(before)
  if (after === before) throw new Error(`The edit left ${file} as it was`)
  writeFileSync(file, after)
}

/** Names of everything in a folder, sorted. */
export function listFolder(folder: string): readonly string[] {
  return readdirSync(folder).toSorted()
}
