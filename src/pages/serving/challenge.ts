import { messageOf } from '@public-api/contract/errors/error-message'
import {
  HEADERS,
  NO_INDEX_HEADERS,
  RESPONSE_CONTENT_TYPE,
} from '@public-api/contract/terms/headers'
import type { ApiRequest } from '../../http/api-request.ts'
import {
  type Challenge,
  CHALLENGE_PURPOSES,
  type ChallengePurpose,
} from '../../service/challenge/challenge.ts'
import type { Log } from '../../service/logger.ts'

/** The purpose of a challenge from the query, which may have one `for`. Undefined for any other query. */
function purposeOf(target: string): ChallengePurpose | undefined {
  const query = target.indexOf('?')
  const asked = query === -1 ? [] : new URLSearchParams(target.slice(query)).getAll('for')
  if (asked.length === 0) return 'register'
  return asked.length === 1 ? CHALLENGE_PURPOSES.find((purpose) => purpose === asked[0]) : undefined
}

/**
 * Serves GET and HEAD of the endpoint that issues challenges, as JSON for the ALTCHA widget; the caller routes its
 * path (`challenge.description.path`). With `?for=issue-key` a challenge is valid for a key, otherwise for a
 * registration. Undefined if the provider issues its own challenges.
 *
 * Not part of the API: responses are unsigned, other origins cannot read them, and requests are not counted. Never
 * rejects.
 */
export function createChallengePage({
  challenge: { issue },
  deployment,
  log,
}: {
  readonly challenge: Challenge
  readonly deployment: 'primary' | 'preview'
  readonly log: Log
}) {
  if (issue === undefined) return undefined

  return async ({ method, target }: Pick<ApiRequest, 'method' | 'target'>) => {
    const reply = (status: number, json: string, extra: readonly string[] = []) => ({
      status,
      headers: [
        HEADERS.contentType,
        RESPONSE_CONTENT_TYPE,
        HEADERS.contentLength,
        String(Buffer.byteLength(json)),
        HEADERS.cacheControl,
        'no-store',
        'X-Content-Type-Options',
        'nosniff',
        ...(deployment === 'preview' ? NO_INDEX_HEADERS : []),
        ...extra,
      ],
      body: method === 'HEAD' ? undefined : json,
    })
    const refuse = (status: number, error: string, extra?: readonly string[]) =>
      reply(status, JSON.stringify({ error }), extra)
    if (method !== 'GET' && method !== 'HEAD') {
      return refuse(405, 'Use GET or HEAD.', [HEADERS.allow, 'GET, HEAD'])
    }
    const purpose = purposeOf(target)
    if (purpose === undefined) {
      const expected = CHALLENGE_PURPOSES.map((each) => `for=${each}`).join(' or ')
      return refuse(400, `Ask with ${expected}, or without "for".`)
    }
    try {
      return reply(200, await issue(purpose))
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'A challenge could not be created')
      return refuse(503, 'No challenge is available at the moment; try again later.')
    }
  }
}
