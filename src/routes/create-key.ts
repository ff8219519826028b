import { ApiError } from '../contract/api-error.ts'
import { parseKeyRequest } from '../contract/key-request.ts'
import type { Handler } from '../http/exchange.ts'
import { parseJsonBody } from '../http/json-body.ts'
import type { ApiKeys } from '../service/api-keys.ts'
import type { AcceptedChallenge, Challenge } from '../service/challenge.ts'
import { createPayload } from '../service/payload.ts'

/**
 * The issuance handler, reached only while issuance is open (spec 5.5). The body is checked first, then the challenge, then
 * the limits, so that only solved challenges count against them.
 */
export function createCreateKey(apiKeys: ApiKeys, challenge: Challenge): Handler {
  async function verify(token: string): Promise<AcceptedChallenge> {
    try {
      return await challenge.verify(token, 'issue-key')
    } catch (cause) {
      throw cause instanceof ApiError ? cause : new ApiError('KEYS_UNAVAILABLE', { cause })
    }
  }

  return async ({ body }) => {
    const { challengeToken, label, ttlDays } = parseKeyRequest(parseJsonBody(body))
    const accepted = await verify(challengeToken)
    try {
      return createPayload(await apiKeys.issue({ label, ttlDays }))
    } catch (error) {
      // No key was created, so the caller may repeat the request.
      await accepted.release()
      throw error
    }
  }
}
