import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

interface Sbom {
  readonly metadata: { readonly component: { readonly name: string; readonly type: string } }
  readonly components: readonly { readonly name: string }[]
}

void test('the software bill of materials lists what an installation has, and no development package', () => {
  const text = execFileSync('npm', ['run', '--silent', 'sbom'], { encoding: 'utf8' })
  const { metadata, components } = JSON.parse(text) as Sbom
  const { name: own, type } = metadata.component
  assert.deepEqual([own, type], ['public-api-server', 'application'])
  const names = new Set(components.map(({ name }) => name))
  assert.ok(names.has('@public-api/contract'))
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
