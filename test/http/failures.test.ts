import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { inspect } from 'node:util'
import { ApiError } from '@public-api/contract/errors/api-error'
import type { Handler } from '../../src/http/exchange.ts'
import { createFakeApiKeys, FAKE_KEYS } from '../support/fake-api-keys.ts'
import {
  type ReceivedResponse,
  ask,
  assertSigned,
  assertUnsigned,
  codeOf,
  publishedKey,
} from '../support/received-response.ts'
import { runApp, testSigning, type RunningApp } from '../support/running-app.ts'

const SECRET = 'secret text 5d41402a'

/** No part of the failure is in the response; the log has it once, under the request id the caller can quote. */
function assertKeptInside(app: RunningApp, response: ReceivedResponse, lines = 1): void {
  const requestId = response.header('x-request-id')
  const headers = ['content-type', 'link', 'allow', 'www-authenticate', 'x-request-id']
  const shown = response.bytes.toString() + headers.map((name) => response.header(name)).join()
  for (const word of [SECRET, '.ts', 'Error:', 'node:']) assert.ok(!shown.includes(word), word)
  const logged = app.log.filter(({ fields }) => fields['requestId'] === requestId)
  assert.equal(logged.length, lines, inspect(app.log))
  assert.equal(app.log.length, lines)
  assert.ok(inspect(logged, { depth: null }).includes(SECRET))
}

const throwing: Handler = () => {
  throw new Error(SECRET)
}
const rejecting: Handler = async () => {
  await Promise.resolve()
  throw new Error(SECRET)
}

const FAILURES = {
  status: ['GET', '/api/v1/status', 503, 'SNAPSHOT_UNAVAILABLE'],
  index: ['GET', '/api/v1', 503, 'SNAPSHOT_UNAVAILABLE'],
  time: ['GET', '/api/v1/time', 503, 'SNAPSHOT_UNAVAILABLE'],
  versionById: ['GET', '/api/v1/versions/VS-0001', 503, 'SNAPSHOT_UNAVAILABLE'],
  register: ['POST', '/api/v1/early-access/register', 503, 'REGISTRATION_UNAVAILABLE'],
  signingKey: ['GET', '/api/v1/keys/signing-key', 503, 'SIGNING_UNAVAILABLE'],
} as const

for (const [name, [method, target, status, code]] of Object.entries(FAILURES)) {
  test(`${name}: a defect returns ${code}, signed, with the details only in the log`, async (t) => {
    const key = await publishedKey(await runApp(t))
    for (const handler of [throwing, rejecting]) {
      const app = await runApp(t, { extraHandlers: { [name]: handler } })
      const headers = { 'Content-Type': 'application/json' }
      const response = await ask(app, target, { method, headers })
      assert.deepEqual([response.status, codeOf(response)], [status, code])
      assert.equal(response.header('cache-control'), 'no-store')
      assert.equal(
        response.header('access-control-allow-origin'),
        method === 'GET' ? '*' : undefined,
      )
      assertSigned(response, key)
      assertKeptInside(app, response)
      assert.equal(app.log[0]?.level, 'error')
      assert.equal(app.log[0].fields['endpoint'], name)
      const again = await ask(app, '/api/v1/roadmap')
      assert.equal(again.status, 200)
    }
  })
}

test('thrown values other than Error are caught', async (t) => {
  for (const thrown of [SECRET, undefined, null, 7, { code: 'NOT_FOUND', status: 200 }]) {
    const app = await runApp(t, {
      extraHandlers: {
        status() {
          // oxlint-disable-next-line typescript/only-throw-error -- what a careless library may do
          throw thrown
        },
      },
    })
    const response = await ask(app, '/api/v1/status')
    assert.deepEqual([response.status, codeOf(response)], [503, 'SNAPSHOT_UNAVAILABLE'])
    assert.equal(app.log.length, 1)
    assert.equal(app.log[0]?.fields['requestId'], response.header('x-request-id'))
  }
})

test('logs a refusal only if it has a cause', async (t) => {
  const cause = new Error(SECRET)
  const app = await runApp(t, {
    extraHandlers: {
      register() {
        throw new ApiError('REGISTRATION_UNAVAILABLE', { cause })
      },
    },
  })
  const response = await ask(app, '/api/v1/early-access/register', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
  })
  assert.equal(codeOf(response), 'REGISTRATION_UNAVAILABLE')
  assertKeptInside(app, response)
  assert.deepEqual(
    [app.log[0]?.level, app.log[0]?.fields['code']],
    ['warn', 'REGISTRATION_UNAVAILABLE'],
  )
  await ask(app, '/api/v1/nothing')
  assert.equal(app.log.length, 1)
})

/** An app whose signer fails while `broken` says so. */
async function runUnsignable(
  t: TestContext,
): Promise<{ app: RunningApp; signer: { broken: boolean } }> {
  const signer = { broken: true }
  const { signer: whole, keys } = testSigning()
  const app = await runApp(t, {
    signing: {
      keys,
      signer: {
        implementation: 'openssl',
        sign(text) {
          if (signer.broken) throw new Error(SECRET)
          return whole.sign(text)
        },
      },
    },
    apiKeys: createFakeApiKeys(),
  })
  return { app, signer }
}

test('a failing signer causes an unsigned 503 SIGNING_UNAVAILABLE', async (t) => {
  for (const [method, target, headers, lines] of [
    // The success could not be signed, and neither could the first error.
    ['GET', '/api/v1/status', {}, 2],
    ['GET', '/api/v1/status', { 'If-None-Match': '*' }, 2],
    ['GET', '/api/v1/nothing', {}, 1],
    ['POST', '/api/v1/keys', {}, 1],
  ] as const) {
    const { app, signer } = await runUnsignable(t)
    const response = await ask(app, target, { method, headers })
    assert.deepEqual([response.status, codeOf(response)], [503, 'SIGNING_UNAVAILABLE'])
    assert.equal(response.header('cache-control'), 'no-store')
    assert.equal(response.header('content-type'), 'application/json; charset=utf-8')
    assertUnsigned(response)
    assertKeptInside(app, response, lines)
    signer.broken = false
    assertSigned(await ask(app, '/api/v1/status'), await publishedKey(app))
  }
})

test('a keyed response has its quota even if it cannot be signed', async (t) => {
  const { app } = await runUnsignable(t)
  const response = await ask(app, '/api/v1/status', { headers: { 'X-SVC-Key': FAKE_KEYS.good } })
  assert.deepEqual([response.status, codeOf(response)], [503, 'SIGNING_UNAVAILABLE'])
  assert.equal(response.header('x-ratelimit-limit'), '600')
  assert.equal(response.header('x-ratelimit-remaining'), '599')
})

test('responses without a signature need no signer', async (t) => {
  const { app } = await runUnsignable(t)
  assert.equal((await ask(app, '/api/v1/status', { method: 'HEAD' })).status, 200)
  assert.equal((await ask(app, '/api/v1/status', { method: 'OPTIONS' })).status, 204)
  assert.deepEqual(app.log, [])
})

test('an unexpected failure of the key check is KEYS_UNAVAILABLE on every endpoint', async (t) => {
  const check = [
    () => Promise.reject(new Error(SECRET)),
    () => {
      throw new Error(SECRET)
    },
  ]
  for (const failing of check) {
    for (const [method, target] of [
      ['GET', '/api/v1/status'],
      ['GET', '/api/v1/keys/self'],
      ['GET', '/api/v1/keys/signing-key'],
      ['GET', '/api/v1/preview/x'],
      ['POST', '/api/v1/early-access/register'],
    ] as const) {
      const app = await runApp(t, { apiKeys: { ...createFakeApiKeys(), check: failing } })
      const headers = { Authorization: `Bearer ${FAKE_KEYS.good}` }
      const response = await ask(app, target, { method, headers })
      assert.deepEqual([response.status, codeOf(response)], [503, 'KEYS_UNAVAILABLE'], target)
      assertKeptInside(app, response)
      assertSigned(response, await publishedKey(app))
      assert.equal((await ask(app, '/api/v1/status')).status, 200)
    }
  }
})

test('a failed revocation is KEYS_UNAVAILABLE and still has the quota', async (t) => {
  const app = await runApp(t, {
    apiKeys: { ...createFakeApiKeys(), revoke: () => Promise.reject(new Error(SECRET)) },
  })
  const headers = { 'X-SVC-Key': FAKE_KEYS.good }
  const response = await ask(app, '/api/v1/keys/self', { method: 'DELETE', headers })
  assert.deepEqual([response.status, codeOf(response)], [503, 'KEYS_UNAVAILABLE'])
  assert.equal(response.header('x-ratelimit-remaining'), '599')
  assertKeptInside(app, response)
})
