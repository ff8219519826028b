import { JSON_MEDIA_TYPE } from '@public-api/contract/http/headers'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { LIMITS } from '@public-api/contract/registry/limits'
import { LOCALES } from '@public-api/contract/registry/locales'
import type { DataOf } from '@public-api/contract/schemas/schemas'
import { INTERESTS, REGISTRATION_SCHEMA } from '@public-api/contract/waitlist/registration-schema'
import type { ChallengeDescription } from '../service/challenge/challenge.ts'

type EarlyAccess = DataOf<'EarlyAccess'>

const NOTES: { readonly [State in EarlyAccess['state']]: string } = {
  open: 'The waitlist is open.',
  unavailable: 'Registration is not available at the moment; try again later.',
}

/** `data` of the waitlist's availability. */
export function describeEarlyAccess(
  state: EarlyAccess['state'],
  challenge: ChallengeDescription,
): EarlyAccess {
  const { required, properties } = REGISTRATION_SCHEMA
  const isRequired = new Set<string>(required)
  return {
    state,
    note: NOTES[state],
    registration: {
      method: ENDPOINTS.register.method,
      path: ENDPOINTS.register.path,
      contentType: JSON_MEDIA_TYPE,
      maxBodyBytes: LIMITS.maxBodyBytes,
    },
    form: {
      required,
      optional: Object.keys(properties).filter((name) => !isRequired.has(name)),
      locales: LOCALES,
      interests: INTERESTS,
      maxInterests: LIMITS.maxInterests,
      maxUseCaseLength: LIMITS.maxUseCaseCodePoints,
    },
    // While registration is closed, there is no challenge to solve.
    challenge: state === 'open' ? challenge : { ...challenge, path: null },
    privacy: [
      'No IP address is stored or logged.',
      'The address and the use case are encrypted before they are stored. The key that decrypts them does not have to be on the server.',
      'A repeated address is recognized by a keyed hash.',
    ],
  }
}
