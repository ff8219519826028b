import assert from 'node:assert/strict'
import { test } from 'node:test'
import { madeHistory } from '../support/made-releases.ts'
import { runApp } from '../support/running-app.ts'

test('a part of the program that is gone returns 503, and the log asks for a restart', async (t) => {
  const intact = madeHistory()
  const app = await runApp(t, {
    releases: {
      ...intact,
      // As an import of a file that npm removed.
      get head(): never {
        throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
      },
    },
  })
  const response = await app.fetch('/en')
  assert.deepEqual([response.status, response.headers.get('cache-control')], [503, 'no-store'])
  const line = app.log.find(({ level }) => level === 'error')
  assert.equal(line?.message, 'Part of the program is missing; restart the service')
})

test('a rendering failure returns 500, is logged, and is retried', async (t) => {
  const intact = madeHistory()
  let isDamaged = true
  const app = await runApp(t, {
    releases: {
      ...intact,
      get head() {
        return isDamaged ? { ...intact.head, json: '{' } : intact.head
      },
    },
  })
  for (const method of ['GET', 'HEAD']) {
    const response = await app.fetch('/en', { method })
    assert.equal(response.status, 500)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    const text = await response.text()
    assert.equal(text.includes('cannot be shown'), method === 'GET')
    assert.ok(!text.includes('JSON'))
  }
  const lines = app.log.filter(({ level }) => level === 'error')
  assert.deepEqual(
    lines.map(({ message }) => message),
    ['Page rendering failed', 'Page rendering failed'],
  )
  assert.equal((await app.fetch('/api/v1/status')).status, 200)

  isDamaged = false
  assert.equal((await app.fetch('/en')).status, 200)
})
