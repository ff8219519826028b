import { ApiError } from '../../src/contract/api-error.ts'
import type { ApiKeys } from '../../src/service/api-keys.ts'
import type { Waitlist } from '../../src/service/waitlist.ts'

/** The waitlist of a service whose store is down. */
export function createUnavailableWaitlist(): Waitlist {
  const refuse = () => Promise.reject(new ApiError('REGISTRATION_UNAVAILABLE'))
  return { isOpen: () => false, admit: refuse, register: refuse }
}

/** The keys of a service whose key store is down: nothing can be checked, and no key is taken for anonymous. */
export function createUnavailableApiKeys(): ApiKeys {
  const refuse = () => Promise.reject(new ApiError('KEYS_UNAVAILABLE'))
  return { check: refuse, revoke: refuse, issue: refuse }
}
