import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@public-api/contract/errors/api-error'
import type { Challenge } from '../../src/service/challenge/challenge.ts'
import { StorageError } from '../../src/storage/stores/storage-error.ts'
import type { Storage } from '../../src/storage/stores/storage.ts'
import { codeOf } from '../support/received-response.ts'
import { GOOD_BODY, runRegisteringApp } from '../support/registering-app.ts'
import { UNSOLVABLE_CHALLENGE } from '../support/unsolvable-challenge.ts'

/** A store that fails a given number of times. */
function failing(failures: { left: number }): (storage: Storage) => Storage {
  return (storage) => ({
    ...storage,
    waitlist: {
      ...storage.waitlist,
      add(registration) {
        if (failures.left === 0) return storage.waitlist.add(registration)
        failures.left -= 1
        return Promise.reject(new StorageError('IO', 'service.sqlite'))
      },
    },
  })
}

/** A challenge whose every token works once, until it is given back. */
function onceOnly(): Challenge & { readonly spent: ReadonlySet<string> } {
  const spent = new Set<string>()
  return {
    ...UNSOLVABLE_CHALLENGE,
    spent,
    async verify(token) {
      if (spent.has(token)) throw new ApiError('CHALLENGE_FAILED')
      spent.add(token)
      return {
        async release() {
          spent.delete(token)
        },
      }
    },
  }
}

test('the same request with its token works after a failure of the store', async (t) => {
  const failures = { left: 2 }
  const challenge = onceOnly()
  const app = await runRegisteringApp(t, { store: failing(failures), challenge: () => challenge })
  for (const expected of ['REGISTRATION_UNAVAILABLE', 'REGISTRATION_UNAVAILABLE', undefined]) {
    assert.equal(codeOf(await app.register(GOOD_BODY)), expected)
  }
  assert.equal((await app.entries()).length, 1)
  // Now it is spent, and the order puts the challenge before the list.
  assert.equal(codeOf(await app.register(GOOD_BODY)), 'CHALLENGE_FAILED')
})

test('a success or a duplicate spends the token, and an earlier refusal does not', async (t) => {
  const challenge = onceOnly()
  const app = await runRegisteringApp(t, { challenge: () => challenge })
  for (const change of [
    { email: 'invalid' },
    { locale: 'de' },
    { consent: false },
    { sessionId: 1 },
  ]) {
    assert.equal((await app.register({ ...GOOD_BODY, ...change })).status, 400)
  }
  assert.equal(challenge.spent.size, 0)
  assert.equal(codeOf(await app.register({ ...GOOD_BODY, challengeToken: 'one' })), undefined)
  assert.equal(codeOf(await app.register({ ...GOOD_BODY, challengeToken: 'two' })), 'DUPLICATE')
  assert.deepEqual([...challenge.spent], ['one', 'two'])
})

test('an outage is logged with its reason and nothing of the request', async (t) => {
  const app = await runRegisteringApp(t, { store: failing({ left: 1 }) })
  const sent = { ...GOOD_BODY, email: 'find-me@example.org', useCase: 'find this' }
  const response = await app.register(sent, { 'X-Forwarded-For': '203.0.113.77' })
  assert.equal(response.status, 503)
  assert.equal(response.header('cache-control'), 'no-store')
  assert.ok(!response.bytes.toString().includes('service.sqlite'))
  const logLines = app.log.filter(({ fields }) => fields['err'] instanceof StorageError)
  assert.equal(logLines.length, 1)
  assert.equal(logLines[0]?.fields['requestId'], response.header('x-request-id'))
  for (const { message, fields } of app.log) {
    const { err, ...rest } = fields
    const text = `${message} ${JSON.stringify(rest)} ${err instanceof Error ? `${err.message} ${err.stack}` : ''}`
    assert.doesNotMatch(text, /find[- ](?:me|this)|203\.0\.113\.77|test-pass/)
  }
})

test('the waitlist is reported as unavailable during a failure and open soon after', async (t) => {
  const app = await runRegisteringApp(t, { store: failing({ left: 1 }) })
  const state = async () => {
    const response = await app.fetch('/api/v1/early-access')
    return ((await response.json()) as { data: { state: string } }).data.state
  }
  assert.equal(await state(), 'open')
  await app.register(GOOD_BODY)
  assert.equal(await state(), 'unavailable')
  assert.equal(codeOf(await app.register(GOOD_BODY)), undefined)
  assert.equal(await state(), 'open')
})
