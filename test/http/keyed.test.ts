import assert from 'node:assert/strict'
import { test } from 'node:test'
import { presentedKey } from '../../src/http/authenticate.ts'
import { createFakeApiKeys, FAKE_KEYS } from '../support/fake-api-keys.ts'
import { ask } from '../support/received-response.ts'
import { runApp } from '../support/running-app.ts'

const withKey = (key: string) => ({ headers: { 'X-SVC-Key': key } })

test('the ETag and Vary are the same for everyone', async (t) => {
  const app = await runApp(t, { apiKeys: createFakeApiKeys() })
  const responses = [
    await ask(app, '/api/v1/status'),
    await ask(app, '/api/v1/status', withKey(FAKE_KEYS.good)),
    await ask(app, '/api/v1/status', withKey(FAKE_KEYS.other)),
  ]
  const [etag] = responses.map((response) => response.header('etag'))
  for (const response of responses) {
    assert.equal(response.header('etag'), etag)
    assert.equal(response.header('vary'), 'Authorization, X-SVC-Key, Accept-Signature')
  }
  const keyed = { headers: { 'X-SVC-Key': FAKE_KEYS.other, 'If-None-Match': etag ?? '' } }
  assert.equal((await ask(app, '/api/v1/status', keyed)).status, 304)
})

test('parses a header of the maximum length in one pass', () => {
  const length = 15_800
  const fill = (part: string) => part.repeat(Math.floor(length / part.length))
  const cases: readonly (readonly [value: string, key: string | undefined])[] = [
    [fill('bearer,'), undefined],
    [fill(',\t'), undefined],
    [fill('"'), undefined],
    [fill('\\"'), undefined],
    [`"${fill('\\"')}`, undefined],
    [`"${fill('\\')}`, undefined],
    [`,${fill(' ')}`, undefined],
    [`${fill('"bearer k" ,')} bearer k`, 'k'],
    [`bearer${fill('\t')}x`, 'x'],
    [`bearer x${fill('\t')}x`, `x${fill('\t')}x`],
    [`bearer x${fill(' \t')}`, 'x'],
  ]
  for (const [authorization, key] of cases) {
    const found = presentedKey({
      method: 'GET',
      target: '/',
      path: '/',
      header: (name) => (name === 'authorization' ? authorization : undefined),
      peerAddress: () => '127.0.0.1',
      readBody: () => Promise.resolve(new Uint8Array()),
    })
    assert.equal(found, key, authorization.slice(0, 12))
  }
})
