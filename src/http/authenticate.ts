import { ApiError } from '@public-api/contract/errors/api-error'
import { stripEnds } from '@public-api/contract/text/strip-ends'
import type { ApiRequest } from './api-request.ts'

/** Quoted text is a parameter of another scheme and may contain anything (RFC 9110 5.6.4). Linear, as is BEARER. */
const QUOTED = /"(?:[^"\\]|\\.)*"?/g
/** The Bearer scheme and its credentials, alone or after another scheme (RFC 9110 11.1). */
const BEARER = /(?:^|,)[ \t]*bearer(?:[ \t](.*))?$/i

/**
 * The API key of a request, or undefined (spec 5.2). Other schemes and keys in a URL are ignored. An empty key counts as
 * presented, so that a caller with an unset variable gets an error instead of anonymous access. Throws ApiError
 * KEY_INVALID if the two headers have different keys.
 */
export function presentedKey(request: ApiRequest): string | undefined {
  const authorization = request.header('authorization')
  const scheme = BEARER.exec(authorization?.replaceAll(QUOTED, '""') ?? '')
  // Spaces and tabs are the only white space around a field value (RFC 9110 5.6.3).
  const bearer = scheme === null ? undefined : stripEnds(scheme[1] ?? '', ' \t')
  const header = request.header('x-svc-key')
  if (bearer !== undefined && header !== undefined && bearer !== header) {
    throw new ApiError('KEY_INVALID')
  }
  return bearer ?? header
}
