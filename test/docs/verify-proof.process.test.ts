import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { hasProgram } from '../caches/cache-process.ts'

const VECTORS = 'test/vectors/log'
const skip = !hasProgram('python3') && 'needs python3'

test('the Python program agrees with every vector of the log', { skip }, () => {
  const cases = readdirSync(VECTORS).filter((name) => name.endsWith('.json')).length
  const out = execFileSync('python3', ['docs/verifying/verify_proof.py', '--vectors', VECTORS], {
    encoding: 'utf8',
  })
  assert.equal(out, `${cases} cases have the expected outcome\n`)
})

test('it verifies a proof offline, and names the step that fails', { skip }, () => {
  const run = (...args: readonly string[]) =>
    spawnSync('python3', ['docs/verifying/verify_proof.py', ...args], { encoding: 'utf8' })
  const example = `${VECTORS}/example`
  const good = run(`${example}/extra.tlog-proof`, `${example}/policy`)
  assert.equal(good.status, 0, good.stderr)
  assert.match(good.stdout, /^Verified: VS-0008 .*, hash e9356f7e/)
  const bare = run(`${example}/VS-0008.tlog-proof`, `${example}/policy`)
  assert.deepEqual([bare.status, bare.stderr.split(':')[0]], [1, 'ENTRY'])
  assert.equal(run(`${example}/missing`, `${example}/policy`).status, 1)
  assert.equal(run().status, 2)
})
