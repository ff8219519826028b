import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiResponseError } from '@public-api/client-internal/api-response-error'
import { createClient } from '@public-api/client-internal/client'
import { sliceKeyId } from '@public-api/contract/keys/api-key'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { createFakeApiKeys, FAKE_KEYS } from '../support/fake-api-keys.ts'
import { runApp, TEST_NOW_MS } from '../support/running-app.ts'
import {
  appResponse,
  BASE_URL,
  isStatus,
  key,
  fakeResponse,
  scripted,
  type Script,
} from './scripted-client.ts'

describe('every read endpoint', () => {
  test('has a method that returns verified data or throws the signed error', async (t) => {
    const app = await runApp(t)
    const client = createClient({ baseUrl: app.origin, now: () => app.clock.ms })
    const refused: string[] = []
    for (const [name, row] of Object.entries(ENDPOINTS)) {
      if (row.method !== 'GET') continue
      const read = client[name as keyof typeof READ_PATHS] as (value?: string) => Promise<unknown>
      try {
        const { data, keyId } = (await (name === 'versionById' ? read('VS-0001') : read())) as {
          data: object
          keyId: string
        }
        assert.equal(typeof data, 'object', name)
        assert.equal(keyId, key.keyId, name)
      } catch (error) {
        if (!(error instanceof ApiResponseError)) throw error
        refused.push(`${name} ${error.code}`)
      }
    }
    assert.deepEqual(refused, ['keySelf KEY_REQUIRED', 'preview PREVIEW_NOT_ENABLED'])
  })

  test('has typed data', async () => {
    const { client } = scripted()
    const status: string = (await client.status()).data.components[0]?.id ?? ''
    const hash: string = (await client.versionById('VS-0001')).data.hash
    const count: number = (await client.versions()).data.count
    assert.equal(status, 'read-api')
    assert.match(hash, /^[0-9a-f]{64}$/)
    assert.equal(count, 1)
    // @ts-expect-error An id must be given.
    await assert.rejects(client.versionById(), TypeError)
  })

  test('encodes parameters and rejects targets that a URL would change', async () => {
    const { client, sent } = scripted()
    await assert.rejects(client.versionById('VS-9999'), { code: 'VERSION_NOT_FOUND', status: 404 })
    await assert.rejects(client.preview('a/b c'), { code: 'PREVIEW_NOT_ENABLED', retryable: false })
    await assert.rejects(client.versionById('..'), TypeError)
    assert.deepEqual(
      sent.map(({ target }) => target),
      ['/api/v1/versions/VS-9999', READ_PATHS.signingKey, '/api/v1/preview/a/b%20c'],
    )
  })
})

describe('settings', () => {
  test('a base URL is an origin', () => {
    for (const baseUrl of [
      'https://a.test/api',
      'ftp://a.test',
      'https://a.test/?x',
      'https://u:secret@a.test',
      'a.test',
    ]) {
      assert.throws(
        () => createClient({ baseUrl }),
        (error) => error instanceof TypeError && !error.message.includes('secret'),
        baseUrl,
      )
    }
    for (const baseUrl of ['https://a.test', 'http://127.0.0.1:8080/', new URL('https://a.test')]) {
      createClient({ baseUrl })
    }
  })

  test('an API key is sent with every request', async (t) => {
    const app = await runApp(t, { apiKeys: createFakeApiKeys() })
    const client = (apiKey: string) =>
      createClient({ baseUrl: app.origin, now: () => app.clock.ms, apiKey })
    const { data } = await client(FAKE_KEYS.good).keySelf()
    assert.equal(data.keyId, sliceKeyId(FAKE_KEYS.good))
    await assert.rejects(client('svk_wrong').keySelf(), { code: 'KEY_INVALID', status: 401 })
  })

  test('fetch sends no cookies, follows no redirects and stores nothing', async () => {
    let received: unknown
    const { client } = scripted(undefined, {
      fetch: (url, init) => {
        received = { ...init, headers: undefined, signal: init.signal.aborted, url }
        return appResponse(
          { target: url.slice(BASE_URL.length), headers: init.headers },
          TEST_NOW_MS,
        )
      },
    })
    await client.getUnverified(READ_PATHS.time)
    assert.deepEqual(received, {
      url: `${BASE_URL}${READ_PATHS.time}`,
      method: 'GET',
      headers: undefined,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'manual',
      signal: false,
    })
  })
})

describe('revalidation', () => {
  test('a 304 with its proof renews a stored response', async () => {
    const { client, sent, clock } = scripted()
    const first = await client.status()
    clock.ms += 86_400_000
    const second = await client.status()
    assert.equal(second.data, first.data)
    assert.equal(second.provedAtMs, clock.ms)
    assert.deepEqual(
      sent.filter(isStatus).map(({ headers }) => headers['If-None-Match']),
      [undefined, first.etag],
    )
  })

  test('new data replaces the old', async () => {
    const { client, clock } = scripted((sent, count) =>
      isStatus(sent) && count > 0 ? appResponse(sent, clock.ms, { versions: 2 }) : undefined,
    )
    const first = await client.status()
    const second = await client.status()
    const third = await client.status()
    assert.notEqual(second.etag, first.etag)
    assert.equal(third.data, second.data)
  })

  const bare304: Script = (sent) =>
    sent.headers['If-None-Match'] === undefined
      ? undefined
      : fakeResponse(304, { ETag: sent.headers['If-None-Match'] })

  test('a 304 without a proof keeps a stored response that is still fresh', async () => {
    const { client, sent, clock } = scripted(bare304)
    const first = await client.status()
    clock.ms += 900_000
    const second = await client.status()
    assert.equal(second.provedAtMs, first.provedAtMs)
    assert.equal(sent.filter(isStatus).length, 2)
  })

  test('and later causes a full request', async () => {
    const { client, sent, clock } = scripted(bare304)
    await client.status()
    clock.ms += 900_001
    const second = await client.status()
    assert.equal(second.provedAtMs, clock.ms)
    assert.equal(sent.filter(isStatus).length, 3)
  })

  test('a clock that was set back renews nothing without a proof', async () => {
    const { client, sent, clock } = scripted(
      (one, count) => bare304(one, count) ?? appResponse(one, TEST_NOW_MS),
    )
    const first = await client.status()
    clock.ms = first.provedAtMs - 60_000
    assert.equal((await client.status()).provedAtMs, first.provedAtMs)
    clock.ms -= 1
    await assert.rejects(client.status(), { code: 'FUTURE', message: /ahead of this clock/ })
    assert.equal(sent.filter(isStatus).length, 4)
  })

  test('rejects a 304 to an unconditional request', async () => {
    const { client } = scripted((sent) => (isStatus(sent) ? fakeResponse(304, {}) : undefined))
    await assert.rejects(client.status(), { code: 'UNSIGNED' })
  })
})

describe('a fresh read', () => {
  test('uses a unique target and is not revalidated', async () => {
    const { client, sent } = scripted()
    await client.status({ fresh: true })
    await client.status({ fresh: true })
    await client.get(`${READ_PATHS.status}?a=1`, { fresh: true })
    const [one, two, three] = sent.filter(isStatus).map(({ target }) => target)
    assert.match(one ?? '', /^\/api\/v1\/status\?fresh=[\w-]{22}$/)
    assert.match(two ?? '', /^\/api\/v1\/status\?fresh=[\w-]{22}$/)
    assert.match(three ?? '', /^\/api\/v1\/status\?a=1&fresh=[\w-]{22}$/)
    assert.notEqual(one, two)
  })

  test('refuses the response to a plain read', async () => {
    const { client } = scripted((sent) =>
      isStatus(sent) ? appResponse({ ...sent, target: READ_PATHS.status }, TEST_NOW_MS) : undefined,
    )
    await assert.rejects(client.status({ fresh: true }), { code: 'SIGNATURE' })
  })
})
