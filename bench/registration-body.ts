import { parseEmailAddress } from '../src/contract/email-address.ts'
import { formatInstant } from '../src/contract/instant.ts'
import { TEST_TOKEN } from '../src/service/test-challenge.ts'
import { formatWaitlistEntry } from '../src/service/waitlist-entry.ts'
import { NUMBER_PLACE } from './load.ts'

const EMAIL = `reader-${NUMBER_PLACE}@bench.example`

/** What a person of the benchmark sends beside the address, the consent and the token. */
const FIELDS = {
  locale: 'en',
  interests: ['api', 'research'],
  useCase: 'I would like to check what you publish.',
} as const

function bodyWith(challengeToken: string): string {
  return JSON.stringify({ email: EMAIL, ...FIELDS, consent: true, challengeToken })
}

/** A registration's body, with NUMBER_PLACE in its address. */
export const REGISTRATION_BODY: string = bodyWith(TEST_TOKEN)

/** One that is refused as the last thing before it would be sealed and stored; of the same size. */
export const REFUSED_BODY: string = bodyWith(TEST_TOKEN.replaceAll(/\w/g, 'x'))

/** The address of a number, as the service hashes it. */
export function normalizedAddress(number: number): string {
  const text = EMAIL.replace(NUMBER_PLACE, String(number).padStart(NUMBER_PLACE.length, '0'))
  const address = parseEmailAddress(text)
  if (address === undefined) throw new Error(`${text}: expected an e-mail address`)
  return address.normalized
}

/** The bytes that the service would seal for a number. */
export function plainEntry(number: number, ticket: string, registeredAtMs: number): Uint8Array {
  return formatWaitlistEntry({
    ticket,
    email: normalizedAddress(number),
    locale: FIELDS.locale,
    interests: FIELDS.interests,
    useCase: FIELDS.useCase,
    registeredAt: formatInstant(registeredAtMs),
  })
}
