import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FetchedResponse } from '@public-api/client-internal/connection'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { TEST_NOW_MS } from '../support/running-app.ts'
import { appResponse, fakeResponse, isStatus, scripted, type Sent } from './scripted-client.ts'

const OLD_MS = 1_000_000
const isFresh = ({ target }: Sent) => target.includes('fresh=')

/** Gives the plain address what a cache kept too long. */
const oldUnless =
  (other: (sent: Sent) => FetchedResponse | undefined) =>
  (sent: Sent): Promise<FetchedResponse> | FetchedResponse | undefined => {
    if (!isStatus(sent)) return undefined
    return isFresh(sent) ? other(sent) : appResponse({ ...sent, headers: {} }, TEST_NOW_MS - OLD_MS)
  }

test('what a cache kept too long is read again once, past every cache, and the result says so', async () => {
  const { client, sent } = scripted(oldUnless(() => undefined))
  for (let count = 1; count <= 2; count += 1) {
    const { ageSeconds, source, warnings } = await client.status()
    assert.deepEqual([ageSeconds, source], [0, 'origin'])
    assert.match(warnings.join(), /^REFETCHED: .*\/api\/v1\/status/)
    assert.equal(sent.filter(isStatus).length, 2 * count)
  }
})

test('a clock that is wrong, an outage and a forgery are not hidden', async () => {
  const old = (sent: Sent) => appResponse(sent, TEST_NOW_MS - OLD_MS)
  const always = scripted((sent) => (isStatus(sent) ? old(sent) : undefined))
  await assert.rejects(always.client.status(), { code: 'STALE' })
  assert.equal(always.sent.filter(isStatus).length, 2)
  const away = scripted(oldUnless(() => fakeResponse(502, {})))
  await assert.rejects(away.client.status(), { code: 'STALE' })
  const forged = {
    'content-digest': 'sha-256=:AA==:',
    'x-svc-signed-at': 'x',
    'x-svc-signature': 'x',
  }
  const lying = scripted(oldUnless(() => fakeResponse(200, forged, '{}')))
  await assert.rejects(lying.client.status(), { code: 'DIGEST' })
})

test('a read that is fresh already is not repeated', async () => {
  const { client, sent } = scripted((one) =>
    isStatus(one) ? appResponse(one, TEST_NOW_MS - OLD_MS) : undefined,
  )
  await assert.rejects(client.get(READ_PATHS.status, { fresh: true }), { code: 'STALE' })
  assert.equal(sent.filter(isStatus).length, 1)
})
