import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runSteps, type CheckStep } from '../scripts/check-runner.ts'

const CHECK = path.join(fileURLToPath(new URL('..', import.meta.url)), 'scripts/check.ts')

const ESCAPE = '\u{1b}'

async function transcriptOf(steps: readonly CheckStep[]) {
  let text = ''
  const failed = await runSteps(steps, {
    concurrency: 2,
    write: (part) => {
      text += part
    },
    nowMs: () => 0,
  })
  return { failed, text }
}

const valid: CheckStep = {
  name: 'valid',
  purpose: 'all holds',
  run: () => Promise.resolve({ passed: true, output: 'not shown' }),
}
const broken: CheckStep = {
  name: 'broken',
  purpose: 'something holds',
  run: () => Promise.resolve({ passed: false, output: 'first\n\nsecond\n' }),
}
const throwing: CheckStep = {
  name: 'throws',
  purpose: 'it runs',
  run: () => Promise.reject(new Error('no such file')),
}

test('prints a line for each passed step and a summary', async () => {
  assert.deepEqual(await transcriptOf([valid]), {
    failed: [],
    text: 'ok    valid  all holds (0.0 s)\n\nAll passed: 1 step.\n',
  })
})

test('shows the output of a failed step, counts a throwing step as failed and runs the others', async () => {
  const { failed, text } = await transcriptOf([broken, throwing, valid])
  assert.deepEqual(failed, ['broken', 'throws'])
  assert.match(text, /^FAIL {2}broken {2}something holds \(0\.0 s\)\n {6}first\n\n {6}second\n/)
  assert.match(text, /FAIL {2}throws {2}it runs \(0\.0 s\)\n {6}Error: no such file\n/)
  assert.match(text, /ok {4}valid {3}all holds/)
  assert.match(text, /\n2 of 3 steps failed: broken, throws\. .*npm run check -- broken\n$/)
  assert.ok(!text.includes('not shown') && !text.includes(ESCAPE))
})

test('limits the number of concurrent steps', async () => {
  let running = 0
  let most = 0
  const steps = Array.from({ length: 6 }, (_, index): CheckStep => ({
    name: `step${index}`,
    purpose: 'waits',
    async run() {
      running += 1
      most = Math.max(most, running)
      await new Promise(setImmediate)
      running -= 1
      return { passed: true, output: '' }
    },
  }))
  await transcriptOf(steps)
  assert.equal(most, 2)
})

test('the program runs the given steps and rejects unknown ones', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [CHECK, ...args], { encoding: 'utf8' })
  const two = run('contract', 'locales')
  assert.equal(two.status, 0, two.stdout)
  assert.match(two.stdout, /^ok .*locales/m)
  assert.match(two.stdout, /^ok .*contract/m)
  assert.match(two.stdout, /All passed: 2 steps\.\n$/)
  const wrong = run('layer')
  assert.equal(wrong.status, 2)
  assert.match(wrong.stderr, /^error: there is no step layer; expected lint, types/)
})
