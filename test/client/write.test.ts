import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { keySelf, revokeKeySelf } from '@public-api/client-internal/api-keys'
import { ApiResponseError } from '@public-api/client-internal/api-response-error'
import { createClient } from '@public-api/client-internal/client'
import { register } from '@public-api/client-internal/register'
import { VerificationError } from '@public-api/client-internal/verification-error'
import { sliceKeyId } from '@public-api/contract/keys/api-key'
import { runKeyedApp } from '../support/keyed-app.ts'
import { GOOD_BODY, runRegisteringApp } from '../support/registering-app.ts'
import type { RunningApp } from '../support/running-app.ts'
import { key } from './scripted-client.ts'

interface Sent {
  readonly method: string
  readonly target: string
  readonly authorization: string | null
}

/** A client of the app with its own API key, and what it sent; `change` replaces responses. */
function clientOf(
  app: RunningApp,
  change: (response: Response, sent: Sent) => Response | Promise<Response> = (each) => each,
) {
  const sent: Sent[] = []
  const client = createClient({
    baseUrl: app.origin,
    pinnedKeyIds: [key.keyId],
    apiKey: 'svk_of_the_client',
    now: () => app.clock.ms,
    wait: () => Promise.resolve(),
    fetch: async (url, init) => {
      const { method, headers } = init
      const authorization = new Headers(headers).get('authorization')
      const one = { method, target: url.slice(app.origin.length), authorization }
      sent.push(one)
      return change(await fetch(url, init), one)
    },
  })
  return { client, sent, writes: () => sent.filter(({ method }) => method !== 'GET') }
}

describe('register', () => {
  test('returns the verified ticket, and DUPLICATE for the same address', async (t) => {
    const app = await runRegisteringApp(t)
    const { client, writes } = clientOf(app)
    const first = await register(client, { ...GOOD_BODY, interests: ['api'], locale: 'th' })
    assert.ok(first.outcome === 'WAITING')
    assert.match(first.data.ticket, /^EA-[0-9A-F]{16}$/)
    assert.equal(first.keyId, key.keyId)
    assert.equal(first.provedAtMs, app.clock.ms)
    assert.match(first.requestId ?? '', /^[0-9a-f-]{36}$/)
    const again = await register(client, GOOD_BODY)
    assert.ok(again.outcome === 'DUPLICATE')
    assert.equal(again.response.status, 200)
    assert.notEqual(again.requestId, first.requestId)
    const [entry] = await app.entries()
    assert.equal(entry?.email, GOOD_BODY.email)
    assert.equal(entry?.locale, 'th')
    // Each target is another one, and no API key goes with an address.
    assert.equal(new Set(writes().map(({ target }) => target)).size, 2)
    for (const { method, target, authorization } of writes()) {
      assert.equal(method, 'POST')
      assert.match(target, /^\/api\/v1\/early-access\/register\?fresh=[\w-]{22}$/)
      assert.equal(authorization, null)
    }
  })

  test('throws the signed error once, with the request ID', async (t) => {
    const app = await runRegisteringApp(t)
    const { client, writes } = clientOf(app)
    await assert.rejects(register(client, { ...GOOD_BODY, challengeToken: 'wrong' }), (error) => {
      assert.ok(error instanceof ApiResponseError)
      assert.equal(error.code, 'CHALLENGE_FAILED')
      assert.match(error.requestId ?? '', /^[0-9a-f-]{36}$/)
      return true
    })
    assert.equal(writes().length, 1)
  })

  for (const [name, change, code] of [
    [
      'whose body was changed',
      async (response: Response) =>
        new Response((await response.text()).replace('WAITING', 'GRANTED'), response),
      'DIGEST',
    ],
    ['without a signature', (response: Response) => new Response(response.body), 'UNSIGNED'],
  ] as const) {
    test(`refuses a response ${name}, without another attempt`, async (t) => {
      const app = await runRegisteringApp(t)
      const { client, writes } = clientOf(app, (response, { method }) =>
        method === 'POST' ? change(response) : response,
      )
      await assert.rejects(
        register(client, GOOD_BODY),
        (error) => error instanceof VerificationError && error.code === code,
      )
      assert.equal(writes().length, 1)
    })
  }

  test('refuses an earlier signed response to another registration', async (t) => {
    const app = await runRegisteringApp(t)
    let kept: Response | undefined
    const { client } = clientOf(app, (response, { method }) => {
      if (method !== 'POST') return response
      kept ??= response.clone()
      return kept.clone()
    })
    await register(client, GOOD_BODY)
    await assert.rejects(register(client, { ...GOOD_BODY, email: 'other@example.org' }), {
      code: 'SIGNATURE',
    })
  })

  test('is sent once if the connection fails, and not at all without keys', async (t) => {
    const app = await runRegisteringApp(t)
    const lost = clientOf(app, (response, { method }) => {
      if (method === 'POST') throw new TypeError('reset')
      return response
    })
    await assert.rejects(register(lost.client, GOOD_BODY), { name: 'ConnectionError' })
    assert.equal(lost.writes().length, 1)
    const { outcome } = await register(clientOf(app).client, GOOD_BODY)
    assert.equal(outcome, 'DUPLICATE')

    const keyless = clientOf(app, () => Response.error())
    await assert.rejects(register(keyless.client, GOOD_BODY), { name: 'ConnectionError' })
    assert.equal(keyless.writes().length, 0)
  })
})

describe('API keys', () => {
  test('are read and revoked, with every response verified', async (t) => {
    const app = await runKeyedApp(t)
    const { client, sent } = clientOf(app)
    const apiKey = await app.makeKey()
    const keyId = sliceKeyId(apiKey)
    const self = await keySelf(client, { apiKey })
    assert.equal(self.data.keyId, keyId)
    assert.equal(self.rateLimit?.remaining, self.data.quota.remaining)
    const revoked = await revokeKeySelf(client, { apiKey })
    assert.deepEqual([revoked.data.keyId, revoked.data.status], [keyId, 'revoked'])
    for (const each of [self, revoked]) assert.equal(each.keyId, key.keyId)
    await assert.rejects(keySelf(client, { apiKey }), { code: 'KEY_INVALID', status: 401 })
    assert.deepEqual(
      sent
        .filter(({ target }) => target.includes('?fresh='))
        .map(({ method, target, authorization }) => [
          method,
          target.replace(/\?.*/, ''),
          authorization,
        ]),
      [
        ['GET', '/api/v1/keys/self', `Bearer ${apiKey}`],
        ['DELETE', '/api/v1/keys/self', `Bearer ${apiKey}`],
        ['GET', '/api/v1/keys/self', `Bearer ${apiKey}`],
      ],
    )
  })

  test('refuses another method’s response to a revocation', async (t) => {
    const app = await runKeyedApp(t)
    const apiKey = await app.makeKey()
    const { client } = clientOf(app, (response, { method, target }) =>
      method === 'DELETE'
        ? fetch(app.origin + target, { headers: { Authorization: `Bearer ${apiKey}` } })
        : response,
    )
    const rejected = revokeKeySelf(client, { apiKey })
    await assert.rejects(rejected, { name: 'VerificationError', code: 'SIGNATURE' })
  })

  test('a key that cannot be sent is not quoted', async (t) => {
    const app = await runKeyedApp(t)
    const { client, sent } = clientOf(app)
    for (const apiKey of ['', 'secret\nkey', 'secret key', 'sécret']) {
      await assert.rejects(keySelf(client, { apiKey }), {
        name: 'TypeError',
        message: 'apiKey: expected visible ASCII',
      })
    }
    assert.deepEqual(sent, [])
  })
})
