import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@public-api/contract/errors/api-error'
import { LIMITS } from '@public-api/contract/terms/limits'
import { INTERESTS } from '@public-api/contract/waitlist/registration-schema'
import { ChallengeUnavailableError } from '../../src/service/challenge/challenge.ts'
import {
  STORAGE_FAILURES,
  StorageError,
  type StorageFailure,
} from '../../src/storage/stores/storage-error.ts'
import { assertCatalogError, ECHO_MARKER, type ExpectedError } from '../support/catalog-error.ts'
import {
  GOOD_BODY,
  REGISTER,
  type RegisteringApp,
  runRegisteringApp,
} from '../support/registering-app.ts'
import { runApp } from '../support/running-app.ts'
import { createUnavailableWaitlist } from '../support/unavailable-service.ts'
import { UNSOLVABLE_CHALLENGE } from '../support/unsolvable-challenge.ts'

/** A body with the headers that go with it. */
interface Refused {
  readonly headers?: { readonly [name: string]: string }
  readonly body: string
}

const GOOD = JSON.stringify(GOOD_BODY)
const JSON_TYPE = { 'Content-Type': 'application/json' }

const bodies = (...values: readonly unknown[]): readonly Refused[] =>
  values.map((value) => ({ body: JSON.stringify(value) }))

/** Compares one response of an open waitlist with the catalog, in its own window. */
async function assertRegistrationError(
  app: RegisteringApp,
  { headers = {}, body }: Refused,
  expected: Omit<ExpectedError, 'cors'>,
): Promise<void> {
  app.clock.ms += 60_000
  const trigger = { method: 'POST', target: REGISTER, headers: { ...JSON_TYPE, ...headers }, body }
  await assertCatalogError(app, trigger, { ...expected, cors: false })
}

/** Requests that an open waitlist refuses, in the order in which it checks them. */
const REFUSED: readonly {
  readonly code: string
  readonly status: number
  readonly title: string
  readonly refused: readonly Refused[]
}[] = [
  {
    code: 'REQUEST_REJECTED',
    status: 403,
    title: "a registration from another site's page is 403",
    refused: [
      { Origin: 'https://other.example' },
      { Origin: 'null' },
      { Origin: ECHO_MARKER },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'http://127.0.0.1:8080', 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'https://other.example', 'Sec-Fetch-Site': 'same-origin' },
    ].map((headers) => ({ headers, body: GOOD })),
  },
  {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    status: 415,
    title: '415 for a body that is not application/json or has a content coding',
    refused: [
      { 'Content-Type': 'text/plain' },
      { 'Content-Type': 'text/plain;charset=UTF-8' },
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      { 'Content-Type': 'application/json; charset=utf-16' },
      { 'Content-Type': `application/json; profile="${ECHO_MARKER}"` },
      { 'Content-Type': `application/${ECHO_MARKER}` },
      { 'Content-Encoding': 'gzip' },
      { 'Content-Encoding': ECHO_MARKER },
    ].map((headers) => ({ headers, body: GOOD })),
  },
  {
    code: 'PAYLOAD_TOO_LARGE',
    status: 413,
    title: 'any body of 8193 bytes or more is 413',
    refused: [
      ' '.repeat(8193),
      GOOD.padEnd(8193),
      ECHO_MARKER.repeat(1000),
      // Fewer characters than the limit, but more bytes.
      'ก'.repeat(2731),
      ' '.repeat(1_000_000),
    ].map((body) => ({ body })),
  },
  {
    code: 'INVALID_JSON',
    status: 400,
    title: 'a body that is not exactly one JSON text is 400',
    refused: [
      '',
      ' ',
      '{"email":',
      `{"email":"${ECHO_MARKER}`,
      `{email:"${ECHO_MARKER}"}`,
      `email=${ECHO_MARKER}`,
      `${GOOD}${GOOD}`,
      `${GOOD},`,
      `${GOOD} // ${ECHO_MARKER}`,
      `\ufeff${GOOD}`,
      `\u0000${GOOD}`,
      ECHO_MARKER,
    ].map((body) => ({ body })),
  },
  {
    code: 'INVALID_INPUT',
    status: 400,
    title: '400 for a body that is not an object or has an unknown field',
    refused: bodies(
      null,
      true,
      1,
      ECHO_MARKER,
      [],
      [GOOD_BODY],
      { ...GOOD_BODY, name: ECHO_MARKER },
      { ...GOOD_BODY, [ECHO_MARKER]: 1 },
      { ...GOOD_BODY, Email: 'reader@example.org' },
      { ...GOOD_BODY, '': null },
      { ...GOOD_BODY, challenge_token: 'test-pass' },
      { ...GOOD_BODY, toString: 1 },
      { ...GOOD_BODY, constructor: ECHO_MARKER },
      { [ECHO_MARKER]: GOOD_BODY },
    ),
  },
  {
    code: 'INVALID_SESSION_ID',
    status: 400,
    title: 'a session ID is 400 with any value in any spelling',
    refused: bodies(
      { ...GOOD_BODY, sessionId: ECHO_MARKER },
      { ...GOOD_BODY, sessionId: null },
      { ...GOOD_BODY, sessionId: '' },
      { ...GOOD_BODY, session_id: ECHO_MARKER },
      { ...GOOD_BODY, 'SESSION-ID': ECHO_MARKER },
      { ...GOOD_BODY, sessionid: 1 },
    ),
  },
  {
    code: 'FORBIDDEN_FIELD',
    status: 400,
    title: 'a forbidden field is 400 in any spelling',
    refused: bodies(
      { ...GOOD_BODY, password: ECHO_MARKER },
      { ...GOOD_BODY, API_KEY: ECHO_MARKER },
      { ...GOOD_BODY, 'seed-phrase': ECHO_MARKER },
      { ...GOOD_BODY, walletAddress: ECHO_MARKER },
      { ...GOOD_BODY, passport_number: ECHO_MARKER },
      { ...GOOD_BODY, cardNumber: ECHO_MARKER },
      { ...GOOD_BODY, Phone: ECHO_MARKER },
      { ...GOOD_BODY, ip: ECHO_MARKER },
      { ...GOOD_BODY, userAgent: null },
    ),
  },
  {
    code: 'INVALID_EMAIL',
    status: 400,
    title: 'a body without a valid address is 400',
    refused: bodies(
      { consent: true, challengeToken: 'test-pass' },
      { ...GOOD_BODY, email: null },
      { ...GOOD_BODY, email: ['reader@example.org'] },
      { ...GOOD_BODY, email: '' },
      { ...GOOD_BODY, email: ECHO_MARKER },
      { ...GOOD_BODY, email: `${ECHO_MARKER}@localhost` },
      { ...GOOD_BODY, email: `${ECHO_MARKER}@127.0.0.1` },
      { ...GOOD_BODY, email: `${ECHO_MARKER}@xn--a.example` },
      { ...GOOD_BODY, email: `${ECHO_MARKER} <reader@example.org>` },
    ),
  },
  {
    code: 'CONSENT_REQUIRED',
    status: 400,
    title: 'a registration without consent is 400',
    refused: bodies(
      { email: `${ECHO_MARKER}@example.org`, challengeToken: 'test-pass' },
      { ...GOOD_BODY, consent: false },
      { ...GOOD_BODY, consent: null },
      { ...GOOD_BODY, consent: 1 },
      { ...GOOD_BODY, consent: 'true' },
      { ...GOOD_BODY, consent: ECHO_MARKER },
      { ...GOOD_BODY, consent: [true] },
    ),
  },
  {
    code: 'INVALID_INTERESTS',
    status: 400,
    title: 'interests other than a list of distinct known values are 400',
    refused: bodies(
      { ...GOOD_BODY, interests: null },
      { ...GOOD_BODY, interests: 'api' },
      { ...GOOD_BODY, interests: { 0: 'api' } },
      { ...GOOD_BODY, interests: [ECHO_MARKER] },
      { ...GOOD_BODY, interests: ['api', null] },
      { ...GOOD_BODY, interests: [['api']] },
      { ...GOOD_BODY, interests: ['api '] },
      { ...GOOD_BODY, interests: [...INTERESTS, 'api'] },
      { ...GOOD_BODY, interests: [...INTERESTS, ECHO_MARKER] },
      { ...GOOD_BODY, interests: ['api', 'API'] },
      { ...GOOD_BODY, interests: ['api', 'research', 'api'] },
    ),
  },
  {
    code: 'INVALID_USE_CASE',
    status: 400,
    title: '400 for a use case that is not a string or is too long',
    refused: bodies(
      { ...GOOD_BODY, useCase: null },
      { ...GOOD_BODY, useCase: 1 },
      { ...GOOD_BODY, useCase: [ECHO_MARKER] },
      { ...GOOD_BODY, useCase: `${ECHO_MARKER}${'x'.repeat(LIMITS.maxUseCaseCodePoints)}` },
      { ...GOOD_BODY, useCase: 'ก'.repeat(LIMITS.maxUseCaseCodePoints + 1) },
      { ...GOOD_BODY, useCase: '字'.repeat(LIMITS.maxUseCaseCodePoints + 1) },
      { ...GOOD_BODY, useCase: '😀'.repeat(LIMITS.maxUseCaseCodePoints + 1) },
      { ...GOOD_BODY, useCase: `${ECHO_MARKER}\ud800` },
      { ...GOOD_BODY, useCase: '\ude00\ud83d' },
    ),
  },
  {
    code: 'INVALID_LOCALE',
    status: 400,
    title: 'an unlisted locale is 400',
    refused: bodies(
      { ...GOOD_BODY, locale: ECHO_MARKER },
      { ...GOOD_BODY, locale: '' },
      { ...GOOD_BODY, locale: null },
      { ...GOOD_BODY, locale: ['en'] },
      { ...GOOD_BODY, locale: 'zh' },
      { ...GOOD_BODY, locale: 'zh-cn' },
      { ...GOOD_BODY, locale: ' en' },
      { ...GOOD_BODY, locale: 'en-US' },
    ),
  },
  {
    code: 'CHALLENGE_REQUIRED',
    status: 400,
    title: 'a registration without a challenge token is 400',
    refused: bodies(
      { email: `${ECHO_MARKER}@example.org`, consent: true },
      { ...GOOD_BODY, challengeToken: '' },
      { ...GOOD_BODY, challengeToken: null },
      { ...GOOD_BODY, challengeToken: false },
      { ...GOOD_BODY, challengeToken: [ECHO_MARKER] },
      { ...GOOD_BODY, challengeToken: { token: ECHO_MARKER } },
    ),
  },
  {
    code: 'CHALLENGE_FAILED',
    status: 403,
    title: 'a failed challenge is 403',
    refused: bodies(
      { ...GOOD_BODY, challengeToken: ECHO_MARKER },
      { ...GOOD_BODY, challengeToken: 'Test-Pass' },
      { ...GOOD_BODY, challengeToken: ' test-pass' },
      { ...GOOD_BODY, challengeToken: 'test-pass\n' },
      { ...GOOD_BODY, challengeToken: '\ud800' },
      { ...GOOD_BODY, challengeToken: 'x'.repeat(8000) },
    ),
  },
]

for (const { title, refused, ...row } of REFUSED) {
  test(`${row.code}: ${title}`, async (t) => {
    const app = await runRegisteringApp(t)
    for (const each of refused) {
      await assertRegistrationError(app, each, { ...row, retryable: false })
    }
    assert.deepEqual(await app.entries(), [])
  })
}

test('DUPLICATE: a known address is 200 with the error envelope', async (t) => {
  const app = await runRegisteringApp(t)
  const first = await app.register({ ...GOOD_BODY, email: 'reader@bücher.example' })
  assert.equal(first.status, 200)
  const kept = await app.entries()
  assert.equal(kept.length, 1)
  for (const body of [
    { ...GOOD_BODY, email: 'reader@bücher.example' },
    { ...GOOD_BODY, email: ' READER@BÜCHER.example ' },
    { ...GOOD_BODY, email: 'reader@xn--bcher-kva.example' },
    { ...GOOD_BODY, email: 'reader@bücher.example', locale: 'th', useCase: ECHO_MARKER },
  ]) {
    await assertRegistrationError(
      app,
      { body: JSON.stringify(body) },
      { code: 'DUPLICATE', status: 200, retryable: false },
    )
  }
  assert.deepEqual(await app.entries(), kept)
})

const TRIGGER = {
  method: 'POST',
  target: REGISTER,
  headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '192.0.2.1' },
  body: GOOD,
} as const

test('RATE_LIMITED: 429 with Retry-After for a request of one actor beyond its limit within a minute', async (t) => {
  const app = await runRegisteringApp(t)
  for (let count = 0; count < LIMITS.registrationPerActor.requests; count += 1) {
    await app.register({}, { 'X-Forwarded-For': '192.0.2.1' })
  }
  for (const [laterMs, retryAfterSeconds] of [
    [0, 60],
    [1, 60],
    [999, 59],
    [42_000, 17],
    [16_999, 1],
  ] as const) {
    app.clock.ms += laterMs
    await assertCatalogError(app, TRIGGER, {
      code: 'RATE_LIMITED',
      status: 429,
      retryable: true,
      retryAfterSeconds,
      cors: false,
    })
  }
  app.clock.ms += 1
  const response = await app.register(GOOD_BODY, { 'X-Forwarded-For': '192.0.2.1' })
  assert.equal(response.status, 200)
})

test('RATE_LIMITED: Retry-After is a whole window if the remaining time is unknown', async (t) => {
  const register = () => {
    throw new ApiError('RATE_LIMITED')
  }
  const app = await runApp(t, { extraHandlers: { register } })
  await assertCatalogError(app, TRIGGER, {
    code: 'RATE_LIMITED',
    status: 429,
    retryable: true,
    retryAfterSeconds: 60,
    cors: false,
  })
})

const UNAVAILABLE = { code: 'REGISTRATION_UNAVAILABLE', status: 503, retryable: true } as const
const BODY = JSON.stringify({ ...GOOD_BODY, email: `${ECHO_MARKER}@example.org` })

test('REGISTRATION_UNAVAILABLE: a failing store is 503', async (t) => {
  const failed: readonly unknown[] = [
    ...Object.keys(STORAGE_FAILURES).map(
      (code) => new StorageError(code as StorageFailure, 'service.sqlite'),
    ),
    new Error('an unexpected error'),
  ]
  let failures = 0
  let error: unknown
  const app = await runRegisteringApp(t, {
    store: (storage) => ({
      ...storage,
      waitlist: {
        ...storage.waitlist,
        add() {
          failures += 1
          return Promise.reject(error)
        },
      },
    }),
  })
  for (error of failed) {
    await assertRegistrationError(app, { body: BODY }, UNAVAILABLE)
  }
  assert.equal(failures, failed.length)
  assert.deepEqual(await app.entries(), [])
})

test('REGISTRATION_UNAVAILABLE: 503 if the challenge cannot be verified', async (t) => {
  const app = await runRegisteringApp(t, {
    challenge: () => ({
      ...UNSOLVABLE_CHALLENGE,
      verify: () => Promise.reject(new ChallengeUnavailableError('the provider gave no response')),
    }),
  })
  await assertRegistrationError(app, { body: BODY }, UNAVAILABLE)
  assert.deepEqual(await app.entries(), [])
})

test('REGISTRATION_UNAVAILABLE: 503 without a store', async (t) => {
  const app = await runRegisteringApp(t, { parts: { waitlist: createUnavailableWaitlist() } })
  for (const body of [BODY, '{}', '{', '[]', '']) {
    await assertRegistrationError(app, { body }, UNAVAILABLE)
  }
})
