import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@public-api/contract/errors/api-error'
import { REQUEST_SCHEMAS } from '@public-api/contract/registry/schemas'
import { LOCALES } from '@public-api/contract/terms/locales'
import { parseRegistration } from '@public-api/contract/waitlist/registration'
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

test('a use case of white space alone is omitted, and any other is unchanged', () => {
  for (const useCase of ['', '  ', '\n\t\u3000']) {
    assert.equal(parseRegistration({ ...LEAST, useCase }).useCase, undefined)
  }
  assert.equal(parseRegistration({ ...LEAST, useCase: ' \n.' }).useCase, ' \n.')
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
