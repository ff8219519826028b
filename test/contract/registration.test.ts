import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@public-api/contract/errors/api-error'
import { LIMITS } from '@public-api/contract/registry/limits'
import { LOCALES } from '@public-api/contract/registry/locales'
import { REQUEST_SCHEMAS } from '@public-api/contract/schemas/schemas'
import {
  parseRegistration,
  type RegistrationInput,
} from '@public-api/contract/waitlist/registration'
import { INTERESTS } from '@public-api/contract/waitlist/registration-schema'
import * as fc from 'fast-check'
import { schemaCheck } from '../documents/document-schemas.ts'

const LEAST = { email: 'reader@example.org', consent: true, challengeToken: 'solved' } as const
const WHOLE = {
  ...LEAST,
  locale: 'th',
  interests: ['api', 'research'],
  useCase: 'Mirror the version history.',
} as const

/** The code a value is refused with, or undefined; holds every refusal to being a bare ApiError. */
function codeOf(value: unknown): string | undefined {
  try {
    parseRegistration(value)
    return undefined
  } catch (error) {
    assert.ok(error instanceof ApiError)
    assert.deepEqual(error.details, {})
    assert.equal(error.cause, undefined)
    assert.equal(error.message, error.code)
    return error.code
  }
}

const without = (name: string): object =>
  Object.fromEntries(Object.entries(WHOLE).filter(([each]) => each !== name))

/** Values of every JSON type. */
const ANYTHING = [null, true, false, 0, 1, -1.5, '', 'text', [], ['api'], {}, { value: 'text' }]

test('accepts the minimal and the full registration', () => {
  const email = { address: 'reader@example.org', normalized: 'reader@example.org' }
  assert.deepEqual(parseRegistration(LEAST), {
    email,
    locale: undefined,
    interests: [],
    useCase: undefined,
    challengeToken: 'solved',
  } satisfies RegistrationInput)
  assert.deepEqual(parseRegistration(WHOLE), {
    email,
    locale: 'th',
    interests: ['api', 'research'],
    useCase: 'Mirror the version history.',
    challengeToken: 'solved',
  } satisfies RegistrationInput)
})

test('a body that is not a JSON object has the wrong shape', () => {
  for (const value of [null, true, false, 0, 1.5, '', 'text', [], [LEAST], [null]]) {
    assert.equal(codeOf(value), 'INVALID_INPUT', JSON.stringify(value))
  }
})

test('an unlisted name is INVALID_INPUT with any value', () => {
  for (const name of [
    'name',
    'Email',
    'EMAIL',
    'e-mail', // language-ok: a field name under test
    'email ',
    'challenge_token',
    'ChallengeToken',
    'use_case',
    'consented',
    'interest',
    '',
    'constructor',
    'toString',
    'hasOwnProperty',
    'valueOf',
  ]) {
    for (const value of ANYTHING) {
      assert.equal(codeOf({ ...WHOLE, [name]: value }), 'INVALID_INPUT', name)
    }
  }
  assert.equal(codeOf(JSON.parse('{"__proto__":{},"email":"reader@example.org"}')), 'INVALID_INPUT')
})

test('ignores inherited properties', () => {
  const inheriting: unknown = Object.create(WHOLE)
  assert.equal(codeOf(inheriting), 'INVALID_EMAIL')
  const polluted: unknown = Object.assign(Object.create({ password: 'x', consent: true }), {
    email: LEAST.email,
  })
  assert.equal(codeOf(polluted), 'CONSENT_REQUIRED')
  assert.equal(codeOf(JSON.parse('{"constructor":1}')), 'INVALID_INPUT')
  assert.notEqual(codeOf(JSON.parse('{}')), 'INVALID_INPUT')
})

test('a forbidden name is FORBIDDEN_FIELD, also after an unknown one', () => {
  for (const name of ['password', 'API_KEY', 'wallet-address', 'ip', 'userAgent', 'Seed_Phrase']) {
    for (const value of ANYTHING) {
      assert.equal(codeOf({ ...WHOLE, [name]: value }), 'FORBIDDEN_FIELD', name)
    }
    assert.equal(codeOf({ [name]: 1, extra: 1 }), 'INVALID_INPUT')
    assert.equal(codeOf({ extra: 1, [name]: 1 }), 'INVALID_INPUT')
    assert.equal(codeOf({ [name]: 1, sessionId: 1 }), 'FORBIDDEN_FIELD')
  }
})

test('a missing, mistyped or invalid address is INVALID_EMAIL', () => {
  assert.equal(codeOf(without('email')), 'INVALID_EMAIL')
  for (const email of [...ANYTHING, ['reader@example.org'], 'reader@localhost']) {
    assert.equal(codeOf({ ...WHOLE, email }), 'INVALID_EMAIL', JSON.stringify(email))
  }
})

test('a locale must match a listed one exactly', () => {
  for (const locale of LOCALES) assert.equal(parseRegistration({ ...WHOLE, locale }).locale, locale)
  for (const locale of [...ANYTHING, 'EN', 'zh', 'zh-cn', 'zh_CN', 'en-US', ' en', 'de', ['en']]) {
    assert.equal(codeOf({ ...WHOLE, locale }), 'INVALID_LOCALE', JSON.stringify(locale))
  }
})

test('interests are known, distinct and at most ten', () => {
  for (const interests of [[], ['api'], [...INTERESTS], INTERESTS.toReversed()]) {
    assert.deepEqual(parseRegistration({ ...WHOLE, interests }).interests, interests)
  }
  assert.equal(INTERESTS.length, 10)
  for (const interests of [
    null,
    true,
    1,
    'api',
    {},
    { 0: 'api', length: 1 },
    [null],
    [1],
    [['api']],
    ['API'],
    ['api '],
    ['unknown'],
    ['api', 'unknown'],
    ['api', 'api'],
    ['api', 'research', 'api'],
    ['unknown', 'unknown'],
    [...INTERESTS, 'api'],
    [...INTERESTS, 'unknown'],
    Array.from({ length: 4000 }, () => 'api'),
  ]) {
    assert.equal(codeOf({ ...WHOLE, interests }), 'INVALID_INTERESTS', JSON.stringify(interests))
  }
})

test('consent must be the literal `true`', () => {
  assert.equal(codeOf(without('consent')), 'CONSENT_REQUIRED')
  for (const consent of [...ANYTHING.filter((value) => value !== true), 'true', 'yes', [true]]) {
    assert.equal(codeOf({ ...WHOLE, consent }), 'CONSENT_REQUIRED', JSON.stringify(consent))
  }
})

test('a use case is text up to the limit of code points of any kind', () => {
  for (const unit of ['a', 'é', 'ก', '字', '😀', '\u0301', '\n', '\u0000']) {
    const longest = unit.repeat(LIMITS.maxUseCaseCodePoints)
    assert.equal(parseRegistration({ ...WHOLE, useCase: longest }).useCase, longest)
    assert.equal(codeOf({ ...WHOLE, useCase: `${longest}${unit}` }), 'INVALID_USE_CASE', unit)
    assert.equal(codeOf({ ...WHOLE, useCase: `${longest}a` }), 'INVALID_USE_CASE', unit)
  }
  for (const useCase of ['', ' ', ' kept as it is ', '👩\u200d👩\u200d👧']) {
    assert.equal(parseRegistration({ ...WHOLE, useCase }).useCase, useCase)
  }
  for (const useCase of [null, true, 0, [], ['text'], {}, '\ud800', 'a\udc00', '\ude00\ud83d']) {
    assert.equal(codeOf({ ...WHOLE, useCase }), 'INVALID_USE_CASE', JSON.stringify(useCase))
  }
})

test('a session id is INVALID_SESSION_ID in any spelling and with any value', () => {
  for (const name of ['sessionId', 'sessionid', 'SESSION_ID', 'session-id', '_SessionId']) {
    for (const value of ANYTHING) {
      assert.equal(codeOf({ ...WHOLE, [name]: value }), 'INVALID_SESSION_ID', name)
    }
  }
})

test('a challenge token is non-empty text', () => {
  assert.equal(codeOf(without('challengeToken')), 'CHALLENGE_REQUIRED')
  for (const challengeToken of [null, true, 0, '', [], ['token'], {}]) {
    assert.equal(codeOf({ ...WHOLE, challengeToken }), 'CHALLENGE_REQUIRED')
  }
  for (const challengeToken of [' ', '0', 'null', '\u0000']) {
    assert.equal(parseRegistration({ ...WHOLE, challengeToken }).challengeToken, challengeToken)
  }
})

/** One way to break each rule, in the decided order (spec 4.1 rules 3 and 4); none mends another. */
const BREAKS = [
  ['INVALID_INPUT', { extra: 1 }],
  ['FORBIDDEN_FIELD', { password: 'x' }],
  ['INVALID_EMAIL', { email: 'invalid' }],
  ['INVALID_LOCALE', { locale: 'de' }],
  ['INVALID_INTERESTS', { interests: ['unknown'] }],
  ['CONSENT_REQUIRED', { consent: false }],
  ['INVALID_USE_CASE', { useCase: 1 }],
  ['INVALID_SESSION_ID', { sessionId: 'x' }],
  ['CHALLENGE_REQUIRED', { challengeToken: '' }],
] as const

test('the first broken rule decides the error in any order of members', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([...BREAKS], { minLength: 1 }), (broken) => {
      const value: object = Object.assign({}, ...broken.map(([, change]) => change))
      const [first] = BREAKS.find((each) => broken.includes(each)) ?? []
      assert.equal(codeOf({ ...value, ...without('nothing'), ...value }), first)
    }),
  )
})

/** Mostly the good value, now and then any other. */
const mostly = (good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 8, arbitrary: good }, { weight: 1, arbitrary: fc.jsonValue() })

/** Near the schema: known names, some left out, and now and then another name. */
const nearlyRegistration = fc
  .record(
    {
      email: mostly(fc.constant('reader@example.org')),
      locale: mostly(fc.constantFrom(...LOCALES)),
      interests: mostly(
        fc.oneof(
          fc.subarray([...INTERESTS]),
          fc.array(fc.constantFrom(...INTERESTS, 'unknown', 1), { maxLength: 12 }),
        ),
      ),
      useCase: mostly(
        fc.oneof(
          fc.string({ unit: 'grapheme', maxLength: 20 }),
          fc.integer({ min: 495, max: 502 }).map((count) => '😀'.repeat(count)),
        ),
      ),
      consent: mostly(fc.constant(true)),
      challengeToken: mostly(fc.constantFrom('solved', 'x', '')),
    },
    { requiredKeys: [] },
  )
  .chain((known) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.constant<object>({ ...LEAST, ...known }) },
      { weight: 1, arbitrary: fc.constant<object>(known) },
      {
        weight: 1,
        arbitrary: fc
          .dictionary(fc.string(), fc.jsonValue())
          .map((more) => ({ ...LEAST, ...known, ...more })),
      },
    ),
  )

test('accepts what the published schema accepts', () => {
  const { email, ...others } = REQUEST_SCHEMAS.Registration.properties
  // The schema's own notion of an address is not ours, which is tested by its tables.
  const check = schemaCheck({
    ...REQUEST_SCHEMAS.Registration,
    properties: { ...others, email: { type: email.type } },
  })
  let accepted = 0
  fc.assert(
    fc.property(mostly(nearlyRegistration), (value) => {
      const code = codeOf(value)
      if (code === undefined) accepted += 1
      if (code === undefined) assert.deepEqual(check(value), [])
      // The other way round, the schema knows all but what makes an address and what makes a text.
      else if (code !== 'INVALID_EMAIL') assert.notDeepEqual(check(value), [], code)
    }),
    { numRuns: 3000 },
  )
  assert.ok(accepted > 500, `only ${accepted} of the values were registrations`)
})

test('any JSON is accepted or rejected with a code', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      codeOf(JSON.parse(text))
    }),
  )
})
