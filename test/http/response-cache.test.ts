import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runApp } from '../support/running-app.ts'

const PROOF = ['x-request-id', 'x-svc-signed-at', 'x-svc-signature', 'content-digest'] as const

async function read(app: Awaited<ReturnType<typeof runApp>>, path: string, init?: RequestInit) {
  const response = await app.fetch(path, init)
  return {
    status: response.status,
    age: response.headers.get('age'),
    proof: PROOF.map((name) => response.headers.get(name)),
    body: await response.text(),
  }
}

test('anonymous readers share a signed response with its Age until it is too old', async (t) => {
  const app = await runApp(t, { cacheSeconds: 10 })
  const first = await read(app, '/api/v1/status')
  assert.equal(first.age, null)
  app.clock.ms += 999
  assert.deepEqual(await read(app, '/api/v1/status'), { ...first, age: '0' })
  app.clock.ms += 9000
  assert.deepEqual(await read(app, '/api/v1/status'), { ...first, age: '9' })
  app.clock.ms += 1
  const next = await read(app, '/api/v1/status')
  assert.equal(next.age, null)
  assert.notDeepEqual(next.proof, first.proof)
  app.clock.ms -= 5000
  assert.equal((await read(app, '/api/v1/status')).age, null, 'a clock that was set back')
})

test('never reuses a response for a key, a condition, no-cache, a query or another method', async (t) => {
  const app = await runApp(t, { cacheSeconds: 60 })
  await read(app, '/api/v1/status')
  const ways: readonly (readonly [string, RequestInit])[] = [
    ['/api/v1/status', { headers: { Authorization: 'Basic x' } }],
    ['/api/v1/status', { headers: { 'X-SVC-Key': 'svk_wrong' } }],
    ['/api/v1/status', { headers: { 'If-None-Match': '"other"' } }],
    ['/api/v1/status', { headers: { 'Cache-Control': 'no-cache' } }],
    ['/api/v1/status?a', {}],
    ['/api/v1/status', { method: 'HEAD' }],
    ['/api/v1/status', { method: 'POST' }],
  ]
  for (const [path, init] of ways) {
    for (let time = 0; time < 2; time += 1) {
      assert.equal((await read(app, path, init)).age, null, JSON.stringify([path, init]))
    }
  }
})

test('short-lived responses and errors are never reused', async (t) => {
  const app = await runApp(t, { cacheSeconds: 60 })
  for (const path of [
    '/api/v1/time',
    '/api/v1/early-access',
    '/api/v1/versions/VS-9999',
    '/api/v1/nothing',
    '/api/v1/preview',
  ]) {
    const first = await read(app, path)
    const second = await read(app, path)
    assert.equal(second.age, null, path)
    assert.notEqual(second.proof[0], first.proof[0])
  }
})

test('by default nothing is reused', async (t) => {
  const app = await runApp(t)
  await read(app, '/api/v1/status')
  assert.equal((await read(app, '/api/v1/status')).age, null)
})
