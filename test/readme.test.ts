import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { runApp } from './support/running-app.ts'

const ROOT = new URL('../', import.meta.url)

function read(file: string): string {
  return readFileSync(new URL(file, ROOT), 'utf8')
}

/** The shell block of the README that follows the comment about this test. */
function verificationBlock(): string {
  const block = /<!-- A test runs this block[^>]*-->\n```sh\n([\s\S]*?)```/.exec(
    read('README.md'),
  )?.[1]
  assert.ok(block !== undefined, 'README.md has the block')
  return block
}

function missingProgram(): string | undefined {
  return ['curl', 'openssl', 'sh'].find(
    (name) => spawnSync(name, ['--version']).error !== undefined,
  )
}

void test('the README’s curl and openssl block verifies a real answer, and refuses a changed one', async (t) => {
  const missing = missingProgram()
  if (missing !== undefined) return t.skip(`${missing} is not on this machine`)
  const app = await runApp(t)
  const folder = mkdtempSync(path.join(tmpdir(), 'readme-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const block = verificationBlock().replace(/^base=.*$/m, `base=${app.origin}`)
  assert.ok(block.includes(`base=${app.origin}\n`))
  // Not a synchronous call: the app answers from this very process.
  const run = (script: string) => promisify(execFile)('sh', ['-c', script], { cwd: folder })

  const { stdout } = await run(block)
  assert.match(stdout, /^digest: good\nSignature Verified Successfully\n$/)

  const tampered = block.replace(
    'field() {',
    'sed -i \'s/"ok":true/"ok":null/\' body.json\nfield() {',
  )
  assert.notEqual(tampered, block)
  await assert.rejects(run(tampered), (error: { stdout?: string }) => {
    assert.equal(error.stdout, 'Signature Verification Failure\n')
    return true
  })
})

void test('every link in the documents leads to a file of this repository', () => {
  const documents = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'docs/operating.md',
    'docs/verifying.md',
    'docs/benchmarks.md',
  ]
  const links = documents.flatMap((document) =>
    [...read(document).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map((match) => ({
      document,
      target: path.posix.join(path.posix.dirname(document), match[1] ?? ''),
    })),
  )
  assert.ok(links.length > 20)
  for (const { document, target } of links) {
    assert.ok(existsSync(new URL(target, ROOT)), `${document} links to ${target}`)
  }
})

void test('the operating page names every variable, and none that does not exist', () => {
  const page = read('docs/operating.md')
  const known = new Set(read('src/config.ts').match(/\bSVC_[A-Z_]*[A-Z]\b/g))
  const named = new Set(page.match(/\bSVC_[A-Z_]*[A-Z]\b/g))
  assert.deepEqual([...named].toSorted(), [...known].toSorted())
})
