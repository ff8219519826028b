import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

interface Sbom {
  readonly components: readonly { readonly group?: string; readonly name: string }[]
}

void test('the software bill of materials lists what an installation has, and no development package', () => {
  const text = execFileSync('npm', ['run', '--silent', 'sbom'], { encoding: 'utf8' })
  const names = new Set(
    (JSON.parse(text) as Sbom).components.map(({ group, name }) =>
      group === undefined ? name : `${group}/${name}`,
    ),
  )
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly link?: boolean }>>
  }
  const expected = new Set<string>()
  for (const [folder, { dev = false, link = false }] of Object.entries(lock.packages)) {
    const at = folder.lastIndexOf('node_modules/')
    if (at !== -1 && !dev && !link) expected.add(folder.slice(at + 'node_modules/'.length))
  }
  const missing = [...expected].filter((name) => !names.has(name))
  assert.deepEqual(missing, [])
  for (const name of ['typescript', 'oxlint', 'fast-check', 'knip'])
    assert.ok(!names.has(name), name)
})
