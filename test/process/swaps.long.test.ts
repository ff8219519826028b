import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { makeDeployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { makeReleases } from '../support/made-releases.ts'
import { startService } from '../support/service-process.ts'
import { testSwaps } from './swaps-behavior.ts'

const SWAPS = 200
const CLIENTS = 4

testSwaps(1000)

interface History {
  readonly count: number
  readonly head: { readonly snapshotId: string }
  readonly entries: readonly { readonly snapshotId: string }[]
}

test(`two workers load ${SWAPS} releases under load: no request fails`, async (t) => {
  const { folder, releasesDir } = makeDeployment(t)
  const service = startService(t, folder, { SVC_WORKERS: '2', SVC_RELEASE_POLL_SECONDS: '0' })
  const { origin } = await service.serving()
  const { versions, resources } = makeReleases(SWAPS + 2)
  const store = openReleaseStore(releasesDir)

  const done = new AbortController()
  let requests = 0
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!done.signal.aborted) {
      for (const path of ['/api/v1/versions', '/api/v1/status', '/en/history']) {
        const response = await fetch(`${origin}${path}`)
        assert.equal(response.status, 200, path)
        const bytes = Buffer.from(await response.arrayBuffer())
        requests += 1
        if (path === '/en/history') continue
        const digest = createHash('sha256').update(bytes).digest('base64')
        assert.equal(response.headers.get('content-digest'), `sha-256=:${digest}:`)
        if (path !== '/api/v1/versions') continue
        const { data } = JSON.parse(bytes.toString()) as { data: History }
        assert.equal(data.entries.length, data.count)
        assert.equal(data.entries[0]?.snapshotId, data.head.snapshotId)
      }
    }
  })
  // A failed client must end the test, and not be noticed after a thousand releases.
  let failure: unknown
  const all = Promise.all(clients).catch((error: unknown) => {
    failure = error
  })
  for (const [file, text] of resources) {
    const [name = '', digest = ''] = file.split(' ')
    store.writeResource(name, digest, text)
  }
  for (const [snapshotId, text] of [...versions].slice(2)) {
    store.appendVersion(snapshotId, text)
    service.signal('SIGHUP')
    await eventually(`both workers serve ${snapshotId}`, () => {
      if (failure !== undefined) throw failure
      const serving = service.stdout().split(`"msg":"Serving release ${snapshotId}"`)
      return serving.length === 3 ? true : undefined
    })
  }
  done.abort()
  await all
  assert.equal(failure, undefined)
  assert.ok(requests > SWAPS, `${requests} requests`)
  assert.deepEqual(await service.stop(), { code: 0, signal: null })
})
