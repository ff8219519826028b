import { ApiError } from '@public-api/contract/errors/api-error'
import { createTestChallenge } from '../challenge/challenge.ts'
import { UNVERIFIED_TIME } from '../time/time-quality.ts'

const refuseRegistration = () => Promise.reject(new ApiError('REGISTRATION_UNAVAILABLE'))
const refuseKey = () => Promise.reject(new ApiError('KEYS_UNAVAILABLE'))

/** The services of an app that takes no registrations and knows no keys, such as a draft or a static copy. */
export const ABSENT_SERVICES = {
  waitlist: { isOpen: () => false, admit: refuseRegistration, register: refuseRegistration },
  apiKeys: { check: refuseKey, revoke: refuseKey, issue: refuseKey },
  challenge: createTestChallenge(),
  timeQuality: UNVERIFIED_TIME,
}
