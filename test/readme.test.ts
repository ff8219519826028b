import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createAltchaChallenge } from '../src/service/altcha-challenge.ts'
import { runRegisteringApp } from './support/registering-app.ts'
import { runApp } from './support/running-app.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const ROOT = new URL('../', import.meta.url)

function read(file: string): string {
  return readFileSync(new URL(file, ROOT), 'utf8')
}

/** The shell block of the README under this heading that follows the comment about this test. */
function testedBlock(heading: string, origin: string): string {
  const section = read('README.md')
    .split(/^## /m)
    .find((each) => each.startsWith(`${heading}\n`))
  const block = /<!-- A test runs this block[^>]*-->\n```sh\n([\s\S]*?)```/.exec(section ?? '')?.[1]
  assert.ok(block !== undefined, `README.md has the block under ${heading}`)
  const pointed = block.replace(/^base=.*$/m, `base=${origin}`)
  assert.ok(pointed.includes(`base=${origin}\n`))
  return pointed
}

function missingProgram(...names: readonly string[]): string | undefined {
  return names.find((name) => spawnSync(name, ['--version']).error !== undefined)
}

void test('the README’s curl and openssl block verifies a real answer, and refuses a changed one', async (t) => {
  const missing = missingProgram('curl', 'openssl', 'sh')
  if (missing !== undefined) return t.skip(`${missing} is not on this machine`)
  const app = await runApp(t)
  const folder = temporaryFolder(t)
  const block = testedBlock('Check an answer yourself', app.origin)
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

void test('the README’s way onto the waitlist leads there, with a challenge that is really solved', async (t) => {
  const missing = missingProgram('curl', 'npm', 'sh')
  if (missing !== undefined) return t.skip(`${missing} is not on this machine`)
  const app = await runRegisteringApp(t, {
    challenge: ({ counters, clock }) =>
      createAltchaChallenge({ counters, clock, work: { cost: 100, maxCounter: 100 } }),
  })
  const block = testedBlock('Join the waitlist', app.origin)
  const run = async () => {
    const { stdout } = await promisify(execFile)('sh', ['-c', block], { cwd: ROOT })
    return stdout
  }
  assert.match(await run(), /"ticket":"EA-[0-9A-F]{16}"/)
  assert.match(await run(), /"code":"DUPLICATE"/)
  assert.deepEqual(
    (await app.entries()).map(({ email }) => email),
    ['you@example.org'],
  )
})
