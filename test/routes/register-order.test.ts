import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { LIMITS } from '@public-api/contract/registry/limits'
import { JSON_TYPE, registerRaw } from '../support/raw-registration.ts'
import { codeOf } from '../support/received-response.ts'
import {
  GOOD_BODY,
  REGISTER,
  runRegisteringApp,
  type RegisteringApp,
} from '../support/registering-app.ts'

/** A request in the parts that the rules are about. */
interface Draft {
  method: string
  target: string
  headers: readonly string[]
  /** Left out: an address of its own. */
  address?: string
  fields: { readonly [name: string]: unknown }
  /** What is done to the text of the fields. */
  wrap: (text: string) => string
  cut: (text: string) => string
  pad: (text: string) => string
}

const BUSY_ADDRESS = '192.0.2.200'
const LISTED_EMAIL = 'listed@example.org'

const withFields =
  (fields: { readonly [name: string]: unknown }) =>
  (draft: Draft): Draft => ({ ...draft, fields: { ...draft.fields, ...fields } })

/** Each rule of the decided order (contract decisions section 4, spec 4.1 rules 3 to 5), and a request that breaks it. */
const RULES: readonly (readonly [code: string, breakRule: (draft: Draft) => Draft])[] = [
  ['NOT_FOUND', (draft) => ({ ...draft, target: `${REGISTER}/` })],
  ['METHOD_NOT_ALLOWED', (draft) => ({ ...draft, method: 'PUT' })],
  [
    'REQUEST_REJECTED',
    (draft) => ({ ...draft, headers: [...draft.headers, 'Origin: https://other.example'] }),
  ],
  [
    'UNSUPPORTED_MEDIA_TYPE',
    (draft) => ({
      ...draft,
      headers: draft.headers.map((line) =>
        line.startsWith('Content-Type') ? 'Content-Type: text/plain' : line,
      ),
    }),
  ],
  [
    'PAYLOAD_TOO_LARGE',
    (draft) => ({ ...draft, pad: (text) => text.padEnd(LIMITS.maxBodyBytes + 1) }),
  ],
  ['RATE_LIMITED', (draft) => ({ ...draft, address: BUSY_ADDRESS })],
  ['INVALID_JSON', (draft) => ({ ...draft, cut: (text) => text.slice(0, -1) })],
  ['INVALID_INPUT', (draft) => ({ ...draft, wrap: (text) => `[${text}]` })],
  ['INVALID_INPUT', withFields({ unknown: 1 })],
  ['FORBIDDEN_FIELD', withFields({ password: 'x' })],
  ['INVALID_EMAIL', withFields({ email: 'invalid' })],
  ['INVALID_LOCALE', withFields({ locale: 'de' })],
  ['INVALID_INTERESTS', withFields({ interests: ['unknown'] })],
  ['CONSENT_REQUIRED', withFields({ consent: false })],
  ['INVALID_USE_CASE', withFields({ useCase: 'x'.repeat(LIMITS.maxUseCaseCodePoints + 1) })],
  ['INVALID_SESSION_ID', withFields({ session_id: 'x' })],
  ['CHALLENGE_REQUIRED', withFields({ challengeToken: '' })],
  ['CHALLENGE_FAILED', withFields({ challengeToken: 'wrong' })],
  ['DUPLICATE', withFields({ email: LISTED_EMAIL })],
]

const GOOD_DRAFT: Draft = {
  method: 'POST',
  target: REGISTER,
  headers: JSON_TYPE,
  fields: GOOD_BODY,
  wrap: (text) => text,
  cut: (text) => text,
  pad: (text) => text,
}

/** A request that breaks all of these. The last goes first, so that of two that need one field the earlier has it. */
function draftOf(broken: readonly (typeof RULES)[number][]): Draft {
  let draft = GOOD_DRAFT
  for (const [, breakRule] of broken.toReversed()) draft = breakRule(draft)
  return draft
}

async function codeOfDraft(app: RegisteringApp, draft: Draft): Promise<string | undefined> {
  const { method, target, headers, address, fields, wrap, cut, pad } = draft
  const response = await registerRaw(app, {
    method,
    target,
    headers,
    ...(address === undefined ? {} : { address }),
    body: pad(cut(wrap(JSON.stringify(fields)))),
  })
  return codeOf(response)
}

/** An open waitlist with one address on it, and one caller whose window is full. */
async function runBusyApp(t: TestContext): Promise<RegisteringApp> {
  const app = await runRegisteringApp(t)
  for (let count = 0; count < LIMITS.registrationPerActor.requests; count += 1) {
    await app.register({ ...GOOD_BODY, email: LISTED_EMAIL }, { 'X-Forwarded-For': BUSY_ADDRESS })
  }
  return app
}

test('each rule refuses its request, and a valid request is accepted', async (t) => {
  const app = await runBusyApp(t)
  for (const rule of RULES) assert.equal(await codeOfDraft(app, draftOf([rule])), rule[0])
  assert.equal(await codeOfDraft(app, GOOD_DRAFT), undefined)
})

test('of any two broken rules, the earlier one decides', async (t) => {
  const app = await runBusyApp(t)
  for (const [at, earlier] of RULES.entries()) {
    for (const later of RULES.slice(at + 1)) {
      const code = await codeOfDraft(app, draftOf([earlier, later]))
      assert.equal(code, earlier[0], `${earlier[0]} and ${later[0]}`)
    }
  }
  assert.equal((await app.entries()).length, 1)
})

test('of all broken rules, the first one decides', async (t) => {
  const app = await runBusyApp(t)
  for (const at of RULES.keys()) {
    assert.equal(await codeOfDraft(app, draftOf(RULES.slice(at))), RULES[at]?.[0])
  }
  assert.equal((await app.entries()).length, 1)
})
