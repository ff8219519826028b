import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createClient } from '@public-api/client-internal/client'
import { openCopies } from '@public-api/client-internal/copies'
import { HistoryError } from '@public-api/client-internal/history-error'
import { verifyEvidence } from '@public-api/client-internal/history-evidence'
import { watch, type WatchFailure, type WatchOptions } from '@public-api/client-internal/watch'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { loadReleases, type PublishedHistory } from '../../src/service/releases/releases.ts'
import { makeReleases } from '../support/made-releases.ts'
import { runApp } from '../support/running-app.ts'
import { rewrittenReleases } from './rewritten-releases.ts'
import { fakeResponse, key } from './scripted-client.ts'

const history = (count: number) => loadReleases(makeReleases(count).store)

/** What the service does for one poll: a history that it serves, or undefined while it is away. */
type Poll = PublishedHistory | undefined

/** Watches a service that goes through these polls, and ends after the last one. */
async function watchPolls(
  t: Parameters<typeof runApp>[0],
  polls: readonly Poll[],
  options: WatchOptions & { readonly afterId?: string; readonly hasStore?: boolean } = {},
) {
  const first = await runApp(t, { releases: polls[0] ?? history(1) })
  const apps = new Map<PublishedHistory, typeof first>()
  for (const poll of polls)
    if (poll && !apps.has(poll)) apps.set(poll, await runApp(t, { releases: poll }))
  const seen: string[] = []
  const sources: string[] = []
  const waits: number[] = []
  const failures: WatchFailure[] = []
  const conditional: boolean[] = []
  let index = 0
  const saved = new Map<string, string>()
  const store = {
    load: (name: string) => Promise.resolve(saved.get(name)),
    save: (name: string, text: string) => Promise.resolve(void saved.set(name, text)),
  }
  const client = createClient(
    {
      baseUrl: first.origin,
      pinnedKeyIds: [key.keyId],
      maxRetries: 0,
      now: () => first.clock.ms,
      ...(options.hasStore ? { store } : {}),
      fetch: (url, init) => {
        const target = url.slice(first.origin.length)
        const poll = polls[Math.min(index, polls.length - 1)]
        if (target === READ_PATHS.version) conditional.push('If-None-Match' in init.headers)
        const app = poll && apps.get(poll)
        if (app === undefined) return Promise.resolve(fakeResponse(503, { 'Retry-After': '2000' }))
        return fetch(app.origin + target, init)
      },
    },
    openCopies,
  )
  const after = options.afterId && (await client.versionById(options.afterId))
  const ended = new Error('the last poll')
  const run = async () => {
    const watched = watch(client, {
      ...(after ? { after } : {}),
      onFailure: (failure) => void failures.push(failure),
      wait: (milliseconds) => {
        waits.push(milliseconds / 1000)
        index += 1
        return index < polls.length ? Promise.resolve() : Promise.reject(ended)
      },
    })
    for await (const { data, source } of watched) {
      seen.push(data.snapshotId)
      sources.push(source)
    }
  }
  const error = await run().then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { seen, sources, waits, failures, conditional, error, isDone: error === ended, client }
}

describe('watch', () => {
  test('yields the newest version once, then each later one, with conditional requests', async (t) => {
    const [two, five] = [history(2), history(5)]
    const { seen, waits, conditional, isDone } = await watchPolls(t, [two, two, five, five])
    assert.deepEqual(seen, ['VS-0002', 'VS-0003', 'VS-0004', 'VS-0005'])
    assert.deepEqual(conditional, [false, true, true, true])
    assert.deepEqual(new Set(waits).size, 1)
    assert.equal(isDone, true)
  })

  test('continues after a version that is known', async (t) => {
    const { seen } = await watchPolls(t, [history(4)], { afterId: 'VS-0002' })
    assert.deepEqual(seen, ['VS-0003', 'VS-0004'])
  })

  test('ignores a node that is a version behind', async (t) => {
    const [two, three] = [history(2), history(3)]
    const { seen, isDone } = await watchPolls(t, [three, two, three])
    assert.deepEqual([seen, isDone], [['VS-0003'], true])
  })

  test('waits as long as the service asks, and longer after each failure', async (t) => {
    const two = history(2)
    const { seen, waits, failures, isDone } = await watchPolls(t, [two, undefined, undefined, two])
    assert.deepEqual([seen, isDone], [['VS-0002'], true])
    assert.equal(failures.length, 2)
    assert.deepEqual(waits.slice(1, 3), [2000, 2000])
    assert.equal(waits[0], waits[3])
  })

  test('never yields what a copy has', async (t) => {
    const two = history(2)
    const polls = [two, undefined, history(3)]
    const { seen, sources, failures, isDone } = await watchPolls(t, polls, { hasStore: true })
    assert.deepEqual([seen, sources, isDone], [['VS-0002', 'VS-0003'], ['origin', 'origin'], true])
    assert.match(String(failures[0]?.error), /NO_COPY: the service is away/)
    assert.equal(failures.length, 1)
  })

  test('rejects a rewritten version with evidence', async (t) => {
    const other = rewrittenReleases(3, 3, (entry) => ({ ...entry, note: 'another' }))
    const { error, seen } = await watchPolls(t, [history(3), other])
    assert.ok(error instanceof HistoryError)
    assert.deepEqual([error.code, seen], ['REWRITTEN', ['VS-0003']])
    await verifyEvidence(error.evidence, { pinnedKeyIds: [key.keyId] })
  })

  test('rejects with the reason of its signal, while it waits and before it asks', async (t) => {
    const { client } = await watchPolls(t, [history(1)])
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
