import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sliceKeyId } from '@public-api/contract/keys/api-key'
import { DATA_SCHEMAS } from '@public-api/contract/registry/schemas'
import { ChallengeUnavailableError } from '../../src/service/challenge/challenge.ts'
import { StorageError } from '../../src/storage/stores/storage-error.ts'
import { schemaCheck } from '../documents/document-schemas.ts'
import {
  easyAltcha,
  GOOD_KEY_REQUEST,
  KEYS,
  OPEN_ISSUANCE,
  runKeyedApp,
  SELF,
  solvedFor,
  withKey,
} from '../support/keyed-app.ts'
import { sendRequest } from '../support/raw-http.ts'
import {
  toResponse,
  ask,
  assertSigned,
  envelopeOf,
  publishedKey,
  type ReceivedResponse,
  outcome,
} from '../support/received-response.ts'
import { GOOD_BODY, runRegisteringApp } from '../support/registering-app.ts'
import { UNSOLVABLE_CHALLENGE } from '../support/unsolvable-challenge.ts'

const DAY_MS = 86_400_000

const keyIn = (response: ReceivedResponse) => String(envelopeOf(response).data['key'])
const iso = (ms: number) => new Date(ms).toISOString()

test('an issued key: 201 with exactly the promised fields and headers, signed', async (t) => {
  const app = await runKeyedApp(t)
  const body = JSON.stringify({ ...GOOD_KEY_REQUEST, label: 'ci mirror', ttlDays: 7 })
  const lines = ['Content-Type: application/json', `Content-Length: ${body.length}`]
  const raw = await sendRequest(app.port, 'POST', `${KEYS}?q=1`, lines, body)
  assert.equal(raw.status, 201)
  const response = toResponse('POST', `${KEYS}?q=1`, raw)
  const { data, ...envelope } = envelopeOf(response)
  assert.deepEqual(envelope, {
    ok: true,
    schema: 'svc.public.api.response.v1',
    requestId: response.header('x-request-id'),
    issuedAt: iso(app.clock.ms),
  })
  assert.deepEqual(schemaCheck(DATA_SCHEMAS.IssuedKey)(data), [])
  const key = keyIn(response)
  assert.match(key, /^svk_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/)
  assert.deepEqual(data, {
    key,
    keyId: sliceKeyId(key),
    scope: 'read',
    label: 'ci mirror',
    status: 'active',
    createdAt: iso(app.clock.ms),
    expiresAt: iso(app.clock.ms + 7 * DAY_MS),
  })
  assertSigned(response, await publishedKey(app))
  assert.equal(response.header('cache-control'), 'no-store')
  // No CORS header (spec 5.8), no ETag over a secret, no address at which the key could be read again.
  assert.deepEqual(
    raw.headerNames.toSorted(),
    [
      'Cache-Control',
      'Connection',
      'Content-Digest',
      'Content-Length',
      'Content-Type',
      'Date',
      'X-Request-Id',
      'X-SVC-API-Version',
      'X-SVC-Signature',
      'X-SVC-Signed-At',
    ].toSorted(),
  )
  assert.equal((await app.rows()).length, 1)
})

test('an issued key works immediately on every endpoint, until its expiry to the millisecond', async (t) => {
  const app = await runKeyedApp(t)
  for (const ttlDays of [1, 365]) {
    const key = keyIn(await app.post({ ...GOOD_KEY_REQUEST, ttlDays }))
    const createdAtMs = app.clock.ms
    const self = await ask(app, SELF, withKey(key))
    assert.equal(self.status, 200)
    assert.equal(envelopeOf(self).data['expiresAt'], iso(createdAtMs + ttlDays * DAY_MS))
    const bearer = { headers: { Authorization: `Bearer ${key}` } }
    assert.equal((await ask(app, '/api/v1/status', bearer)).header('x-ratelimit-remaining'), '598')
    app.clock.ms = createdAtMs + ttlDays * DAY_MS - 1
    assert.equal((await ask(app, SELF, withKey(key))).status, 200)
    app.clock.ms += 1
    assert.equal(outcome(await ask(app, SELF, withKey(key))), '401 KEY_EXPIRED')
    assert.equal(outcome(await ask(app, SELF, withKey(key, 'DELETE'))), '401 KEY_EXPIRED')
  }
})

test('each key has a new ID and a new secret', async (t) => {
  const app = await runKeyedApp(t)
  const keys = await Promise.all(
    Array.from({ length: 40 }, async () => keyIn(await app.post(GOOD_KEY_REQUEST))),
  )
  assert.equal(new Set(keys.map((key) => sliceKeyId(key))).size, 40)
  assert.equal(new Set(keys.map((key) => key.slice(21))).size, 40)
  assert.equal((await app.rows()).length, 40)
})

test('accepts both ends of each limit', async (t) => {
  const app = await runKeyedApp(t)
  for (const [fields, label, ttlDays] of [
    [{}, null, 90],
    [{ label: 'a' }, 'a', 90],
    [{ label: 'A'.repeat(40) }, 'A'.repeat(40), 90],
    [{ label: 'Az09 ._-' }, 'Az09 ._-', 90],
    [{ label: ' ' }, ' ', 90],
    [{ ttlDays: 1 }, null, 1],
    [{ ttlDays: 365 }, null, 365],
  ] as const) {
    const response = await app.post({ ...GOOD_KEY_REQUEST, ...fields })
    assert.equal(response.status, 201, JSON.stringify(fields))
    const { data } = envelopeOf(response)
    assert.equal(data['label'], label)
    assert.equal(data['expiresAt'], iso(app.clock.ms + ttlDays * DAY_MS))
  }
  // Numbers as JSON has them: the value counts, not how it is written.
  for (const ttl of ['90.0', '9e1', '0.9E+2']) {
    const response = await app.post(`{"challengeToken":"test-pass","ttlDays":${ttl}}`)
    assert.equal(envelopeOf(response).data['expiresAt'], iso(app.clock.ms + 90 * DAY_MS), ttl)
  }
  for (const media of ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
    assert.equal((await app.post(GOOD_KEY_REQUEST, { 'Content-Type': media })).status, 201)
  }
})

test('any other member of the body is INVALID_INPUT, and no key is created', async (t) => {
  const app = await runKeyedApp(t)
  const wrongFields: readonly object[] = [
    ...[0, 366, -1, 1.5, 1e21, '90', null, true, [90], {}].map((ttlDays) => ({ ttlDays })),
    ...['', 'a'.repeat(41), 'a\n', '\ta', 'a/b', 'ä', 'a\u0000', '€', '<b>'].map((label) => ({
      label,
    })),
    ...[null, 1, true, ['a'], {}].map((label) => ({ label })),
    ...[undefined, '', null, 1, true, ['test-pass'], {}].map((challengeToken) => ({
      challengeToken,
    })),
    ...['scope', 'keyId', 'key', 'status', 'expiresAt', 'Label', 'ttl', 'ttldays', 'email'].map(
      (name) => ({ [name]: 'read' }),
    ),
    ...['constructor', 'toString', 'hasOwnProperty', 'enabled', 'issuance', ''].map((name) => ({
      [name]: true,
    })),
  ]
  const texts = [
    ...wrongFields.map((fields) => JSON.stringify({ ...GOOD_KEY_REQUEST, ...fields })),
    '{}',
    '[]',
    'null',
    '"test-pass"',
    '1',
    '[{"challengeToken":"test-pass"}]',
    '{"challengeToken":"test-pass","__proto__":{}}',
    '{"challengeToken":"test-pass","ttlDays":1e999}',
  ]
  for (const text of texts) {
    assert.equal(outcome(await app.post(text)), '400 INVALID_INPUT', text)
  }
  for (const text of [
    '',
    ' ',
    '{',
    '{"challengeToken":"test-pass"}}',
    "{'a':1}",
    '\ufeff{}',
    'NaN',
  ]) {
    assert.equal(outcome(await app.post(text)), '400 INVALID_JSON', text)
  }
  assert.deepEqual(await app.rows(), [])
  // None of them was counted either: the hour still has all its keys.
  for (let each = 0; each < 60; each += 1) {
    assert.equal((await app.post(GOOD_KEY_REQUEST)).status, 201)
  }
})

test('a challenge solved for a key is valid for one key', async (t) => {
  const app = await runKeyedApp(t, { challenge: easyAltcha })
  const challengeToken = await solvedFor(app, 'issue-key')
  // Refused before the challenge is looked at, so it is not spent.
  for (const fields of [{ ttlDays: 0 }, { label: '' }, { scope: 'read' }]) {
    assert.equal(outcome(await app.post({ challengeToken, ...fields })), '400 INVALID_INPUT')
  }
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => app.post({ challengeToken })),
  )
  assert.deepEqual(responses.map(outcome).toSorted(), [
    '201',
    ...Array.from({ length: 9 }, () => '403 CHALLENGE_FAILED'),
  ])
  assert.equal(
    outcome(await app.post({ challengeToken: await solvedFor(app, 'register') })),
    '403 CHALLENGE_FAILED',
  )
  const late = await solvedFor(app, 'issue-key')
  app.clock.ms += 10 * 60_000
  assert.equal(outcome(await app.post({ challengeToken: late })), '403 CHALLENGE_FAILED')
  assert.equal((await app.rows()).length, 1)
})

test('a challenge solved for a key is refused by the waitlist and not spent', async (t) => {
  const keys = await runKeyedApp(t, { challenge: easyAltcha })
  const waitlist = await runRegisteringApp(t, {
    challenge: () => keys.challenge,
    parts: { issuance: OPEN_ISSUANCE },
  })
  const forKey = await solvedFor(keys, 'issue-key')
  const refused = await waitlist.register({ ...GOOD_BODY, challengeToken: forKey })
  assert.equal(outcome(refused), '403 CHALLENGE_FAILED')
  assert.equal((await keys.post({ challengeToken: forKey })).status, 201)

  const forRegistration = await solvedFor(keys, 'register')
  assert.equal(
    outcome(await keys.post({ challengeToken: forRegistration })),
    '403 CHALLENGE_FAILED',
  )
  assert.equal(
    (await waitlist.register({ ...GOOD_BODY, challengeToken: forRegistration })).status,
    200,
  )
})

test('a key that could not be stored releases the challenge, and the same request works later', async (t) => {
  let failures = 2
  const app = await runKeyedApp(t, {
    challenge: easyAltcha,
    store: (store) => ({
      ...store,
      add(key, maxActive) {
        if (failures === 0) return store.add(key, maxActive)
        failures -= 1
        return Promise.reject(new StorageError('IO', 'service.sqlite'))
      },
    }),
  })
  const body = { challengeToken: await solvedFor(app, 'issue-key'), label: 'find-me' }
  const published = await publishedKey(app)
  for (let each = 0; each < 2; each += 1) {
    const refused = await app.post(body)
    assert.equal(outcome(refused), '503 KEYS_UNAVAILABLE')
    assert.ok(!refused.bytes.toString().includes('service.sqlite'))
    assert.match(refused.bytes.toString(), /"retryable":true/)
    assertSigned(refused, published)
    app.clock.ms += 1000
  }
  assert.deepEqual(await app.rows(), [])
  assert.equal(app.log.filter(({ fields }) => fields['err'] instanceof StorageError).length, 2)
  const key = keyIn(await app.post(body))
  assert.equal((await ask(app, SELF, withKey(key))).status, 200)
  assert.equal(outcome(await app.post(body)), '403 CHALLENGE_FAILED')
})

test('a challenge that cannot be verified is KEYS_UNAVAILABLE, and no key is created', async (t) => {
  for (const cause of [new ChallengeUnavailableError('no response'), new Error('a defect')]) {
    const app = await runKeyedApp(t, {
      challenge: () => ({ ...UNSOLVABLE_CHALLENGE, verify: () => Promise.reject(cause) }),
    })
    assert.equal(outcome(await app.post(GOOD_KEY_REQUEST)), '503 KEYS_UNAVAILABLE')
    assert.deepEqual(await app.rows(), [])
  }
})

test('a duplicate random ID is KEYS_UNAVAILABLE, and the existing key is unchanged', async (t) => {
  const app = await runKeyedApp(t, { randomBytes: (count) => new Uint8Array(count).fill(7) })
  const key = keyIn(await app.post(GOOD_KEY_REQUEST))
  const before = await app.rows()
  assert.equal(outcome(await app.post({ ...GOOD_KEY_REQUEST, label: 'x' })), '503 KEYS_UNAVAILABLE')
  assert.deepEqual(await app.rows(), before)
  assert.equal((await ask(app, SELF, withKey(key))).status, 200)
})
