import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createChallenge, type ChallengeOptions } from '../../src/service/create-challenge.ts'
import type { Counters } from '../../src/storage/counters.ts'
import { createMemoryCounters } from '../../src/storage/memory-counters.ts'
import { setClock } from '../storage/counters-behaviour.ts'

function optionsFor(provider: ChallengeOptions['provider']): ChallengeOptions {
  const clock = setClock()
  return {
    provider,
    siteKey: 'site',
    secret: 'secret',
    verifyUrl: 'http://127.0.0.1:9/',
    counters: createMemoryCounters({ clock }),
    clock,
  }
}

test('the test challenge takes its one token, any number of times', async () => {
  const challenge = createChallenge(optionsFor('test'))
  assert.equal(challenge.issue, undefined)
  for (const purpose of ['register', 'register', 'issue-key'] as const) {
    await (await challenge.verify('test-pass', purpose)).release()
  }
  for (const token of ['', 'test-pass ', 'TEST-PASS', 'test-fail']) {
    await assert.rejects(challenge.verify(token, 'register'), { code: 'CHALLENGE_FAILED' })
  }
})

test('each provider describes itself; a site key is told of the hosted ones alone', () => {
  const describe = (provider: ChallengeOptions['provider']) =>
    createChallenge(optionsFor(provider)).description
  assert.deepEqual(describe('test'), { provider: 'test', path: null, siteKey: null })
  assert.deepEqual(describe('altcha'), { provider: 'altcha', path: '/challenge', siteKey: null })
  assert.deepEqual(describe('turnstile'), { provider: 'turnstile', path: null, siteKey: 'site' })
  assert.deepEqual(describe('hcaptcha'), { provider: 'hcaptcha', path: null, siteKey: 'site' })
})

test('a hosted challenge without its keys or its address is refused by name', () => {
  for (const provider of ['turnstile', 'hcaptcha'] as const) {
    const options = optionsFor(provider)
    for (const [missing, what] of [
      ['siteKey', 'a site key'],
      ['secret', 'a secret key'],
      ['verifyUrl', 'a verification address'],
    ] as const) {
      assert.throws(() => createChallenge({ ...options, [missing]: undefined }), {
        name: 'TypeError',
        message: `The challenge ${provider} needs ${what}, and none is configured`,
      })
    }
  }
})

test('an ALTCHA challenge is as hard as it was asked for, and its key is of the given counters', async () => {
  const options = optionsFor('altcha')
  const costOf = async (given: ChallengeOptions) => {
    const { parameters } = JSON.parse(await (createChallenge(given).issue?.('register') ?? '')) as {
      readonly parameters: { readonly cost: number; readonly expiresAt: number }
    }
    // The clock is the given one too.
    assert.equal(parameters.expiresAt * 1000, options.clock.nowMs() + 10 * 60_000)
    return parameters.cost
  }
  assert.equal(await costOf(options), 1000)
  assert.equal(await costOf({ ...options, work: { cost: 7, maxCounter: 9 } }), 7)
  const lost = { ...options.counters, secret: () => Promise.reject(new Error('lost')) }
  await assert.rejects(costOf({ ...options, counters: lost }), /lost/)
})

test('a hosted provider has its deadline, and its tokens are spent in the given counters', async (t) => {
  const server = createServer((request, response) => {
    if (request.url !== '/silent') response.end('{"success":true}')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const options = optionsFor('turnstile')
  const silent = createChallenge({
    ...options,
    verifyUrl: `http://127.0.0.1:${port}/silent`,
    deadlineMs: 30,
  })
  await assert.rejects(silent.verify('token', 'register'), /did not answer within 30 ms$/)
  const spent: (readonly [id: string, untilMs: number])[] = []
  const counters: Counters = {
    ...options.counters,
    spend: async (...asked) => {
      spent.push(asked)
      return true
    },
  }
  const answering = createChallenge({
    ...options,
    counters,
    verifyUrl: `http://127.0.0.1:${port}/answering`,
  })
  await answering.verify('token', 'register')
  assert.equal(spent.length, 1)
  assert.ok((spent[0]?.[1] ?? 0) > options.clock.nowMs())
})
