import { ApiError } from '@public-api/contract/errors/api-error'
import type { ApiKeys } from '../api-keys/api-keys.ts'
import type { Waitlist } from '../waitlist/waitlist.ts'

/** The stores of an app that takes no registrations and knows no keys, such as a draft or a static copy. */
export function createAbsentStores(): { readonly waitlist: Waitlist; readonly apiKeys: ApiKeys } {
  const refuseRegistration = () => Promise.reject(new ApiError('REGISTRATION_UNAVAILABLE'))
  const refuseKey = () => Promise.reject(new ApiError('KEYS_UNAVAILABLE'))
  return {
    waitlist: { isOpen: () => false, admit: refuseRegistration, register: refuseRegistration },
    apiKeys: { check: refuseKey, revoke: refuseKey, issue: refuseKey },
  }
}
