import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@public-api/contract/errors/api-error'
import { LIMITS } from '@public-api/contract/terms/limits'
import { LOCALES } from '@public-api/contract/terms/locales'
import { parseRegistration } from '@public-api/contract/waitlist/registration'
import { INTERESTS } from '@public-api/contract/waitlist/registration-schema'
import * as fc from 'fast-check'
import { fieldOfCode, findFaults } from '../../src/browser/registration-fields.ts'

/** What the form may hold, good or not. */
const typed = fc.record({
  email: fc.oneof(fc.emailAddress(), fc.string(), fc.constant('ทดสอบ@ไทย.ไทย')),
  locale: fc.constantFrom(...LOCALES),
  interests: fc.array(fc.constantFrom(...INTERESTS, 'unknown'), { maxLength: 12 }),
  useCase: fc.oneof(
    fc.nat({ max: LIMITS.maxUseCaseCodePoints + 5 }).map((length) => '🦉'.repeat(length)),
    fc.constant('  '),
  ),
  consent: fc.boolean(),
})

test('the form and the service reject the same input with the same code', () => {
  fc.assert(
    fc.property(typed, (registration) => {
      const faults = findFaults(registration)
      for (const { field, code } of faults) assert.equal(fieldOfCode(code), field)
      try {
        parseRegistration({ ...registration, challengeToken: 'any' })
        assert.deepEqual(faults, [])
      } catch (error) {
        assert.ok(error instanceof ApiError)
        assert.ok(
          faults.some(({ code }) => code === error.code),
          `${error.code} is not among ${faults.map(({ code }) => code).join(', ')}`,
        )
      }
    }),
  )
})
