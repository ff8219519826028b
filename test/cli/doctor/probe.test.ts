import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProbe, MAX_REQUESTS } from '@public-api/cli/src/doctor/probe.ts'
import type { RequestSpec, Received } from '@public-api/cli/src/verifying/requests.ts'

const NOTHING = new Uint8Array()

/** A deployment whose responses arrive when the test says so. */
function held() {
  const asked: RequestSpec[] = []
  const waiting: (() => void)[] = []
  const ask = (spec: RequestSpec): Promise<Received> => {
    asked.push(spec)
    return new Promise((resolve) => {
      waiting.push(() => resolve({ target: spec.target, body: NOTHING } as Received))
    })
  }
  const respondOnce = async (): Promise<void> => {
    waiting.shift()?.()
    // The next request leaves once the response was handed on.
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
  }
  return { ask, asked, respondOnce }
}

const get = (target: string): RequestSpec => ({ method: 'GET', target })

test('sends at most four concurrent requests, in order', async () => {
  const { ask, asked, respondOnce } = held()
  const probe = createProbe('https://a', ask)
  const responses = ['/1', '/2', '/3', '/4', '/5', '/6'].map((target) => probe.ask(get(target)))
  assert.equal(asked.length, 4)
  await respondOnce()
  assert.equal(asked.length, 5)
  for (let left = 0; left < 5; left += 1) await respondOnce()
  assert.deepEqual(
    (await Promise.all(responses)).map(({ target }) => target),
    ['/1', '/2', '/3', '/4', '/5', '/6'],
  )
  // And the places are free again.
  const more = ['/7', '/8', '/9', '/10', '/11'].map((target) => probe.ask(get(target)))
  assert.equal(asked.length, 10)
  for (let left = 0; left < 5; left += 1) await respondOnce()
  await Promise.all(more)
})

test('a request is sent once, unless another copy is wanted', async () => {
  let sent = 0
  const ask = ({ target, headers }: RequestSpec): Promise<Received> => {
    sent += 1
    assert.ok(headers?.['Accept-Encoding'])
    return Promise.resolve({ target, body: NOTHING } as Received)
  }
  const probe = createProbe('https://a', ask)
  await Promise.all([probe.ask(get('/')), probe.ask(get('/'))])
  assert.equal(sent, 1)
  await probe.ask(get('/'), 2)
  await probe.ask({ ...get('/'), headers: { 'Accept-Encoding': 'gzip' } })
  await probe.ask({ ...get('/'), method: 'HEAD' })
  assert.equal(sent, 4)
  assert.equal(probe.count(), 4)
})

test('stops at its request limit', async () => {
  const ask = ({ target }: RequestSpec): Promise<Received> =>
    Promise.resolve({ target, body: NOTHING } as Received)
  const probe = createProbe('https://a', ask)
  for (let index = 0; index < MAX_REQUESTS; index += 1) await probe.ask(get(`/${index}`))
  await assert.rejects(probe.ask(get('/more')), /100 requests at most/)
})

test('stops once the responses in memory exceed the limit', async () => {
  // A length is all that is looked at.
  const body = { length: 15_000_000 } as Uint8Array
  const ask = ({ target }: RequestSpec): Promise<Received> =>
    Promise.resolve({ target, body } as Received)
  const probe = createProbe('https://a', ask)
  for (let index = 0; index < 3; index += 1) await probe.ask(get(`/${index}`))
  await assert.rejects(probe.ask(get('/more')), {
    name: 'UnreachableError',
    message: 'https://a has sent more than 30000000 bytes so far',
  })
})
