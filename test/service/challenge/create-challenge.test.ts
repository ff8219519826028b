import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChallengeDescription } from '../../../src/service/challenge/challenge.ts'
import { createChallenge } from '../../../src/service/challenge/create-challenge.ts'
import type { Counters } from '../../../src/storage/counters/counters.ts'
import { createMemoryCounters } from '../../../src/storage/counters/memory-counters.ts'
import { setClock } from '../../storage/counters/counters-behavior.ts'
import { challengeSettings } from '../../support/challenge-of.ts'
import { serve } from '../../support/loopback-server.ts'

function createDependencies() {
  const clock = setClock()
  return { counters: createMemoryCounters({ clock }), clock }
}

test('the test challenge accepts its token any number of times', async () => {
  const challenge = createChallenge({ provider: 'test' }, createDependencies())
  assert.equal(challenge.issue, undefined)
  for (const purpose of ['register', 'register', 'issue-key'] as const) {
    await (await challenge.verify('test-pass', purpose)).release()
  }
  for (const token of ['', 'test-pass ', 'TEST-PASS', 'test-fail']) {
    await assert.rejects(challenge.verify(token, 'register'), { code: 'CHALLENGE_FAILED' })
  }
})

test('each provider describes itself; only hosted ones have a site key', () => {
  const describe = (provider: ChallengeDescription['provider']) =>
    createChallenge(challengeSettings(provider), createDependencies()).description
  assert.deepEqual(describe('test'), { provider: 'test', path: null, siteKey: null })
  assert.deepEqual(describe('altcha'), { provider: 'altcha', path: '/challenge', siteKey: null })
  assert.deepEqual(describe('turnstile'), { provider: 'turnstile', path: null, siteKey: 'site' })
  assert.deepEqual(describe('hcaptcha'), { provider: 'hcaptcha', path: null, siteKey: 'site' })
})

test('an ALTCHA challenge is of the given counters and clock', async () => {
  const { counters, clock } = createDependencies()
  const issue = async (given: Counters) => {
    const challenge = createChallenge({ provider: 'altcha' }, { counters: given, clock })
    return JSON.parse((await challenge.issue?.('register')) ?? '') as {
      readonly parameters: { readonly cost: number; readonly expiresAt: number }
    }
  }
  const { parameters } = await issue(counters)
  assert.equal(parameters.cost, 1000)
  assert.equal(parameters.expiresAt * 1000, clock.nowMs() + 10 * 60_000)
  const lost = { ...counters, secret: () => Promise.reject(new Error('lost')) }
  await assert.rejects(issue(lost), /lost/)
})

test('queries a hosted provider at its URL and spends its tokens in the given counters', async (t) => {
  const verifyUrl = `${await serve(t, (_, response) => response.end('{"success":true}'))}/`
  const { counters: plain, clock } = createDependencies()
  const spent: Parameters<Counters['spend']>[] = []
  const counters: Counters = {
    ...plain,
    spend: async (...asked) => {
      spent.push(asked)
      return true
    },
  }
  for (const provider of ['turnstile', 'hcaptcha'] as const) {
    const settings = { provider, siteKey: 'site', secret: 'secret', verifyUrl }
    await createChallenge(settings, { counters, clock }).verify('token', 'register')
  }
  assert.equal(spent.length, 2)
  assert.ok(spent.every(([, untilMs]) => untilMs > clock.nowMs()))
})
