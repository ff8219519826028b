import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createClient } from '@public-api/client-internal/client'
import { auditHistory } from '@public-api/client-internal/history/audit-history'
import type { HeadStore, SavedHead } from '@public-api/client-internal/history/head-store'
import type { VerifiedResponse } from '@public-api/client-internal/verify-response'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { key } from '../client/scripted-client.ts'
import { FAKE_KEYS } from '../support/fake-api-keys.ts'
import { dated, runFrontedService, type FrontedService } from '../support/fronted-service.ts'
import { madeSequence } from '../support/made-releases.ts'
import { TEST_BASE_URL, TEST_NOW_MS } from '../support/running-app.ts'
import { createSeededRandom } from '../support/seeded-random.ts'
import { ASKED, stockVerdict } from '../support/stock-verifiers.ts'
import {
  askCache,
  cacheRoundTrip,
  judge,
  mergedResponse,
  type Asked,
  type CachedResponse,
} from './cache-reader.ts'
import type { StartCache } from './cache-starter.ts'
import { createSimulatedClock, type SimulatedClock } from './simulated-clock.ts'

/** A cache, a service behind it, and one clock for both. */
export interface CacheRig {
  readonly port: number
  /** Of several caches in a row, all their ports, the reader's first. */
  readonly ports: readonly number[]
  readonly clock: SimulatedClock
  readonly service: FrontedService
  ask(target: string, asked?: Asked): Promise<CachedResponse>
  /** The verdict on a response, now. */
  judge(response: CachedResponse): ReturnType<typeof judge>
  /** Lets what the cache asks for in the background end, and then the time pass. */
  pass(seconds: number): Promise<void>
}

export async function startCacheRig(t: TestContext, startCache: StartCache): Promise<CacheRig> {
  const clock = createSimulatedClock(t, TEST_NOW_MS)
  const service = await runFrontedService(t, { nowMs: clock.nowMs, added: dated(clock.nowMs) })
  const { port, ports = [port] } = await startCache(t, service.port, clock)
  return {
    port,
    ports,
    clock,
    service,
    ask: (target, asked) => askCache(port, target, asked),
    judge: (response) => judge(response, clock.nowMs()),
    async pass(seconds) {
      // A response of the background that the cache reads after the advance would be old and count as new.
      for (const each of ports) await cacheRoundTrip(each)
      await service.quiet()
      for (const each of ports.toReversed()) await cacheRoundTrip(each)
      clock.advance(seconds)
    },
  }
}

/** What an accepted response proves. Fails where it was refused. */
async function proved(rig: CacheRig, response: CachedResponse): Promise<VerifiedResponse> {
  const verdict = await rig.judge(response)
  if (typeof verdict === 'string') {
    assert.fail(`${verdict}: ${response.status} ${JSON.stringify(response.headers)}`)
  }
  return verdict
}

/** Of one response and no other, so that they must not be merged into another one. */
export const SIGNATURE_FIELDS = [
  'content-digest',
  'x-svc-signed-at',
  'x-svc-signature',
  'x-request-id',
]

function assertNoSignature(response: CachedResponse): void {
  for (const name of SIGNATURE_FIELDS) {
    assert.equal(
      response.header(name),
      undefined,
      `${response.method} ${response.status} has ${name}`,
    )
  }
}

const { status: STATUS, roadmap: ROADMAP, time: TIME, openapi: OPENAPI } = READ_PATHS
const ACCEPT_GZIP = { 'Accept-Encoding': 'gzip' }
const FRESH_SECONDS = 60
const STALE_SECONDS = 300
const MAX_AGE_SECONDS = 900
/** What the clock may have run on by itself between two looks at it. */
const SLACK_MS = 5000

export interface CacheSuiteOptions {
  /** Why the cache cannot run here. */
  readonly skip: string | undefined
  /** Whether it serves stored responses for `stale-while-revalidate` seconds while the service is away. */
  readonly servesStale?: boolean
  readonly compresses?: boolean
}

/** The whole suite: one for every cache. */
export function describeCache(
  startCache: StartCache,
  { skip, servesStale = true, compresses = true }: CacheSuiteOptions,
): void {
  const options = { skip }
  const coding = compresses ? 'gzip' : undefined
  test('a stored response is served until it expires, and verifies', options, async (t) => {
    const rig = await startCacheRig(t, startCache)
    const first = await rig.ask(STATUS)
    await rig.pass(FRESH_SECONDS - 10)
    const second = await rig.ask(STATUS, { headers: ACCEPT_GZIP })
    assert.equal(second.header('x-request-id'), first.header('x-request-id'))
    assert.equal(second.header('content-encoding'), coding)
    assert.deepEqual(second.body, first.body)
    await proved(rig, second)
    assert.equal(rig.service.seen.length, 1)
  })

  test(
    'sends Vary: Accept-Encoding to caches behind it, also after a renewal',
    options,
    async (t) => {
      const rig = await startCacheRig(t, startCache)
      for (let renewals = 0; renewals < 3; renewals += 1) {
        const { header } = await rig.ask(STATUS, { headers: ACCEPT_GZIP })
        assert.equal(header('content-encoding'), coding)
        const plain = await rig.ask(STATUS)
        for (const vary of [header('vary'), plain.header('vary')]) {
          const names = (vary ?? '').toLowerCase().split(/, */)
          const count = names.filter((name) => name === 'accept-encoding').length
          assert.equal(count, compresses ? 1 : 0)
          assert.ok(names.includes('x-svc-key'))
        }
        assert.doesNotMatch(header('server') ?? '', /\d/)
        await rig.pass(FRESH_SECONDS + 120)
        await rig.ask(STATUS)
      }
    },
  )

  test('uncacheable responses are never stored', options, async (t) => {
    const rig = await startCacheRig(t, startCache)
    const headers = { Authorization: `Bearer ${FAKE_KEYS.good}` }
    for (const [target, asked] of [
      ['/api/v1/nothing', {}],
      [TIME, {}],
      [STATUS, { headers }],
      [STATUS, { headers: { 'X-SVC-Key': FAKE_KEYS.other } }],
      [STATUS, { headers: { 'X-SVC-Key': 'svk_no' } }],
    ] as const) {
      const responses = [await rig.ask(target, asked), await rig.ask(target, asked)]
      const ids = responses.map((response) => response.header('x-request-id'))
      assert.equal(new Set(ids).size, 2, target)
      for (const response of responses) await proved(rig, response)
    }
    const preflight = await rig.ask(STATUS, { method: 'OPTIONS' })
    assert.equal(preflight.status, 204)
    assert.match(preflight.header('access-control-allow-headers') ?? '', /X-SVC-Key/)
    const anonymous = await rig.ask(STATUS)
    assert.equal(anonymous.header('x-ratelimit-limit'), undefined)
    const keyed = await rig.ask(STATUS, { headers })
    assert.equal(keyed.header('x-ratelimit-remaining'), '597')
    const etag = keyed.header('etag') ?? ''
    const notModified = await rig.ask(STATUS, { headers: { ...headers, 'If-None-Match': etag } })
    assert.equal(notModified.status, 304)
    assert.equal(notModified.header('x-ratelimit-remaining'), '596')
    assertNoSignature(notModified)
    await proved(rig, notModified)
  })

  test(
    'a page is HTML or Markdown, as each reader asks, and stored once for each',
    options,
    async (t) => {
      const rig = await startCacheRig(t, startCache)
      const etags = new Map<string, string>()
      const read = async (accept: string, type: string, start: RegExp) => {
        const response = await rig.ask('/en/status', { headers: { Accept: accept } })
        assert.equal(response.header('content-type'), `${type}; charset=utf-8`, accept)
        assert.match(Buffer.from(response.body).toString(), start)
        etags.set(type, response.header('etag') ?? '')
      }
      const html = () => read('text/html,*/*;q=0.8', 'text/html', /^<!DOCTYPE html>/)
      const markdown = () => read('text/markdown, text/html', 'text/markdown', /^# /)
      for (const seconds of [0, 10, FRESH_SECONDS, STALE_SECONDS, 3600]) {
        await rig.pass(seconds)
        const before = rig.service.seen.length
        for (const each of [html, markdown, markdown, html]) await each()
        await rig.service.quiet()
        if (seconds < FRESH_SECONDS) assert.ok(rig.service.seen.length - before <= 2)
      }
      assert.equal(new Set(etags.values()).size, 2)
      // What a reader has of one form does not stand for the other.
      const headers = { Accept: 'text/markdown', 'If-None-Match': etags.get('text/html') ?? '' }
      assert.equal((await rig.ask('/en/status', { headers })).status, 200)
    },
  )

  test('a HEAD carries no signature of a stored GET', options, async (t) => {
    const rig = await startCacheRig(t, startCache)
    const got = await rig.ask(STATUS)
    for (const headers of [{}, ACCEPT_GZIP]) {
      const response = await rig.ask(STATUS, { method: 'HEAD', headers })
      assert.equal(response.status, 200)
      assert.equal(response.header('etag'), got.header('etag'))
      assertNoSignature(response)
    }
  })

  test(
    'signatures by RFC 9421 verify with a stock library, or are absent or too old',
    options,
    async (t) => {
      const rig = await startCacheRig(t, startCache)
      const verdictOf = (response: CachedResponse): Promise<boolean> =>
        stockVerdict({
          method: 'GET',
          url: `${TEST_BASE_URL}${response.target}`,
          status: response.status,
          headers: Object.fromEntries(
            response.headers.map(([name]) => [
              name.toLowerCase(),
              response.header(name.toLowerCase()) ?? '',
            ]),
          ),
          nowMs: rig.clock.nowMs(),
        })
      const asking = { headers: { 'Accept-Signature': ASKED } }
      const plain = await rig.ask(STATUS)
      assert.equal(plain.header('signature'), undefined)
      const signed = await rig.ask(STATUS, asking)
      assert.equal(await verdictOf(signed), true, 'after a stored response without a signature')
      const seen = rig.service.seen.length
      assert.equal(await verdictOf(await rig.ask(STATUS, asking)), true, 'stored')
      assert.equal(rig.service.seen.length, seen)
      assert.equal((await rig.ask(STATUS)).header('signature'), undefined)

      // What is derived from a stored response is another message.
      for (const asked of [
        { ...asking, method: 'HEAD' },
        { headers: { ...asking.headers, 'If-None-Match': signed.header('etag') ?? '' } },
      ]) {
        const derived = await rig.ask(STATUS, asked)
        // Varnish without a proof sends all of it.
        const isWhole = derived.body.length > 0
        assert.equal(derived.header('signature') !== undefined, isWhole, derived.method)
        assert.equal(derived.header('signature-input') !== undefined, isWhole)
        if (isWhole) assert.equal(await verdictOf(derived), true)
      }

      for (let elapsed = 0; elapsed < 2 * MAX_AGE_SECONDS; elapsed += 150) {
        const response = await rig.ask(STATUS, asking)
        const [, created] = /;created=(\d+);/.exec(response.header('signature-input') ?? '') ?? []
        const ageSeconds = Math.floor(rig.clock.nowMs() / 1000) - Number(created)
        assert.equal(await verdictOf(response), ageSeconds <= MAX_AGE_SECONDS, `${ageSeconds} s`)
        await proved(rig, response)
        const nonce = `n${elapsed}`
        const once = await rig.ask(STATUS, {
          headers: { 'Accept-Signature': `${ASKED};nonce="${nonce}"` },
        })
        assert.match(once.header('signature-input') ?? '', new RegExp(`;nonce="${nonce}";`))
        assert.equal(await verdictOf(once), true)
        await rig.pass(150)
      }
    },
  )

  test(
    'a response stays valid for a week of revalidations, with any mix of clients',
    options,
    async (t) => {
      const rig = await startCacheRig(t, startCache)
      let held = await rig.ask(STATUS)
      const body = held.body
      let renewals = 0
      for (let hour = 0; hour < 7 * 24; hour += 1) {
        await rig.pass(3600)
        const etag = held.header('etag') ?? ''
        const response = await rig.ask(STATUS, { headers: { 'If-None-Match': etag } })
        held = response.status === 304 ? mergedResponse(held, response) : response
        renewals += Number(response.status === 304)
        const { provedAtMs } = await proved(rig, held)
        assert.ok(rig.clock.nowMs() - provedAtMs < SLACK_MS)
        await proved(rig, await rig.ask(STATUS))
      }
      assert.ok(renewals > 7 * 24 - 3, `${renewals} renewals`)
      assert.ok(rig.service.seen.some(({ status }) => status === 304))
      assert.equal(held.body.length, body.length)
    },
  )

  test(
    'while the service is down, responses verify or are refused for their age',
    options,
    async (t) => {
      const rig = await startCacheRig(t, startCache)
      const { header } = await rig.ask(STATUS)
      const lists = [{}, { 'If-None-Match': header('etag') ?? '' }]
      rig.service.isDown = true
      await rig.pass(FRESH_SECONDS + 60)
      for (let elapsed = FRESH_SECONDS + 60; elapsed < 2 * MAX_AGE_SECONDS; elapsed += 120) {
        for (const headers of lists) {
          const response = await rig.ask(STATUS, { headers })
          const verdict = await rig.judge(response)
          if (response.status >= 500) assert.equal(verdict, 'UNSIGNED')
          else if (elapsed <= MAX_AGE_SECONDS - 60) assert.equal(typeof verdict, 'object')
          else if (elapsed > MAX_AGE_SECONDS) assert.equal(verdict, 'STALE')
          if (elapsed < STALE_SECONDS && headers === lists[0]) {
            assert.equal(response.status === 200, servesStale)
          }
        }
        await rig.pass(120)
      }
      rig.service.isDown = false
      for (const headers of lists) {
        const { provedAtMs } = await proved(rig, await rig.ask(STATUS, { headers }))
        assert.ok(rig.clock.nowMs() - provedAtMs < SLACK_MS)
      }
    },
  )

  test('the published client reads and audits through it', options, async (t) => {
    const rig = await startCacheRig(t, startCache)
    const client = createClient({
      baseUrl: `http://127.0.0.1:${rig.port}`,
      pinnedKeyIds: [key.keyId],
      now: rig.clock.nowMs,
    })
    let saved: SavedHead | undefined
    const store: HeadStore = {
      load: () => Promise.resolve(saved),
      save: (head) => {
        saved = head
        return Promise.resolve()
      },
    }
    for (let versions = 2; versions <= 5; versions += 1) {
      await rig.service.publish(versions)
      // The cache still has what was there before, which must not look like a lie.
      for (const seconds of [10, 50, 61, 299, 900]) {
        await rig.pass(seconds)
        const { provedAtMs } = await client.status()
        assert.ok(rig.clock.nowMs() - provedAtMs <= MAX_AGE_SECONDS * 1000)
        const { head } = await auditHistory({ client, store })
        if (seconds === 900) assert.equal(head.sequence, versions)
        const time = await client.time()
        assert.ok(Math.abs(time.data.epochMs - rig.clock.nowMs()) < SLACK_MS)
      }
    }
    const { provedAtMs } = await client.status({ fresh: true })
    assert.ok(rig.clock.nowMs() - provedAtMs < SLACK_MS)
  })

  test(
    'every response of a day verifies or is refused by the documented rules',
    options,
    async (t) => {
      const rig = await startCacheRig(t, startCache)
      const day = createDay(rig)
      await day.live()
      const { counts } = day
      const asked = counts.accepted + counts.refused + counts.unsigned + counts.heads
      t.diagnostic(
        JSON.stringify({
          ...counts,
          versions: [...counts.versions],
          asked,
          served: rig.service.seen.length,
        }),
      )
      assert.ok(asked > 1000)
      assert.ok(rig.service.seen.length < asked * 0.8, 'the cache stores')
      assert.ok(rig.service.seen.filter(({ status }) => status === 304).length > 50)
      assert.ok(counts.notModified > 100)
      assert.ok(compresses ? counts.gzip > 100 : counts.gzip === 0)
      assert.deepEqual(counts.versions, new Set([2, 3, 4]))
      assert.ok(counts.refused + counts.unsigned > 0, 'the service was away')
    },
  )
}

const DAY_SECONDS = 86_400
const HOUR_SECONDS = 3600
const STEP_SECONDS = [20, 45, 61, 120, 299, 361, 600, 900] as const

/** Readers of all kinds, and a service that changes and goes away. */
function createDay(rig: CacheRig) {
  const { clock, service } = rig
  const random = createSeededRandom(20_261_121)
  const oneOf = <Item>(items: readonly [Item, ...Item[]]): Item =>
    items[random(items.length)] ?? items[0]
  const counts = {
    accepted: 0,
    refused: 0,
    unsigned: 0,
    heads: 0,
    notModified: 0,
    gzip: 0,
    versions: new Set<unknown>(),
  }
  /** When which version was the newest. */
  const published = [{ versions: 2, atMs: 0 }]
  const publishedAt = (ms: number) => published.findLast(({ atMs }) => atMs <= ms)?.versions
  /** What a reader that revalidates holds. */
  const held = new Map<string, CachedResponse>()

  /** What an accepted response says is what the service said when it proved it. */
  function checkContent(
    { target, header }: CachedResponse,
    { status, etag, data, provedAtMs }: VerifiedResponse,
  ): void {
    const ageMs = clock.nowMs() - provedAtMs
    assert.ok(ageMs <= MAX_AGE_SECONDS * 1000 + SLACK_MS, 'accepted too late')
    if (status === 304) assert.equal(etag, header('etag'))
    // What a reader renewed by a 304 counts from its own signature as long as that is fresh.
    if (!service.isDown && (status === 304 || header('x-svc-revalidated') === undefined)) {
      assert.ok(
        ageMs <= (FRESH_SECONDS + STALE_SECONDS) * 1000 + SLACK_MS,
        `${target}: ${ageMs} ms`,
      )
    }
    if (target === TIME) assert.ok(ageMs < SLACK_MS)
    const made = madeSequence((data as { readonly summary?: string } | undefined)?.summary ?? '')
    if (Number.isNaN(made)) return
    assert.equal(made, publishedAt(provedAtMs))
    counts.versions.add(made)
  }

  async function check(response: CachedResponse): Promise<boolean> {
    const verdict = await rig.judge(response)
    if (response.header('content-encoding') === 'gzip') counts.gzip += 1
    if (typeof verdict === 'object') {
      counts.accepted += 1
      checkContent(response, verdict)
      return true
    }
    assert.ok(
      service.isDown,
      `${verdict} of ${response.target}: ${JSON.stringify(response.headers)}`,
    )
    if (response.status >= 500) {
      counts.unsigned += 1
      assert.equal(verdict, 'UNSIGNED')
      return false
    }
    counts.refused += 1
    const [renewedAt] = response.header('x-svc-revalidated')?.split(';') ?? []
    for (const signedAt of [response.header('x-svc-signed-at'), renewedAt]) {
      const isOld = clock.nowMs() - Date.parse(signedAt ?? '') > MAX_AGE_SECONDS * 1000
      assert.ok(signedAt === undefined || isOld, `refused too early: ${signedAt}`)
    }
    assert.equal(verdict, 'STALE')
    return false
  }

  async function readHeld(target: string, headers: Asked['headers']): Promise<void> {
    const stored = held.get(target)
    const etag = stored?.header('etag')
    const conditional = etag === undefined ? {} : { 'If-None-Match': etag }
    const response = await rig.ask(target, { headers: { ...headers, ...conditional } })
    if (stored === undefined || response.status !== 304) {
      if (await check(response)) held.set(target, response)
      return
    }
    counts.notModified += 1
    assertNoSignature(response)
    await check(response)
    const merged = mergedResponse(stored, response)
    await check(merged)
    held.set(target, merged)
  }

  const readers: readonly [() => Promise<unknown>, ...(() => Promise<unknown>)[]] = [
    async () => check(await rig.ask(oneOf([STATUS, ROADMAP, `${STATUS}?of=day&&x=%41`]))),
    async () => check(await rig.ask(oneOf([STATUS, OPENAPI]), { headers: ACCEPT_GZIP })),
    () => readHeld(oneOf([STATUS, ROADMAP]), {}),
    () => readHeld(oneOf([STATUS, OPENAPI]), ACCEPT_GZIP),
    async () => check(await rig.ask(STATUS, { headers: { 'If-None-Match': 'W/"other", "x"' } })),
    async () => check(await rig.ask(oneOf([TIME, '/api/v1/nothing', '/api/v1/versions/VS-9999']))),
    async () => {
      const response = await rig.ask(STATUS, { headers: { 'X-SVC-Key': FAKE_KEYS.good } })
      if (response.status === 200)
        assert.notEqual(response.header('x-ratelimit-remaining'), undefined)
      return check(response)
    },
    async () => {
      const response = await rig.ask(oneOf([STATUS, ROADMAP]), { method: 'HEAD' })
      counts.heads += 1
      assert.equal(response.body.length, 0)
      assertNoSignature(response)
    },
  ]

  return {
    counts,
    async live() {
      for (let second = 0; second < DAY_SECONDS;) {
        for (let count = 0; count < 6; count += 1) {
          await Promise.all([oneOf(readers)(), oneOf(readers)()])
        }
        const step = oneOf(STEP_SECONDS)
        await rig.pass(step)
        const hour = Math.floor(second / HOUR_SECONDS)
        second += step
        if (hour === Math.floor(second / HOUR_SECONDS)) continue
        service.isDown = hour === 12 || hour === 18
        const versions = [9, 15].filter((each) => each <= hour).length + 2
        if (published.at(-1)?.versions === versions) continue
        await service.publish(versions)
        published.push({ versions, atMs: clock.nowMs() })
      }
    },
  }
}
