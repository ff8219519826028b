import assert from 'node:assert/strict'
import { chownSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { FindingId } from '@public-api/cli/src/doctor/finding-catalog.ts'
import { MAX_REQUESTS } from '@public-api/cli/src/doctor/probe.ts'
import { key } from '../../client/scripted-client.ts'
import { makeDeployment } from '../../support/deployment.ts'
import { succeeded, svcIn } from '../../support/run-svc.ts'
import { liveDependencies } from '../verifying/live-app.ts'
import { deployBehindProxy, examine, idsOf, type Mischief } from './proxied-deployment.ts'

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

test(
  'on the machine of the service, releases of two owners are the one finding',
  { skip: userInfo().uid === 0 ? false : 'only root gives files away' },
  async (t) => {
    const setDate: Mischief = ({ headers }) => {
      headers.set('date', new Date().toUTCString())
    }
    const { origin } = await deployBehindProxy(t, setDate, liveDependencies())
    const { folder, releasesDir } = makeDeployment(t)
    const diagnose = async (...args: readonly string[]) => {
      const env = { SVC_BASE_URL: origin }
      const all = ['doctor', ...args, '--pin', key.keyId, '--json']
      const out = succeeded(await svcIn(folder, all, { env }))
      const { checks } = JSON.parse(out) as {
        readonly checks: readonly { check: string; findings: readonly { id: FindingId }[] }[]
      }
      return checks
    }
    assert.deepEqual((await diagnose()).at(-1), {
      check: 'this machine',
      outcome: 'ok',
      reason: null,
      findings: [],
    })
    chownSync(path.join(releasesDir, 'versions', 'VS-0001.json'), 54_321, 54_321)
    const found = (await diagnose(origin)).flatMap(({ findings }) => findings.map(({ id }) => id))
    assert.deepEqual(found, ['releases-owner'])
    const { origin: other } = await deployBehindProxy(t, setDate, liveDependencies())
    assert.ok((await diagnose(other)).every(({ check }) => check !== 'this machine'))
  },
)
