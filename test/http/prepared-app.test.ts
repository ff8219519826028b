import assert from 'node:assert/strict'
import { test } from 'node:test'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { createAppComposer } from '../../src/app.ts'
import { bytesOfBody } from '../../src/http/api-request.ts'
import { ABSENT_SERVICES } from '../../src/service/absent/absent-services.ts'
import { publishedReleases } from '../support/published-releases.ts'

test('what an app prepares in turns of the event loop is what a request would make', async () => {
  const documentOf = async (isPrepared: boolean) => {
    const app = createAppComposer({
      ...ABSENT_SERVICES,
      runtime: 'production',
      deployment: 'primary',
      baseUrl: 'https://api.example.org',
      clock: { nowMs: () => 0 },
      log: { debug() {}, info() {}, warn() {}, error() {} },
    })({ releases: publishedReleases(), signing: undefined })
    if (isPrepared) {
      let turns = 0
      const count = setImmediate(function next() {
        turns += 1
        setImmediate(next).unref()
      })
      await app.prepare()
      clearImmediate(count)
      assert.ok(turns >= 4, `${turns} turns`)
    }
    const { status, body = '' } = await app({
      method: 'GET',
      target: READ_PATHS.openapi,
      path: READ_PATHS.openapi,
      header: () => undefined,
      peerAddress: () => '127.0.0.1',
      readBody: async () => new Uint8Array(),
    })
    assert.equal(status, 200)
    return JSON.parse(bytesOfBody(body).toString()) as unknown
  }
  assert.deepEqual(await documentOf(true), await documentOf(false))
})
