import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createAltchaChallenge } from '../src/service/challenge/altcha-challenge.ts'
import { missingProgram } from './docs/verifiers.ts'
import { type DocumentedBlock, documentedBlocks } from './support/documented-blocks.ts'
import { runRegisteringApp } from './support/registering-app.ts'
import { succeeded, svc } from './support/run-svc.ts'
import { runApp, TEST_NOW_MS } from './support/running-app.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

/** The time of the app's clock. */
const AT = new Date(TEST_NOW_MS).toISOString()

const ROOT = new URL('../', import.meta.url)

/** The first of some blocks, for this service. */
function pointedAt(origin: string, [first]: readonly DocumentedBlock[]): string {
  const pointed = (first?.text ?? '').replace(/^base=.*$/m, `base=${origin}`)
  assert.ok(pointed.includes(`base=${origin}\n`))
  return pointed
}

void test('the first block of the README shows what the commands print', async (t) => {
  const missing = missingProgram('curl')
  if (missing !== undefined) return t.skip(missing)
  const app = await runApp(t)
  const [first] = documentedBlocks('README.md', 'Public API server')
  const block = first?.text ?? ''
  const [, curl = '', response = ''] = /\$ (curl .*)\n([\s\S]*?)\n\n\$/.exec(block) ?? []
  const documented = 'http://127.0.0.1:8080'
  const { stdout } = await promisify(execFile)('sh', [
    '-c',
    curl.replace(documented, app.origin).replace('curl', 'curl -s'),
  ])
  for (const line of response.split('\n')) {
    const [name = ''] =
      /^(?:HTTP\/1\.1 200 OK|[\w-]+: |\{"ok":true,"schema":"[^"]+",)/.exec(line) ?? []
    assert.ok(stdout.includes(name), line)
  }
  const [, command = ''] = /\$ npm run svc -- (verify .*)\n/.exec(block) ?? []
  const out = succeeded(
    await svc(...command.replace(documented, app.origin).split(' '), '--at', AT),
  )
  assert.match(out, /^Verified: signed by [\w-]{43} 0 s ago\.$/m)
})

void test('the curl and OpenSSL block of the README verifies a response and rejects a changed one', async (t) => {
  const missing = missingProgram('curl', 'openssl', 'sh')
  if (missing !== undefined) return t.skip(missing)
  const app = await runApp(t)
  const folder = temporaryFolder(t)
  const block = pointedAt(app.origin, documentedBlocks('README.md', 'Verify a response yourself'))
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

void test('the waitlist block of the README registers with a solved challenge', async (t) => {
  const missing = missingProgram('curl', 'npm', 'sh')
  if (missing !== undefined) return t.skip(missing)
  const app = await runRegisteringApp(t, {
    challenge: ({ counters, clock }) =>
      createAltchaChallenge({ counters, clock, work: { cost: 100, maxCounter: 100 } }),
  })
  const block = pointedAt(app.origin, documentedBlocks('README.md', 'Join the waitlist'))
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
