import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createClient } from '@public-api/client-internal/client'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { runApp, TEST_NOW_MS, testSigning } from '../support/running-app.ts'
import { OTHER_TEST_SIGNING_KEY } from '../vectors/signing-key.ts'
import { verificationKeyOf } from './requested-responses.ts'
import {
  appResponse,
  BASE_URL,
  isStatus,
  key,
  fakeResponse,
  scripted,
  type Script,
  type Sent,
} from './scripted-client.ts'

const otherKey = await verificationKeyOf(OTHER_TEST_SIGNING_KEY)

describe('keys', () => {
  const isKeys = ({ target }: Sent) => target.startsWith(READ_PATHS.signingKey)

  test('are loaded once for concurrent reads', async () => {
    const { client, sent } = scripted()
    await Promise.all([client.status(), client.time(), client.policy(), client.roadmap()])
    assert.equal(sent.filter(isKeys).length, 1)
    assert.deepEqual(
      (await client.keys()).map(({ keyId }) => keyId),
      [key.keyId],
    )
  })

  test('the next read retries a failed load', async () => {
    const { client } = scripted((sent, count) =>
      isKeys(sent) && count === 0 ? fakeResponse(404, {}) : undefined,
    )
    await assert.rejects(client.status(), { code: 'UNSIGNED' })
    await client.status()
  })

  const rotated: Script = (sent, count) =>
    (isKeys(sent) && count === 0) || isStatusBefore(sent, count)
      ? undefined
      : appResponse(sent, TEST_NOW_MS, { signingKey: OTHER_TEST_SIGNING_KEY })

  function isStatusBefore(sent: Sent, count: number): boolean {
    return isStatus(sent) && count === 0
  }

  test('accepts a new pinned key from an uncached document', async () => {
    const { client, sent } = scripted(rotated, { pinnedKeyIds: [key.keyId, otherKey.keyId] })
    assert.equal((await client.status()).keyId, key.keyId)
    assert.equal((await client.time()).keyId, otherKey.keyId)
    assert.equal((await client.policy()).keyId, otherKey.keyId)
    const [first = '', second = '', ...more] = sent.filter(isKeys).map(({ target }) => target)
    assert.equal(first, READ_PATHS.signingKey)
    assert.match(second, /\?fresh=/)
    assert.deepEqual(more, [])
  })

  test('a new key that is not pinned is refused', async () => {
    const { client } = scripted(rotated)
    await client.status()
    await assert.rejects(client.time(), { code: 'UNKNOWN_KEY' })
  })

  test('bypasses a cache with an outdated key document, also at first', async () => {
    const { client, sent } = scripted(rotated, { pinnedKeyIds: [otherKey.keyId] })
    assert.equal((await client.time()).keyId, otherKey.keyId)
    assert.equal(sent.filter(isKeys).length, 2)
  })

  test('accepts an extended key period', async (t) => {
    let nowMs = TEST_NOW_MS
    const origins = await Promise.all(
      [60_000, 7_200_000].map(async (periodMs) => {
        const notAfter = new Date(TEST_NOW_MS + periodMs).toISOString()
        const keys = testSigning().keys.map((each) => ({ ...each, notAfter }))
        const signing = { ...testSigning(), keys }
        return (await runApp(t, { signing, clock: { nowMs: () => nowMs } })).origin
      }),
    )
    const client = createClient({
      baseUrl: BASE_URL,
      pinnedKeyIds: [key.keyId],
      now: () => nowMs,
      fetch: (url, init) =>
        fetch(`${origins[nowMs === TEST_NOW_MS ? 0 : 1]}${url.slice(BASE_URL.length)}`, init),
    })
    await client.status()
    nowMs += 3_600_000
    assert.equal((await client.time()).keyId, key.keyId)
  })

  test('without pins, the first keys stay trusted', async () => {
    const sent: Sent[] = []
    const client = createClient({
      baseUrl: BASE_URL,
      now: () => TEST_NOW_MS,
      fetch: async (url, { headers }) => {
        const one = { target: url.slice(BASE_URL.length), headers }
        const count = sent.filter(
          ({ target }) => target.split('?')[0] === one.target.split('?')[0],
        ).length
        sent.push(one)
        return (await rotated(one, count)) ?? appResponse(one, TEST_NOW_MS)
      },
    })
    assert.equal((await client.status()).keyId, key.keyId)
    await assert.rejects(client.time(), { code: 'UNKNOWN_KEY' })
  })

  test('without pins, a key that was announced takes over', async (t) => {
    const [own] = testSigning().keys
    const next = testSigning(OTHER_TEST_SIGNING_KEY)
    const [announced] = next.keys
    assert.ok(own && announced)
    const before = await runApp(t, {
      signing: { ...testSigning(), keys: [own, { ...announced, status: 'next' }] },
    })
    const after = await runApp(t, {
      signing: { ...next, keys: [announced, { ...own, status: 'retired' }] },
    })
    let origin = before.origin
    const client = createClient({
      baseUrl: BASE_URL,
      now: () => TEST_NOW_MS,
      fetch: (url, init) => fetch(origin + url.slice(BASE_URL.length), init),
    })
    assert.equal((await client.status()).keyId, key.keyId)
    origin = after.origin
    assert.equal((await client.time()).keyId, otherKey.keyId)
  })

  test('without pins, a key that is announced later takes over, as the document is loaded each day', async (t) => {
    let nowMs = TEST_NOW_MS
    const [own] = testSigning().keys
    const next = testSigning(OTHER_TEST_SIGNING_KEY)
    const [announced] = next.keys
    assert.ok(own && announced)
    const stages = [
      testSigning(),
      { ...testSigning(), keys: [own, { ...announced, status: 'next' as const }] },
      { ...next, keys: [announced, { ...own, status: 'retired' as const }] },
    ]
    const apps = await Promise.all(
      stages.map((signing) => runApp(t, { signing, clock: { nowMs: () => nowMs } })),
    )
    let origin = ''
    let isDocumentAway = false
    const client = createClient({
      baseUrl: BASE_URL,
      now: () => nowMs,
      maxRetries: 0,
      fetch: (url, init) => {
        if (isDocumentAway && url.includes(READ_PATHS.signingKey)) throw new Error('away')
        return fetch(origin + url.slice(BASE_URL.length), init)
      },
    })
    const signers = []
    for (const app of apps) {
      origin = app.origin
      signers.push((await client.time()).keyId)
      nowMs += 25 * 3_600_000
    }
    isDocumentAway = true
    signers.push((await client.time()).keyId)
    assert.deepEqual(signers, [key.keyId, key.keyId, otherKey.keyId, otherKey.keyId])
  })

  test('reloads the document once for a tampered response, then refuses it', async () => {
    const { client, sent } = scripted(async (one) => {
      if (!isStatus(one)) return undefined
      const good = await appResponse(one, TEST_NOW_MS)
      const headers = new Map(good.headers as Iterable<readonly [string, string]>)
      headers.set('X-SVC-Signed-At', '2026-11-21T09:00:00.124Z')
      return { ...good, headers }
    })
    await assert.rejects(client.status(), { code: 'SIGNATURE' })
    assert.equal(sent.filter(isKeys).length, 2)
  })
})
