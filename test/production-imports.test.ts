import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { moduleReferences } from '../scripts/module-references.ts'
import { INSTALLED } from './support/production-packages.ts'

// Commands run on a production install in production-install.long.test.ts.
test('no module of the service or of a command imports a package for development', () => {
  const faults: string[] = []
  const seen = new Set([
    'src/main.ts',
    'src/cli/svc.ts',
    'src/storage/sqlite/sqlite-writer-thread.ts',
  ])
  for (const file of seen) {
    if (!file.endsWith('.ts')) continue
    for (const { specifier = '', isTypeOnly } of moduleReferences(readFileSync(file, 'utf8'))) {
      if (isTypeOnly || /^(?:node:|#crypto$|#fetch$)/.test(specifier)) continue
      const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ''
      if (specifier.startsWith('.')) {
        seen.add(path.join(path.dirname(file), specifier))
      } else if (name === '#contract') {
        seen.add(`${specifier.replace('#contract', 'packages/contract')}.ts`)
      } else if (name.startsWith('@public-api/')) {
        const target = specifier.replace(name, INSTALLED.get(name) ?? name)
        seen.add(target.endsWith('.ts') ? target : `${target}.ts`)
      } else if (!INSTALLED.has(name)) {
        faults.push(`${file} imports ${specifier}`)
      }
    }
  }
  assert.ok(seen.size > 300, `${seen.size} modules`)
  assert.deepEqual(faults, [])
})
