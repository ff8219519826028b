import { ApiError } from '../contract/api-error.ts'
import type { Challenge } from './challenge.ts'

/** The token that the test challenge accepts, repeatedly and for every purpose. */
export const TEST_TOKEN = 'test-pass'

/** A challenge for trials, which proves nothing. The configuration refuses it in production. */
export function createTestChallenge(): Challenge {
  return {
    description: { provider: 'test', path: null, siteKey: null },
    issue: undefined,
    async verify(token) {
      if (token !== TEST_TOKEN) throw new ApiError('CHALLENGE_FAILED')
      return { release: async () => {} }
    },
  }
}
