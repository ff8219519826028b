import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { runForeign, skip } from './foreign-programs.ts'

/** The rows of the README about programs: the first two columns. .ci/forky prints the versions of those of forky. */
const ROWS = [
  ...readFileSync('test/conformance/README.md', 'utf8').matchAll(/^\| (`.+?) \| (npm|Debian) \|/gm),
].map(([, programs = '', source = '']) => ({ programs, source }))

function npmVersion(name: string): string {
  const file = ['test/conformance/programs', 'test/generators', '.']
    .map((folder) => path.resolve(folder))
    .map((folder) => path.join(folder, 'node_modules', name, 'package.json'))
    .flatMap((each) => {
      try {
        return [readFileSync(each, 'utf8')]
      } catch {
        return []
      }
    })[0]
  const { version = 'missing' } = JSON.parse(file ?? '{}') as { readonly version?: string }
  return version
}

test('every program of the README is installed, npm’s as the README says', { skip }, async (t) => {
  let count = 0
  for (const { programs, source } of ROWS) {
    for (const [, name = '', stated = ''] of programs.matchAll(/`([^`]+)`(?: (\d[^\s,]*))?/g)) {
      // .ci/runtimes installs it elsewhere, at this version.
      if (name === 'vnu-jar') continue
      count += 1
      if (source === 'npm') {
        assert.equal(npmVersion(name), stated, name)
        t.diagnostic(`foreign program: ${name} ${stated}`)
      } else {
        const query = ['-W', '-f', '${Version}', name]
        const { stdout } = await runForeign('dpkg-query', query)
        assert.notEqual(stdout, '', `${name} is not installed`)
        t.diagnostic(`foreign program: ${name} ${stdout}`)
      }
    }
  }
  assert.ok(count >= 20, String(count))
})
