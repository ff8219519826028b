import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '@public-api/contract/terms/limits'
import { registerRaw } from '../support/raw-registration.ts'
import { outcome } from '../support/received-response.ts'
import { GOOD_BODY, REGISTER, runRegisteringApp } from '../support/registering-app.ts'
import {
  assertOrder,
  bodyOf,
  goodDraft,
  requestRules,
  type Rule,
  SHAPE_RULES,
  withFields,
} from './broken-rules.ts'

const BUSY_ADDRESS = '192.0.2.200'
const LISTED_EMAIL = 'listed@example.org'

/** Each rule of the decided order (contract decisions section 4, spec 4.1 rules 3 to 5), and a request that breaks it. */
const RULES: readonly Rule[] = [
  ...requestRules(REGISTER),
  ['429 RATE_LIMITED', (draft) => ({ ...draft, address: BUSY_ADDRESS })],
  ...SHAPE_RULES,
  ['400 FORBIDDEN_FIELD', withFields({ password: 'x' })],
  ['400 INVALID_EMAIL', withFields({ email: 'invalid' })],
  ['400 INVALID_LOCALE', withFields({ locale: 'de' })],
  ['400 INVALID_INTERESTS', withFields({ interests: ['unknown'] })],
  ['400 CONSENT_REQUIRED', withFields({ consent: false })],
  ['400 INVALID_USE_CASE', withFields({ useCase: 'x'.repeat(LIMITS.maxUseCaseCodePoints + 1) })],
  ['400 INVALID_SESSION_ID', withFields({ session_id: 'x' })],
  ['400 CHALLENGE_REQUIRED', withFields({ challengeToken: '' })],
  ['403 CHALLENGE_FAILED', withFields({ challengeToken: 'wrong' })],
  ['200 DUPLICATE', withFields({ email: LISTED_EMAIL })],
]

test('the earliest broken rule decides the error', async (t) => {
  // One address is listed, and one caller's window is full.
  const app = await runRegisteringApp(t)
  for (let count = 0; count < LIMITS.registrationPerActor.requests; count += 1) {
    await app.register({ ...GOOD_BODY, email: LISTED_EMAIL }, { 'X-Forwarded-For': BUSY_ADDRESS })
  }
  const good = goodDraft(REGISTER, GOOD_BODY)
  await assertOrder(good, RULES, async (draft) => {
    const { method, target, headers, address } = draft
    const parts = { method, target, headers, ...(address === undefined ? {} : { address }) }
    return outcome(await registerRaw(app, { ...parts, body: bodyOf(draft) }))
  })
  assert.equal((await app.entries()).length, 1)
  assert.equal(outcome(await registerRaw(app, { body: bodyOf(good) })), '200')
})
