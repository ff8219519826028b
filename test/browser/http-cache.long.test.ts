import assert from 'node:assert/strict'
import { test } from 'node:test'
import type * as clientEntry from '@public-api/client-internal/index'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import type { Page } from 'playwright-core'
import { publishedKeyOf } from '../client/requested-responses.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { serveClientPackage } from '../support/client-package.ts'
import { FAKE_KEYS } from '../support/fake-api-keys.ts'
import { runFrontedService } from '../support/fronted-service.ts'
import { madeSequence } from '../support/made-releases.ts'
import { TEST_NOW_MS, TEST_SIGNING_KEY } from '../support/running-app.ts'

const browser = useBrowser()

const { status: STATUS, roadmap: ROADMAP, architecture: ARCHITECTURE, wallet: WALLET } = READ_PATHS
const NOTHING = '/api/v1/nothing'
const MAX_AGE_MS = 900_000
const STALE_MS = 360_000
const DAY_SECONDS = 86_400
/** Each longer than max-age, some within stale-while-revalidate and some beyond. */
const STEP_SECONDS = [61, 90, 200, 299, 340, 400, 600, 840] as const

/** What one read of the page is. */
interface PageRead {
  readonly target: string
  readonly cache: RequestCache
  readonly apiKey?: string
}

/** What the page found, by what its script can see. */
interface Found {
  readonly status: number
  readonly requestId: string | null
  readonly isRenewed: boolean
  /** Why the published verifier refused it. */
  readonly refusal: string | undefined
  readonly provedAtMs: number
  readonly etag: string | undefined
  /** Of the status: the number of the version it is of. */
  readonly made: number | undefined
}

/** Reads through the browser's cache and has the published verifier check what the script gets. */
async function read(page: Page, origin: string, nowMs: number, asked: PageRead): Promise<Found> {
  const settings = { ...asked, origin, nowMs, key: publishedKeyOf(TEST_SIGNING_KEY) }
  const { said, ...found } = await page.evaluate(async ({ target, cache, apiKey, ...rest }) => {
    const entry = '/dist/client.min.js'
    const { importKey, verifyResponse } = (await import(entry)) as typeof clientEntry
    const headers: Record<string, string> = apiKey === undefined ? {} : { 'X-SVC-Key': apiKey }
    const fetched = await fetch(rest.origin + target, { cache, headers })
    const response = {
      method: 'GET',
      target,
      status: fetched.status,
      headers: fetched.headers,
      body: new Uint8Array(await fetched.arrayBuffer()),
    }
    const seen = {
      status: response.status,
      requestId: response.headers.get('X-Request-Id'),
      isRenewed: response.headers.has('X-SVC-Revalidated'),
    }
    try {
      const keys = [await importKey(rest.key)]
      const verified = await verifyResponse({ ...response, keys, nowMs: rest.nowMs })
      const { summary = '' } = (verified.data ?? {}) as { readonly summary?: string }
      const { provedAtMs, etag } = verified
      return { ...seen, refusal: undefined, provedAtMs, etag, said: summary }
    } catch (error) {
      const refusal = String(error)
      return { ...seen, refusal, provedAtMs: 0, etag: undefined, said: undefined }
    }
  }, settings)
  return { ...found, made: said === undefined ? undefined : madeSequence(said) }
}

test(
  'every response verifies over a day of revalidations by Chromium’s cache',
  { skip: browserMissing },
  async (t) => {
    const clock = { ms: TEST_NOW_MS }
    // Chromium's clock cannot be moved. Instead each response arrives as old as it will be when it is next asked for, which
    // is the same to a cache (RFC 9111 4.2.3): it adds its own time, a few milliseconds, to the Age that it received.
    let ageSeconds = 0
    const service = await runFrontedService(t, {
      nowMs: () => clock.ms,
      added: (target) => ({ age: target === WALLET ? '0' : String(ageSeconds) }),
    })
    const { page } = await browser.openPageWithDiskCache(t)
    await page.goto(await serveClientPackage(t))
    const readNow = (asked: PageRead) => read(page, service.origin, clock.ms, asked)
    const countOf = (target: string) => service.seen.filter((each) => each.target === target).length

    // The cache is there: what is fresh is not asked for again.
    const wallets = [
      await readNow({ target: WALLET, cache: 'default' }),
      await readNow({ target: WALLET, cache: 'default' }),
    ]
    assert.equal(countOf(WALLET), 1)
    assert.deepEqual(wallets[1], wallets[0])
    assert.equal(wallets[0]?.refusal, undefined)

    let published = { versions: 2, atMs: 0 }
    let elapsedSeconds = 0
    let renewed = 0
    let served = 0
    let staleServed = 0
    const ids = new Set<string | null>()
    for (let step = 0; elapsedSeconds < DAY_SECONDS; step += 1) {
      const hour = elapsedSeconds / 3600
      const versions = hour < 8 ? 2 : hour < 16 ? 3 : 4
      if (versions !== published.versions) {
        await service.publish(versions)
        published = { versions, atMs: clock.ms }
      }
      const lastStepMs = ageSeconds * 1000
      ageSeconds = STEP_SECONDS[step % STEP_SECONDS.length] ?? 0

      // As a page reads: stale for a while, and then renewed behind its back.
      const status = await readNow({ target: STATUS, cache: 'default' })
      const isCurrent = status.made === published.versions
      // As a page reads that wants to know: asked for each time.
      const roadmap = await readNow({ target: ROADMAP, cache: 'no-cache' })
      // With and without keys: Vary makes the cache ask, and it renews the response that it has.
      const apiKey = [FAKE_KEYS.good, FAKE_KEYS.other][step % 3]
      const keyed = { target: ARCHITECTURE, ...(apiKey === undefined ? {} : { apiKey }) }
      const architecture = await readNow({ ...keyed, cache: 'default' })
      const error = await readNow({ target: NOTHING, cache: 'default' })

      for (const found of [status, roadmap, architecture, error]) {
        assert.equal(found.refusal, undefined, `${elapsedSeconds} s: ${JSON.stringify(found)}`)
        assert.ok(clock.ms - found.provedAtMs <= MAX_AGE_MS)
        renewed += Number(found.isRenewed)
        served += 1
      }
      const isRightAfter = published.atMs === clock.ms && lastStepMs < STALE_MS
      assert.ok(isCurrent || isRightAfter, `version ${status.made} at ${elapsedSeconds} s`)
      staleServed += Number(!isCurrent)
      assert.equal(error.status, 404)
      ids.add(error.requestId)
      assert.equal(ids.size, step + 1, 'an error was stored')

      await service.quiet()
      clock.ms += ageSeconds * 1000
      elapsedSeconds += ageSeconds
    }
    const notModified = service.seen.filter(({ status }) => status === 304)
    t.diagnostic(JSON.stringify({ served, renewed, staleServed, notModified: notModified.length }))
    for (const target of [STATUS, ROADMAP, ARCHITECTURE]) {
      const count = notModified.filter((each) => each.target === target).length
      assert.ok(count > 100, `${target}: ${count}`)
    }
    assert.ok(renewed > served / 2, `${renewed} of ${served}`)
    // Two new versions, and for each the whole response: to the read that asks, or behind the back of one that does not;
    // on a busy machine to both, since the cache then asks again before it has stored the first.
    const whole = service.seen.filter((each) => each.target === STATUS && each.status === 200)
    assert.ok(whole.length >= 3 && whole.length <= 5, `${whole.length} whole responses`)
    assert.equal(countOf(NOTHING), ids.size)
    assert.equal(countOf(ROADMAP), ids.size)
  },
)
