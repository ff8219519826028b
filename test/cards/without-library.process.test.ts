import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { makeContent } from '../publishing/content-fixture.ts'
import { cleanEnvironment } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SVC = path.join(import.meta.dirname, '../../src/cli/svc.ts')

test('publishes without the library of the cards, and says what is missing', (t) => {
  const releases = temporaryFolder(t)
  const hook = `import { registerHooks } from 'node:module'
    registerHooks({ resolve: (name, context, next) => next(name === 'harfbuzzjs' ? 'not-installed' : name, context) })`
  const loader = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`]
  const folders = ['--content', makeContent(t), '--releases', releases]
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...loader, SVC, 'publish', '--note', 'x', ...folders],
    { encoding: 'utf8', env: cleanEnvironment() },
  )
  assert.equal(status, 0)
  assert.match(stdout, /^Published VS-0001 /)
  assert.match(stderr, /Warning: 36 of 36 social cards are missing.*'not-installed'/)
  assert.ok(!existsSync(path.join(releases, 'cards')))
})
