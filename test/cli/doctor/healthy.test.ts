import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_REQUESTS } from '@public-api/cli/src/doctor/probe.ts'
import { deployBehindProxy, examine, idsOf } from './proxied-deployment.ts'

for (const deployment of ['primary', 'preview'] as const) {
  test(`a healthy ${deployment} deployment has no finding, and every check was run`, async (t) => {
    const deployed = await deployBehindProxy(t, undefined, { deployment })
    for (const named of [undefined, deployment]) {
      const diagnosis = await examine(t, deployed, { deployment: named })
      assert.deepEqual(idsOf(diagnosis), [])
      assert.deepEqual(
        diagnosis.checks.filter(({ notRun }) => notRun !== undefined),
        [],
      )
    }
  })
}

test('sends few requests, none of which could write', async (t) => {
  const deployed = await deployBehindProxy(t)
  const { requests } = await examine(t, deployed)
  assert.equal(deployed.asked.length, requests)
  assert.ok(requests <= 60, `${requests} requests`)
  assert.ok(requests < MAX_REQUESTS)
  const methods = new Set(deployed.asked.map((each) => each.split(' ')[0]))
  assert.deepEqual(methods, new Set(['GET', 'OPTIONS', 'HEAD', 'POST']))
  assert.deepEqual(
    deployed.asked.filter((each) => each.startsWith('POST ')),
    ['POST /api/v1/time'],
  )
})
