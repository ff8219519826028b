import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findIdleAllowances, findLayerFaults, findSecondHomes } from '../scripts/layers.ts'
import { moduleReferences } from '../scripts/module-references.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const SOURCE_DIR = fileURLToPath(new URL('../src', import.meta.url))

/** A made-up source tree. */
function makeTree(t: TestContext, files: { readonly [file: string]: string }): string {
  const dir = path.join(temporaryFolder(t), 'src')
  mkdirSync(dir)
  for (const [file, source] of Object.entries(files)) {
    const full = path.join(dir, file)
    mkdirSync(path.dirname(full), { recursive: true })
    writeFileSync(full, source)
  }
  return dir
}

/** Faults of a made-up source tree, one line each. */
function faultsOf(t: TestContext, files: { readonly [file: string]: string }): readonly string[] {
  return findLayerFaults(makeTree(t, files))
}

test('imports in src run one way', () => {
  assert.deepEqual(findLayerFaults(SOURCE_DIR), [])
})

test('a rule that has a home is nowhere else', (t) => {
  assert.deepEqual(findSecondHomes(SOURCE_DIR), [])
  const tree = makeTree(t, {
    'browser/a.ts': '// isOutage\nexport function isLost() {}\n',
    'cli/b.ts': "import { parseEnv } from 'node:util'\n",
    'copy/c.ts': "const SCHEMA = 'svc.public.copy.v1'\nconst left = name.endsWith('.partial')\n",
    'service/d.ts': 'const SQL = `DELETE FROM registrations`\n',
    'storage/sqlite/e.ts': 'const SQL = `DELETE FROM registrations`\n',
    'tlog/f.ts': 'const past = `site/events/${year}`\n',
  })
  assert.deepEqual(
    findSecondHomes(tree).map((line) => /^(\S+) .*: (.*); expected/.exec(line)?.slice(1)),
    [
      ['browser/a.ts:2', 'what is an outage'],
      ['cli/b.ts:1', 'the environment file'],
      ['copy/c.ts:1', 'the forms of a copy'],
      ['copy/c.ts:2', 'what a killed command left'],
      ['service/d.ts:1', 'the statements of the database'],
      ['tlog/f.ts:1', 'what is part of the status'],
    ],
  )
})

test('the map has no unused permission', () => {
  assert.deepEqual(findIdleAllowances(SOURCE_DIR), [])
})

test('reports unused permissions; type-only and dynamic imports count as uses', (t) => {
  const allowed = findIdleAllowances(makeTree(t, {}))
  const done = makeTree(t, {
    'service/waitlist/a.ts': "import type { S } from '../../storage/stores/storage.ts'\n",
    'pages/b.ts': "import th from '../../locales/th.json' with { type: 'json' }\n",
    'process/run.ts': "const { open } = await import('../logger.ts')\n",
  })
  const idle = findIdleAllowances(done)
  assert.deepEqual(
    allowed.filter((each) => !idle.includes(each)),
    ['service/waitlist: storage/stores', 'pages: ../locales', 'process: logger.ts'],
  )
})

describe('reports forbidden imports', () => {
  test('reports an upward import with its location and the allowed imports', (t) => {
    assert.deepEqual(
      faultsOf(t, {
        'service/waitlist/waitlist.ts':
          "import { a } from '@public-api/contract/a'\n\nimport { b } from '../../http/b.ts'\n",
      }),
      [
        'service/waitlist/waitlist.ts:3 imports http/b.ts, but service/waitlist may import only contract, crypto, the types of service, the types of service/challenge, the types of storage/counters, the types of storage/stores',
      ],
    )
  })

  test('a type, a re-export, a dynamic import, an import type and an import for its effects', (t) => {
    const faults = faultsOf(t, {
      'crypto/a.ts': "import type { A } from '../service/a.ts'\n",
      'crypto/b.ts': "export { b } from '../service/a.ts'\n",
      'crypto/c.ts': "export const c = await import('../service/a.ts')\n",
      'crypto/d.ts': "export type D = import('../service/a.ts').D\n",
      'crypto/e.ts': "import '../service/a.ts'\n",
      'crypto/f.ts': "export * from '../service/a.ts'\n",
      'crypto/g.ts': "import {\n  one,\n  two,\n} from '../service/a.ts'\n",
    })
    assert.deepEqual(
      faults,
      ['a.ts:1', 'b.ts:1', 'c.ts:1', 'd.ts:1', 'e.ts:1', 'f.ts:1', 'g.ts:4'].map(
        (place) => `crypto/${place} imports service/a.ts, but crypto may import only contract`,
      ),
    )
  })

  test('a folder inside a layer importing the one beside it, or the layer around it', (t) => {
    assert.deepEqual(
      faultsOf(t, {
        'publishing/rules/a.ts': "import { a } from '../leaks/a.ts'\n",
        'publishing/leaks/b.ts': "import { a } from '../rules/a.ts'\n",
        'service/time/c.ts': "import { a } from '../clock.ts'\n",
      }),
      [
        'publishing/rules/a.ts:1 imports publishing/leaks/a.ts, but publishing/rules may import only contract, files',
        'service/time/c.ts:1 imports service/clock.ts, but service/time may import only contract',
      ],
    )
  })

  test('a package by its path, and a name that the map does not allow', (t) => {
    assert.deepEqual(
      faultsOf(t, {
        'service/a.ts': "import { a } from '../../packages/contract/text/a.ts'\n",
        '../packages/client/src/b.ts':
          "import { b } from '#contract/text/b'\nimport { c } from '@public-api/cli-kit/c'\n",
        '../packages/cli/src/d.ts': "import { d } from '../../../src/config.ts'\n",
      }).map((fault) => fault.replace(/, but .*/, '')),
      [
        '../packages/cli/src/d.ts:1 imports config.ts',
        '../packages/client/src/b.ts:2 imports ../packages/cli-kit/c',
        'service/a.ts:1 imports ../packages/contract/text/a.ts by its path; expected the name of its package',
      ],
    )
  })

  test('a package and a module of Node where a browser must run the code', (t) => {
    for (const layer of ['../packages/contract', '../packages/contract/documents', 'browser']) {
      const faults = faultsOf(t, {
        [`${layer}/a.ts`]: "import { hash } from 'node:crypto'\nimport { Ajv } from 'ajv'\n",
      })
      assert.equal(faults.length, 2)
      assert.match(faults[0] ?? '', /a\.ts:1 imports node:crypto, but .* no package/)
      assert.match(faults[1] ?? '', /a\.ts:2 imports ajv, but .* no package/)
    }
  })

  test('a run-time import where only types are allowed', (t) => {
    assert.deepEqual(
      faultsOf(t, {
        'service/waitlist/a.ts':
          "import type { S } from '../../storage/stores/storage.ts'\nimport { type T } from '../../storage/stores/storage.ts'\n",
        'service/waitlist/b.ts': "import { open, type S } from '../../storage/stores/sqlite.ts'\n",
      }),
      [
        'service/waitlist/b.ts:1 imports storage/stores/sqlite.ts, but service/waitlist may import only contract, crypto, the types of service, the types of service/challenge, the types of storage/counters, the types of storage/stores',
      ],
    )
  })

  test('the root and the command line', (t) => {
    const faults = faultsOf(t, {
      'app.ts': "import { c } from './config.ts'\nimport { a } from './storage/a.ts'\n",
      'cli/svc.ts': "import { createApp } from '../app.ts'\nimport { c } from '../config.ts'\n",
      'cli/start.ts': "export const start = () => import('../main.ts')\n",
      'config.ts': "import { s } from './secrets.ts'\nimport { a } from './crypto/a.ts'\n",
      'process/run.ts':
        "import { createApp } from '../app.ts'\nimport { b } from '../pages/b.ts'\n",
      'service/a.ts': "import { c } from '../config.ts'\nimport { m } from '../main.ts'\n",
    })
    assert.deepEqual(
      faults.map((fault) => fault.replace(/, but .*/, '')),
      [
        'app.ts:1 imports config.ts',
        'app.ts:2 imports storage/a.ts',
        'cli/start.ts:1 imports main.ts',
        'cli/svc.ts:1 imports app.ts',
        'config.ts:1 imports secrets.ts',
        'config.ts:2 imports crypto/a.ts',
        'process/run.ts:2 imports pages/b.ts',
        'service/a.ts:1 imports config.ts',
        'service/a.ts:2 imports main.ts',
      ],
    )
  })

  test('an unknown layer, a path outside src and a computed path', (t) => {
    assert.deepEqual(
      faultsOf(t, {
        'misc/a.ts': "import { a } from '@public-api/contract/a'\n",
        'service/b.ts': "import { version } from '../../package.json'\n",
        'service/c.ts': 'export const load = (name: string) => import(`./${name}.ts`)\n',
      }),
      [
        'misc/a.ts:1 is in misc, which is not on the import map',
        'service/b.ts:1 imports ../../package.json, which is outside the source tree',
        'service/c.ts:1 imports a computed path; expected a literal one',
      ],
    )
  })
})

test('distinguishes imports of types alone', () => {
  const isTypeOnly = (source: string) => moduleReferences(source).map((each) => each.isTypeOnly)
  assert.deepEqual(isTypeOnly("import type { A } from 'a'"), [true])
  assert.deepEqual(isTypeOnly("import type * as a from 'a'"), [true])
  assert.deepEqual(isTypeOnly("export type { A } from 'a'"), [true])
  assert.deepEqual(isTypeOnly("import { type A, type B } from 'a'"), [true])
  assert.deepEqual(isTypeOnly("import { type A, b } from 'a'"), [false])
  assert.deepEqual(isTypeOnly("import type, { b } from 'a'"), [false])
  assert.deepEqual(isTypeOnly("import {} from 'a'"), [false])
  assert.deepEqual(isTypeOnly("let a: import('a').A"), [true])
  assert.deepEqual(isTypeOnly("// import { a } from 'a'"), [])
})

test('the linter refuses a global of Node where a browser must run the code', (t) => {
  const folder = temporaryFolder(t)
  const folders = ['packages/contract/text', 'packages/client/src', 'src/browser', 'src/service']
  for (const each of folders) {
    mkdirSync(path.join(folder, each), { recursive: true })
    const source = 'export const size = globalThis.Buffer ?? Buffer\n'
    writeFileSync(path.join(folder, each, 'a.ts'), source)
  }
  cpSync('.oxlintrc.json', path.join(folder, '.oxlintrc.json'))
  const oxlint = path.resolve('node_modules/.bin/oxlint')
  const { stdout } = spawnSync(oxlint, ['--format', 'unix'], { cwd: folder, encoding: 'utf8' })
  assert.deepEqual(
    [...stdout.matchAll(/^(.*?)\/a\.ts:.*'(\w+)'.*no-restricted-globals/gm)]
      .map(([, file, name]) => `${file} ${name}`)
      .toSorted(),
    folders
      .slice(0, -1)
      .flatMap((each) => [`${each} Buffer`, `${each} globalThis`])
      .toSorted(),
  )
})
