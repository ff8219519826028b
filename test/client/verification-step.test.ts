import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { decodeBase64 } from '@public-api/client-internal/base64'
import { verifyKeyDocument } from '@public-api/client-internal/signing-keys'
import { startSteps } from '@public-api/client-internal/step-run'
import { VerificationError } from '@public-api/client-internal/verification-error'
import { importKey } from '@public-api/client-internal/verification-key'
import {
  stepsOfStatus,
  VERIFICATION_STEPS,
  type StepReport,
} from '@public-api/client-internal/verification-step'
import { verifyInSteps } from '@public-api/client-internal/verify-response'
import type { Vector } from '../support/vector.ts'
import { OTHER_TEST_SIGNING_KEY, TEST_SIGNING_KEY } from '../vectors/signing-key.ts'
import { askApp, ASKED_MS, fieldOf, verificationKeyOf } from './requested-responses.ts'

const key = await verificationKeyOf(TEST_SIGNING_KEY)
const otherKey = await verificationKeyOf(OTHER_TEST_SIGNING_KEY)
const keys = () => [key]
const nowMs = ASKED_MS + 5000

type Checked = Parameters<typeof verifyInSteps>[0]

/** The report of a check, and the code of its failure. */
async function reportOf(response: Checked) {
  try {
    const { steps, verified } = await verifyInSteps(response)
    return { steps, code: verified === undefined ? undefined : 'ok' }
  } catch (error) {
    assert.ok(error instanceof VerificationError)
    return { steps: error.steps ?? [], code: error.code }
  }
}

/** The values of the failed step. */
async function failureOf(response: Checked) {
  const { steps, code } = await reportOf(response)
  const { step, expected, found } = steps.find(({ outcome }) => outcome === 'failed') ?? {}
  return { code, step, expected, found }
}

/** A report passes from its first step on, has one failed step unless all passed, and leaves the rest unchecked. */
function assertFailsClosed(steps: readonly StepReport[], status: number, isOk: boolean): void {
  assert.deepEqual(
    steps.map(({ step }) => step),
    stepsOfStatus(status),
  )
  const outcomes = steps.map(({ outcome }) => outcome)
  if (isOk) {
    assert.deepEqual(new Set(outcomes), new Set(['ok']))
    return
  }
  assert.match(outcomes.join(' '), /^(ok )*(unchecked )*failed( unchecked)*$/)
}

const VECTORS = new URL('../vectors/', import.meta.url)
const vectors = readdirSync(VECTORS)
  .filter((file) => file.endsWith('.json'))
  .map(
    (file) => [file, JSON.parse(readFileSync(new URL(file, VECTORS), 'utf8')) as Vector] as const,
  )
  .filter(([, vector]) => 'request' in vector)

describe('the report of every vector', () => {
  assert.ok(vectors.length > 50)
  for (const [file, vector] of vectors) {
    test(file, async () => {
      const { request, response, revalidation, pinnedKeyId, maxAgeSeconds } = vector
      const ifNoneMatch = request.headers.find(([name]) => name === 'If-None-Match')?.[1]
      const { steps, code } = await reportOf({
        method: request.method,
        target: request.target,
        ...(ifNoneMatch === undefined ? {} : { ifNoneMatch }),
        status: response.status,
        headers: response.headers,
        body: decodeBase64(response.bodyBase64 ?? ''),
        keys: async () => [await importKey(vector.publicKey)],
        pinnedKeyIds: [pinnedKeyId],
        maxAgeSeconds,
        nowMs: Date.parse(vector.now),
        ...(revalidation === undefined ? {} : { revalidated: revalidation.headers }),
      })
      const expected = code === 'KEY_MALFORMED' ? 'UNKNOWN_KEY' : code
      assert.equal(expected, vector.expected)
      assertFailsClosed(steps, response.status, code === 'ok')
    })
  }
})

describe('what each step compares', () => {
  test('in a response that passes', async () => {
    const response = await askApp()
    const { requestId } = JSON.parse(Buffer.from(response.body).toString()) as {
      readonly requestId: string
    }
    const { verified, steps } = await verifyInSteps({ ...response, keys, nowMs })
    const signedAt = fieldOf(response, 'X-SVC-Signed-At')
    const digest = /:(.*):/.exec(fieldOf(response, 'Content-Digest') ?? '')?.[1]
    const headers = ['Content-Digest', 'X-SVC-Signed-At', 'X-SVC-Signature']
    assert.deepEqual(
      steps.map(({ step, expected, found }) => [step, expected, found]),
      [
        ['keys', [], [key.keyId]],
        ['proof', headers, headers],
        ['digest', [digest], [digest]],
        ['signature', [key.keyId], [key.keyId]],
        ['key', [key.keyId], [key.keyId]],
        ['freshness', ['900'], [signedAt]],
        ['body', [], []],
        ['etag', [verified.etag], [fieldOf(response, 'ETag')]],
        ['requestId', [requestId], [requestId]],
      ],
    )
  })

  test('in a 304', async () => {
    const { etag } = (await verifyInSteps({ ...(await askApp()), keys, nowMs })).verified
    const ifNoneMatch = `"other", ${etag}`
    const response = await askApp({ headers: [['If-None-Match', ifNoneMatch]] })
    const { steps } = await verifyInSteps({ ...response, ifNoneMatch, keys, nowMs })
    const [renewedAt] = fieldOf(response, 'X-SVC-Revalidated')?.split('; ') ?? []
    assert.deepEqual(
      steps.map(({ step, expected, found }) => [step, expected, found]),
      [
        ['keys', [], [key.keyId]],
        ['proof', ['X-SVC-Revalidated'], ['X-SVC-Revalidated']],
        ['signature', [key.keyId], [key.keyId]],
        ['key', [key.keyId], [key.keyId]],
        ['freshness', ['900'], [renewedAt]],
        ['etag', [ifNoneMatch], [etag]],
      ],
    )
  })

  test('a renewal by a later 304', async () => {
    const laterMs = ASKED_MS + 3_600_000
    const later = await askApp({ headers: [['If-None-Match', '*']], atMs: laterMs })
    const response = { ...(await askApp()), revalidated: later.headers, keys, nowMs: laterMs }
    const { steps } = await verifyInSteps(response)
    const times = [ASKED_MS, laterMs].map((ms) => new Date(ms).toISOString())
    assert.deepEqual(steps.find(({ step }) => step === 'freshness')?.found, times)

    const foreign = await askApp({
      headers: [['If-None-Match', '*']],
      atMs: laterMs,
      signingKey: OTHER_TEST_SIGNING_KEY,
    })
    const renewed = { ...response, revalidated: foreign.headers }
    assert.deepEqual(await failureOf(renewed), {
      code: 'REVALIDATION',
      step: 'freshness',
      expected: [key.keyId],
      found: [fieldOf(foreign, 'X-SVC-Revalidated')?.split('; ')[1]],
    })
    const pinned = { ...renewed, keys: () => [key, otherKey], pinnedKeyIds: [key.keyId] }
    assert.deepEqual(await failureOf(pinned), {
      code: 'UNKNOWN_KEY',
      step: 'freshness',
      expected: [key.keyId],
      found: [otherKey.keyId],
    })
  })

  test('the time of a signature that a key did not make in its period', async () => {
    const retired = await verificationKeyOf(TEST_SIGNING_KEY, { notAfter: '2020-01-01T00:00:00Z' })
    const response = { ...(await askApp()), keys: () => [retired], nowMs }
    const signedAt = new Date(ASKED_MS).toISOString()
    assert.deepEqual(await failureOf(response), {
      code: 'KEY_PERIOD',
      step: 'key',
      expected: [key.keyId],
      found: [signedAt],
    })
    // The period cannot be compared with a time that is not accepted itself.
    const { steps } = await reportOf({ ...response, nowMs: ASKED_MS - 61_000 })
    assert.deepEqual(
      steps.slice(3, 6).map(({ step, outcome }) => [step, outcome]),
      [
        ['signature', 'ok'],
        ['key', 'unchecked'],
        ['freshness', 'failed'],
      ],
    )
  })
})

describe('the first step', () => {
  test('fails like the key document, and shows what failed there', async () => {
    const document = await askApp({ target: '/api/v1/keys/signing-key' })
    const keysOf = (changes: object) => async () =>
      (await verifyKeyDocument({ ...document, pinnedKeyIds: [otherKey.keyId], nowMs, ...changes }))
        .keys
    const response = { ...(await askApp()), nowMs }
    assert.deepEqual(await failureOf({ ...response, keys: keysOf({}) }), {
      code: 'UNKNOWN_KEY',
      step: 'keys',
      expected: [otherKey.keyId],
      found: [key.keyId],
    })
    const stale = { pinnedKeyIds: undefined, nowMs: ASKED_MS + 901_000 }
    const { steps, code } = await reportOf({ ...response, keys: keysOf(stale) })
    assert.equal(code, 'STALE')
    assertFailsClosed(steps, 200, false)
    await assert.rejects(verifyInSteps({ ...response, keys: keysOf(stale) }), (error) => {
      assert.equal((error as VerificationError).response?.target, '/api/v1/keys/signing-key')
      return true
    })
  })

  test('passes other errors on', async () => {
    const failed = () => Promise.reject(new RangeError('no connection'))
    await assert.rejects(verifyInSteps({ ...(await askApp()), keys: failed, nowMs }), RangeError)
  })
})

describe('a run of steps', () => {
  test('ends only after every step, once and in order', () => {
    const passing = (names: readonly (typeof VERIFICATION_STEPS)[number][]) => {
      const run = startSteps(200)
      for (const name of names) run.pass(name, [], [])
      return run
    }
    assert.equal(passing(VERIFICATION_STEPS).end().length, VERIFICATION_STEPS.length)
    for (const [index, name] of VERIFICATION_STEPS.entries()) {
      const without = VERIFICATION_STEPS.toSpliced(index, 1)
      assert.throws(() => passing(without).end(), /left out/, name)
      assert.throws(() => passing(VERIFICATION_STEPS.toSpliced(index, 0, name)).end(), /left out/)
    }
    assert.throws(() => passing(VERIFICATION_STEPS.toReversed()).end(), /left out/)
    assert.throws(() => startSteps(304).end(), /left out/)
  })

  test('compares the values in its message unless it has another', () => {
    const run = startSteps(200)
    const require: typeof run.require = run.require
    assert.throws(() => require('etag', false, 'ETAG', ['a', 'b'], []), {
      message: 'ETAG: expected a, b, found none',
    })
    assert.throws(() => require('etag', false, 'ETAG', [], [], 'other'), { message: 'ETAG: other' })
  })
})
