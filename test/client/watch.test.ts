import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test, type TestContext } from 'node:test'
import { createClient } from '@public-api/client-internal/client'
import type { ClientOptions } from '@public-api/client-internal/client-options'
import { ConnectionError } from '@public-api/client-internal/connection'
import { openCopies } from '@public-api/client-internal/copies/copies'
import { HistoryError } from '@public-api/client-internal/history/history-error'
import { verifyEvidence } from '@public-api/client-internal/history/history-evidence'
import {
  watch,
  type WatchFailure,
  type WatchOptions,
} from '@public-api/client-internal/history/watch'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { type PublishedHistory } from '../../src/service/releases/releases.ts'
import { madeHistory } from '../support/made-releases.ts'
import { runApp, TEST_NOW_MS } from '../support/running-app.ts'
import { misstatingReleases, rewrittenReleases } from './rewritten-releases.ts'
import { fakeResponse, key } from './scripted-client.ts'

/** What the service does for one poll. */
interface Poll {
  /** It has this number of versions. */
  readonly newest?: number
  /** Its node that reads single versions does not have this one. */
  readonly missing?: number
  /** It refuses connections. */
  readonly away?: boolean
  /** It is away, and the last verified response on disk has this version. */
  readonly copy?: number
  /** It sends a 503 that asks for this wait, as a number or as a date. */
  readonly retryAfterSeconds?: number
  readonly retryAfterDate?: number
}

/** A case that all clients share. */
interface WatchCase {
  readonly name: string
  readonly after?: string
  readonly polls: readonly Poll[]
  readonly yields: readonly number[]
  readonly waits?: readonly (readonly [least: number, most: number])[]
  readonly fault?: string
}

const { cases } = JSON.parse(readFileSync('test/clients/watch-cases.json', 'utf8')) as {
  readonly cases: readonly WatchCase[]
}

const other = (count: number) =>
  rewrittenReleases(count, 1, (entry) => ({ ...entry, note: 'another' }))

/** A client of services with these histories, which are chosen by `poll`. The clock moves with the waits. */
async function serve(t: TestContext, historyOf: (count: number) => PublishedHistory = madeHistory) {
  const clock = { ms: TEST_NOW_MS }
  const origins = new Map<number, string>()
  const state: { poll: Poll } = { poll: {} }
  const conditional: boolean[] = []
  const saved = new Map<string, string>()
  const options: ClientOptions = {
    baseUrl: 'https://api.example.test',
    pinnedKeyIds: [key.keyId],
    maxRetries: 0,
    store: {
      load: (name) => Promise.resolve(saved.get(name)),
      save: (name, text) => Promise.resolve(void saved.set(name, text)),
    },
    now: () => clock.ms,
    fetch: async (url, init) => {
      const { pathname, search } = new URL(url)
      if (pathname === READ_PATHS.version) conditional.push('If-None-Match' in init.headers)
      const { newest, missing, retryAfterSeconds, retryAfterDate } = state.poll
      if (retryAfterSeconds) {
        return fakeResponse(503, { 'Retry-After': String(retryAfterSeconds) })
      }
      if (retryAfterDate) {
        const date = new Date(clock.ms + retryAfterDate * 1000).toUTCString()
        return fakeResponse(503, { 'Retry-After': date })
      }
      const isMissing = missing !== undefined && pathname.endsWith(`/VS-000${missing}`)
      const count = isMissing ? missing - 1 : newest
      if (count === undefined) throw new ConnectionError(url, 'refused')
      if (!origins.has(count)) {
        const releases = historyOf(count)
        const { origin } = await runApp(t, { releases, clock: { nowMs: () => clock.ms } })
        origins.set(count, origin)
      }
      return fetch(`${origins.get(count)}${pathname}${search}`, init)
    },
  }
  return { client: createClient(options, openCopies), options, clock, state, conditional }
}

/** Begins a poll. Another client leaves the copy, if there is one. */
async function begin({ state, options }: Awaited<ReturnType<typeof serve>>, poll: Poll) {
  if (poll.copy !== undefined) {
    state.poll = { newest: poll.copy }
    await createClient(options, openCopies).version()
  }
  state.poll = poll
}

/** Watches through these polls, and ends after the last one. */
async function watchPolls(
  served: Awaited<ReturnType<typeof serve>>,
  polls: readonly Poll[],
  options: WatchOptions = {},
) {
  const { client, clock } = served
  const seen: string[] = []
  const waits: number[] = []
  const failures: WatchFailure[] = []
  const ended = new Error('the last poll')
  let index = 0
  await begin(served, polls[0] ?? {})
  const run = async () => {
    const watched = watch(client, {
      ...options,
      onFailure: (failure) => void failures.push(failure),
      wait: async (milliseconds) => {
        waits.push(milliseconds / 1000)
        clock.ms += milliseconds
        index += 1
        if (index === polls.length) throw ended
        await begin(served, polls[index] ?? {})
      },
    })
    for await (const { data, source } of watched) {
      assert.equal(source, 'origin')
      seen.push(data.snapshotId)
    }
  }
  const error = await run().then(
    () => undefined,
    (reason: unknown) => (reason === ended ? undefined : reason),
  )
  return { seen, waits, failures, error }
}

async function afterOf(t: TestContext, { after }: WatchCase): Promise<WatchOptions> {
  if (after === undefined) return {}
  const { client, state } = await serve(t, after.startsWith('another') ? other : madeHistory)
  state.poll = { newest: 1 }
  return { after: await client.versionById('VS-0001') }
}

describe('watch', () => {
  for (const each of cases) {
    test(each.name, async (t) => {
      const options = await afterOf(t, each)
      const found = await watchPolls(await serve(t), each.polls, options)
      assert.deepEqual(
        found.seen,
        each.yields.map((sequence) => `VS-000${sequence}`),
      )
      const { waits = found.waits.map(() => [0, Infinity] as const) } = each
      assert.equal(found.waits.length, waits.length, String(found.error))
      for (const [index, [least, most]] of waits.entries()) {
        const wait = found.waits[index] ?? NaN
        assert.ok(least <= wait && wait <= most, found.waits.join())
      }
      const { error } = found
      const code = error instanceof Error && 'code' in error ? error.code : error
      assert.equal(code, each.fault)
      if (!(error instanceof HistoryError)) return
      await verifyEvidence(error.evidence, { pinnedKeyIds: [key.keyId] })
    })
  }

  test('asks with conditional requests', async (t) => {
    const served = await serve(t)
    await watchPolls(served, [{ newest: 2 }, { newest: 2 }, { newest: 3 }])
    assert.deepEqual(served.conditional, [false, true, true])
  })

  test('reports each failure with its wait', async (t) => {
    const { failures, waits } = await watchPolls(await serve(t), [{ away: true }, { copy: 1 }])
    assert.match(String(failures[0]?.error), /not fetched/)
    assert.match(String(failures[1]?.error), /not fetched/)
    assert.deepEqual(
      // The waits were read in milliseconds, and some numbers do not come back from there exactly.
      failures.map(({ waitSeconds }) => (waitSeconds * 1000) / 1000),
      waits,
    )
  })

  test('rejects false changes with evidence', async (t) => {
    const served = await serve(t, (count) =>
      count < 2 ? madeHistory(1) : misstatingReleases(2, 2, []),
    )
    const { error, seen } = await watchPolls(served, [{ newest: 1 }, { newest: 2 }])
    assert.ok(error instanceof HistoryError, String(error))
    assert.deepEqual([error.code, seen], ['CHANGES_FALSE', ['VS-0001']])
  })

  test('rejects with the reason of its signal, while it waits and before it asks', async (t) => {
    const { client, state } = await serve(t)
    state.poll = { newest: 1 }
    const control = new AbortController()
    const seen: string[] = []
    await assert.rejects(async () => {
      for await (const { data } of watch(client, { signal: control.signal })) {
        seen.push(data.snapshotId)
        setImmediate(() => control.abort(new Error('enough')))
      }
    }, /enough/)
    assert.deepEqual(seen, ['VS-0001'])
    await assert.rejects(watch(client, { signal: control.signal }).next(), /enough/)
  })
})
