import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from './support/temporary-folder.ts'

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

/** Where npm finds a package that another one requires: in the nearest node_modules folder. */
function locationOf(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    const location = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (location in packages) return location
    if (!folder.includes('/node_modules/')) return from === '' ? undefined : locationOf('', name)
  }
}

/** The packages that the root's dependencies require, without optional peers. */
function requiredLocations(): ReadonlySet<string> {
  const found = new Set<string>([''])
  for (const location of found) {
    const { dependencies = {}, optionalDependencies = {} } = packages[location] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const next = locationOf(location, name)
      if (next !== undefined) found.add(next)
    }
  }
  found.delete('')
  return found
}

test('npm ci --omit=dev installs only what the dependencies require', (t) => {
  const folder = temporaryFolder(t)
  for (const file of ['package.json', 'package-lock.json', 'packages']) {
    cpSync(file, path.join(folder, file), { recursive: true })
  }
  const options = ['--omit=dev', '--ignore-scripts', '--offline', '--dry-run']
  const output = execFileSync('npm', ['ci', ...options], { cwd: folder, encoding: 'utf8' })
  const added = [...output.matchAll(/^add (\S+) /gm)].map(([, name]) => name ?? '')
  const names = new Set(
    [...requiredLocations()].map((location) => location.split('node_modules/').at(-1)),
  )
  const extra = added.filter((name) => !names.has(name) && !name.startsWith('@public-api/'))
  assert.ok(added.length > 20)
  assert.deepEqual(extra, [])
})
