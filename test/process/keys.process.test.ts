import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SELF } from '../support/keyed-app.ts'
import { livingPids, putKey, startKeyed } from '../support/keyed-service.ts'
import type { RawResponse } from '../support/raw-http.ts'
import { outcomeOf } from '../support/received-response.ts'

const LIMIT = 600
const WORKERS = 3
const STATUS = '/api/v1/status'
const keyLine = (key: string) => [`X-SVC-Key: ${key}`]

test('a key gets exactly 600 requests over three workers, also after all are replaced', async (t) => {
  const running = await startKeyed(t, { env: { SVC_WORKERS: String(WORKERS) } })
  const pids = await livingPids(running, WORKERS)
  const [key, other] = [await putKey(running.file), await putKey(running.file)]
  const startedMs = performance.now()
  const responses: RawResponse[] = []
  for (let batch = 0; batch < 13; batch += 1) {
    // Each on a new connection; the primary distributes them in turn.
    const asked = Array.from({ length: 50 }, () => running.send('GET', STATUS, keyLine(key)))
    responses.push(...(await Promise.all(asked)))
  }
  const admitted = responses.filter(({ status }) => status === 200)
  const refused = responses.filter((each) => outcomeOf(each) === '429 KEY_RATE_LIMITED')
  assert.deepEqual([admitted.length, refused.length], [LIMIT, 50])
  const numbers = admitted.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
  assert.deepEqual(
    numbers.toSorted((one, two) => one - two),
    Array.from({ length: LIMIT }, (_each, at) => at),
  )
  for (const { headers } of refused) {
    const wait = headers.get('retry-after') ?? ''
    assert.match(wait, /^[1-9]\d?$/)
    assert.ok(Number(wait) <= 60)
    assert.equal(headers.get('x-ratelimit-reset'), wait)
    assert.equal(headers.get('x-ratelimit-remaining'), '0')
  }
  assert.equal(await running.withKey(other), '200', 'another key has its own')

  for (const pid of pids) process.kill(pid, 'SIGKILL')
  await livingPids(running, WORKERS * 2)
  const isSameWindow = performance.now() - startedMs < 55_000
  if (isSameWindow) assert.equal(await running.withKey(key), '429 KEY_RATE_LIMITED')
  else t.diagnostic('the machine was too slow to ask within the window of a minute')
  const next = await running.send('GET', SELF, keyLine(other))
  if (isSameWindow) assert.equal(next.headers.get('x-ratelimit-remaining'), '598')
})

test('a revocation by one worker applies to the next request to any worker', async (t) => {
  const running = await startKeyed(t, { env: { SVC_WORKERS: String(WORKERS) } })
  await livingPids(running, WORKERS)
  for (let round = 0; round < 5; round += 1) {
    const key = await putKey(running.file)
    // Every worker has read this key's row before.
    for (let each = 0; each < WORKERS; each += 1) assert.equal(await running.withKey(key), '200')
    assert.equal(outcomeOf(await running.send('DELETE', SELF, keyLine(key))), '200')
    const responses = await Promise.all(
      Array.from({ length: WORKERS * 3 }, () => running.withKey(key, STATUS)),
    )
    assert.deepEqual(new Set(responses), new Set(['401 KEY_INVALID']))
  }
})
