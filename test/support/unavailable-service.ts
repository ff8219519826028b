import { ApiError } from '@public-api/contract/errors/api-error'
import type { ApiKeys } from '../../src/service/api-keys/api-keys.ts'
import type { Waitlist } from '../../src/service/waitlist/waitlist.ts'

/** The waitlist of a service whose store is down. */
export function createUnavailableWaitlist(): Waitlist {
  const refuse = () => Promise.reject(new ApiError('REGISTRATION_UNAVAILABLE'))
  return { isOpen: () => false, admit: refuse, register: refuse }
}

/** Keys whose store is down: none can be checked, and no request with a key becomes anonymous. */
export function createUnavailableApiKeys(): ApiKeys {
  const refuse = () => Promise.reject(new ApiError('KEYS_UNAVAILABLE'))
  return { check: refuse, revoke: refuse, issue: refuse }
}
