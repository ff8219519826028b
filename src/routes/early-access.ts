import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import type { DataOf } from '@public-api/contract/registry/schemas'
import {
  EARLY_ACCESS_RESOURCE,
  type EarlyAccessState,
} from '@public-api/contract/snapshots/early-access'
import { JSON_MEDIA_TYPE } from '@public-api/contract/terms/headers'
import { LIMITS } from '@public-api/contract/terms/limits'
import { LOCALES } from '@public-api/contract/terms/locales'
import { INTERESTS, REGISTRATION_SCHEMA } from '@public-api/contract/waitlist/registration-schema'
import type { ChallengeDescription } from '../service/challenge/challenge.ts'
import type { PublishedHistory } from '../service/releases/releases.ts'
import { isEarlyAccessUnread } from '../service/releases/unread-early-access.ts'

type EarlyAccess = DataOf<'EarlyAccess'>

const NOTES: { readonly [State in EarlyAccess['state']]: string } = {
  open: 'The waitlist is open.',
  unavailable: 'Registration is not available at the moment; try again later.',
}

/** Why the waitlist is closed, as its operator says it where that can be read; undefined while it is open. */
export function closedText(
  releases: Pick<PublishedHistory, 'resource' | 'served'>,
): string | undefined {
  if (isEarlyAccessUnread(releases)) return NOTES.unavailable
  const payload = releases.resource(EARLY_ACCESS_RESOURCE)
  if (payload === undefined) return undefined
  // Loading a release checks its schemas.
  const { state, text } = JSON.parse(payload.json) as EarlyAccessState
  return state === 'closed' ? text : undefined
}

/** The message of a registration that is refused because an operator closed the waitlist, with the operator's text. */
export const closedMessage = (text: string): string =>
  `The waitlist is closed, and nothing was stored. ${text}`

/** `data` of the waitlist's availability. `note` is the text of an operator who closed it. */
export function describeEarlyAccess(
  state: EarlyAccess['state'],
  challenge: ChallengeDescription,
  note: string = NOTES[state],
): EarlyAccess {
  const { required, properties } = REGISTRATION_SCHEMA
  const isRequired = new Set<string>(required)
  return {
    state,
    note,
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
