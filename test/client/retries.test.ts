import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createClient } from '@public-api/client-internal/client'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { makeReleases } from '../support/made-releases.ts'
import { runApp, TEST_NOW_MS } from '../support/running-app.ts'
import {
  appResponse,
  BASE_URL,
  isStatus,
  fakeResponse,
  scripted,
  type Script,
} from './scripted-client.ts'

describe('retries', () => {
  test('after a failed connection, twice by default, with growing waits', async () => {
    const failing: Script = (sent) => {
      if (isStatus(sent)) throw new TypeError('fetch failed')
      return undefined
    }
    const { client, sent, waits } = scripted(failing)
    await assert.rejects(client.status(), {
      name: 'ConnectionError',
      message: `${BASE_URL}/api/v1/status not fetched`,
    })
    assert.equal(sent.filter(isStatus).length, 3)
    const [first = 0, second = 0] = waits
    assert.ok(first >= 125 && first <= 250, String(first))
    assert.ok(second >= 250 && second <= 500, String(second))
    const never = scripted(failing, { maxRetries: 0 })
    await assert.rejects(never.client.status())
    assert.deepEqual(never.waits, [])
  })

  test('after the wait of a gateway, in seconds or as a date', async () => {
    for (const after of ['7', new Date(TEST_NOW_MS + 6877).toUTCString()]) {
      const { client, waits } = scripted((sent, count) =>
        isStatus(sent) && count === 0
          ? fakeResponse(503, { 'Retry-After': after }, '<html>')
          : undefined,
      )
      await client.status()
      assert.equal(waits.length, 1)
      assert.ok(Math.abs((waits[0] ?? 0) - 6900) < 101, String(waits[0]))
    }
  })

  test('ignores a Retry-After that is not a future time', async () => {
    for (const after of ['', '-5', 'soon', new Date(TEST_NOW_MS - 5000).toUTCString()]) {
      const { client, waits } = scripted((sent, count) =>
        isStatus(sent) && count === 0 ? fakeResponse(503, { 'Retry-After': after }) : undefined,
      )
      await client.status()
      const [first = 0] = waits
      assert.ok(first >= 125 && first <= 250, `${after}: ${first}`)
    }
  })

  test('not if the wait is too long or the result cannot change', async () => {
    const long = scripted((sent) =>
      isStatus(sent) ? fakeResponse(503, { 'Retry-After': '31' }) : undefined,
    )
    await assert.rejects(long.client.status(), { code: 'UNSIGNED' })
    assert.deepEqual(long.waits, [])
    const lost = scripted((sent) => (isStatus(sent) ? fakeResponse(404, {}) : undefined))
    await assert.rejects(lost.client.status(), { code: 'UNSIGNED' })
    assert.deepEqual(lost.waits, [])
    const none = scripted()
    await assert.rejects(none.client.get('/api/v1/nowhere'), { code: 'NOT_FOUND' })
    assert.deepEqual(none.waits, [])
  })

  test('after a signed error that may pass', async (t) => {
    const releases = makeReleases(1)
    const name = [...releases.resources.keys()].find((each) => each.startsWith('status ')) ?? ''
    releases.resources.delete(name)
    const broken = await runApp(t, { releases: loadReleases(releases.store) })
    const intact = await runApp(t)
    let asked = 0
    const client = createClient({
      baseUrl: BASE_URL,
      now: () => TEST_NOW_MS,
      wait: () => Promise.resolve(),
      fetch: (url, init) => {
        const target = url.slice(BASE_URL.length)
        if (target === READ_PATHS.status) asked += 1
        return fetch((asked < 3 ? broken : intact).origin + target, init)
      },
    })
    const { data } = await client.status()
    assert.equal(data.state, 'operational')
    assert.equal(asked, 3)
    asked = -10
    await assert.rejects(client.status({ fresh: true }), {
      name: 'ApiResponseError',
      code: 'SNAPSHOT_UNAVAILABLE',
      retryable: true,
    })
  })

  test('ends on an abort', async () => {
    const reason = new Error('enough')
    const control = new AbortController()
    const { client } = scripted(
      (sent) => {
        if (isStatus(sent)) throw new TypeError('fetch failed')
        return undefined
      },
      {
        wait: (_, signal) => {
          control.abort(reason)
          return Promise.reject(signal?.reason as Error)
        },
      },
    )
    await assert.rejects(client.status({ signal: control.signal }), reason)
    await assert.rejects(client.status({ signal: AbortSignal.abort(reason) }), reason)
  })

  test('an abort does not wait for the keys', async () => {
    const control = new AbortController()
    const reason = new Error('enough')
    const silent: Script = ({ target }) => {
      if (target !== READ_PATHS.signingKey) return undefined
      queueMicrotask(() => control.abort(reason))
      return new Promise<undefined>(() => {})
    }
    const { client } = scripted(silent, { timeoutMs: 20, maxRetries: 0 })
    await assert.rejects(client.status({ signal: control.signal }), reason)
  })

  test('by the timer of the platform, unless another wait is given', async () => {
    let asked = 0
    const client = createClient({
      baseUrl: BASE_URL,
      now: () => TEST_NOW_MS,
      fetch: (url, init) => {
        asked += 1
        if (asked === 1) throw new TypeError('fetch failed')
        return appResponse(
          { target: url.slice(BASE_URL.length), headers: init.headers },
          TEST_NOW_MS,
        )
      },
    })
    assert.equal((await client.time()).data.label, 'SERVER_UTC')
  })
})
