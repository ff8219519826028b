import { parseEmailAddress } from '../src/contract/email-address.ts'
import { TEST_TOKEN } from '../src/service/test-challenge.ts'
import { NUMBER_PLACEHOLDER } from './load.ts'

const EMAIL = `reader-${NUMBER_PLACEHOLDER}@bench.example`

/** A registration's body, with NUMBER_PLACEHOLDER in its address. */
export const REGISTRATION_BODY: string = JSON.stringify({
  email: EMAIL,
  locale: 'en',
  interests: ['api', 'research'],
  useCase: 'I would like to check what you publish.',
  consent: true,
  challengeToken: TEST_TOKEN,
})

/** The address of a number, as the service hashes it. */
export function normalizedAddress(number: number): string {
  const text = EMAIL.replace(
    NUMBER_PLACEHOLDER,
    String(number).padStart(NUMBER_PLACEHOLDER.length, '0'),
  )
  const address = parseEmailAddress(text)
  if (address === undefined) throw new Error(`${text}: expected an email address`)
  return address.normalized
}
