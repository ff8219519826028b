import { ApiError } from '@public-api/contract/errors/api-error'
import type { Challenge } from '../../src/service/challenge/challenge.ts'

/** The challenge of an app whose waitlist is down anyway. */
export const UNSOLVABLE_CHALLENGE: Challenge = {
  description: { provider: 'altcha', path: '/challenge', siteKey: null },
  issue: undefined,
  verify: () => Promise.reject(new ApiError('CHALLENGE_FAILED')),
}
