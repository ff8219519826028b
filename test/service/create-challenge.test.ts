import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChallenge, type ChallengeOptions } from '../../src/service/create-challenge.ts'
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
