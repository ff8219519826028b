import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import { createAppComposer } from '../../src/app.ts'
import type { App } from '../../src/http/api-request.ts'
import { createListener, listen, stopListening } from '../../src/http/connection/listener.ts'
import { readUpdate } from '../../src/service/releases/read-releases.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { UNVERIFIED_TIME } from '../../src/service/time/time-quality.ts'
import { madeSequence, makeReleases } from '../support/made-releases.ts'
import { testSigning } from '../support/running-app.ts'
import {
  createUnavailableApiKeys,
  createUnavailableWaitlist,
} from '../support/unavailable-service.ts'
import { UNSOLVABLE_CHALLENGE } from '../support/unsolvable-challenge.ts'

const CLIENTS = 8
const LOG = { debug() {}, info() {}, warn() {}, error() {} }

interface History {
  readonly count: number
  readonly head: { readonly snapshotId: string; readonly hash: string }
  readonly entries: readonly { readonly snapshotId: string; readonly hash: string }[]
}

/** Fetches a path, and asserts that body, digest and entity tag belong together. */
async function readChecked(origin: string, path: string): Promise<unknown> {
  const response = await fetch(`${origin}${path}`)
  assert.equal(response.status, 200, path)
  const bytes = Buffer.from(await response.arrayBuffer())
  const digest = createHash('sha256').update(bytes).digest('base64')
  assert.equal(response.headers.get('content-digest'), `sha-256=:${digest}:`)
  const { data } = JSON.parse(bytes.toString()) as { data: JsonValue }
  const hash = createHash('sha256').update(canonicalJson(data)).digest('base64url')
  assert.equal(response.headers.get('etag'), `W/"${hash}"`)
  return data
}

/** What a client reads over and over: every response is of one release, and none is older than the one before. */
async function readForever(origin: string, isDone: () => boolean): Promise<number> {
  let newest = 0
  let requests = 0
  while (!isDone() || newest === 0) {
    const history = (await readChecked(origin, '/api/v1/versions')) as History
    assert.deepEqual(
      [history.entries.length, history.entries[0]?.snapshotId, history.entries[0]?.hash],
      [history.count, history.head.snapshotId, history.head.hash],
    )
    assert.ok(history.count >= newest, 'a release is never taken back')
    newest = history.count
    const { summary } = (await readChecked(origin, '/api/v1/status')) as { summary: string }
    const made = madeSequence(summary)
    assert.ok(made >= newest, 'the status is not older than the history before it')
    const page = await fetch(`${origin}/en/history`)
    assert.equal(page.status, 200)
    const text = await page.text()
    const shown = [...text.matchAll(/VS-(\d{4,})/g)].map(([, digits]) => Number(digits))
    assert.ok(Math.max(...shown) >= made, 'the page is not older than the status before it')
    requests += 3
  }
  return requests
}

/** Swaps releases under load in this process. */
export function testSwaps(count: number): void {
  test(`${count} swaps under load: no response fails or mixes two releases`, async (t) => {
    const { store, versions } = makeReleases(count + 1)
    const first = JSON.parse(versions.get('VS-0001') ?? '') as { hash: string }
    let published = 1
    const growing = {
      ...store,
      readVersionIds: () => store.readVersionIds().slice(0, published),
    }
    const signing = testSigning()
    let releases = loadReleases(growing, { snapshotId: 'VS-0001', hash: first.hash })
    const compose = createAppComposer({
      runtime: 'local',
      deployment: 'primary',
      baseUrl: 'http://127.0.0.1:8080',
      apiKeys: createUnavailableApiKeys(),
      timeQuality: UNVERIFIED_TIME,
      waitlist: createUnavailableWaitlist(),
      challenge: UNSOLVABLE_CHALLENGE,
      trustedProxies: [],
      clock: { nowMs: () => Date.now() },
      newRequestId: () => randomUUID(),
      log: LOG,
    })
    let app: App = compose({ releases, signing })
    const server = createListener((request) => app(request), { noIndex: false, log: LOG })
    const port = await listen(server, 0, '127.0.0.1')
    t.after(() => stopListening(server, 0))

    let isDone = false
    const clients = Array.from({ length: CLIENTS }, () =>
      readForever(`http://127.0.0.1:${port}`, () => isDone),
    )
    for (let swap = 0; swap < count; swap += 1) {
      published += 1
      const update = readUpdate(growing, releases.served)
      assert.equal(update?.versionTexts.length, 1)
      releases = releases.extend(update)
      app = compose({ releases, signing })
      await new Promise((resolve) => setImmediate(resolve))
    }
    isDone = true
    const requests = (await Promise.all(clients)).reduce((sum, each) => sum + each, 0)
    assert.ok(requests >= 3 * CLIENTS, `${requests} requests`)
    assert.equal(releases.served.head.sequence, count + 1)
  })
}
