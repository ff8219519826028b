import { ApiError } from '../contract/api-error.ts'
import { HEADERS } from '../contract/headers.ts'
import type { ApiRequest } from './api-request.ts'

const AUTHORIZATION = HEADERS.authorization.toLowerCase()
const KEY = HEADERS.key.toLowerCase()
/** The Bearer scheme, alone or behind another line's; what follows is the key, also when it is empty. */
const BEARER = /(?:^|,)[ \t]*bearer(?:[ \t]+(.*))?$/i
/** What stands between quotes is some other scheme's parameter and may say anything (RFC 9110 5.6.4). */
const QUOTED = /"(?:[^"\\]|\\.)*"/g
const SPACE_AROUND = /^[ \t]+|[ \t]+$/g

/**
 * The API key a request presents, or undefined when it presents none (spec 5.2). Another scheme is no key, and a key in
 * a URL is never looked at. An empty key is presented all the same, so that a caller whose variable is not set hears of
 * it rather than being taken for anonymous. Two headers that disagree are refused as KEY_INVALID.
 */
export function presentedKey(request: ApiRequest): string | undefined {
  const authorization = request.header(AUTHORIZATION)
  const scheme =
    authorization === undefined ? null : BEARER.exec(authorization.replaceAll(QUOTED, '""'))
  const bearer = scheme === null ? undefined : (scheme[1] ?? '').replaceAll(SPACE_AROUND, '')
  const header = request.header(KEY)
  if (bearer !== undefined && header !== undefined && bearer !== header) {
    throw new ApiError('KEY_INVALID')
  }
  return bearer ?? header
}
