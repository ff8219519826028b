import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runApp } from '../support/running-app.ts'
import { assertRead } from '../support/successful-read.ts'

const EXPECTED = { schema: 'Time', cacheClass: 'short-lived' } as const

test("the time is the server's clock, and UNVERIFIED without a source", async (t) => {
  const app = await runApp(t)
  assert.deepEqual(await assertRead(app, '/api/v1/time', EXPECTED), {
    utc: '2026-11-21T09:00:00.123Z',
    epochMs: Date.UTC(2026, 10, 21, 9, 0, 0, 123),
    label: 'SERVER_UTC',
    quality: {
      state: 'UNVERIFIED',
      source: null,
      offsetMs: null,
      maxErrorMs: null,
      checkedAt: null,
    },
  })
})

test('the time and its ETag follow the clock', async (t) => {
  const app = await runApp(t)
  const first = await app.fetch('/api/v1/time')
  app.clock.ms += 1
  const data = await assertRead(app, '/api/v1/time', EXPECTED)
  assert.equal(data['utc'], '2026-11-21T09:00:00.124Z')
  const again = await app.fetch('/api/v1/time', {
    headers: { 'If-None-Match': first.headers.get('etag') ?? '' },
  })
  assert.equal(again.status, 200)
})

test('the quality is the measured one', async (t) => {
  const quality = {
    state: 'SYNCHRONIZED',
    source: 'time.example.org',
    offsetMs: -2,
    maxErrorMs: 7,
    checkedAt: '2026-11-21T08:59:30.000Z',
  } as const
  const app = await runApp(t, { timeQuality: { quality: () => quality, close: () => {} } })
  assert.deepEqual((await assertRead(app, '/api/v1/time', EXPECTED))['quality'], quality)
})
