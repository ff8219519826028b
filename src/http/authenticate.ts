import { ApiError } from '../contract/api-error.ts'
import { HEADERS } from '../contract/headers.ts'
import type { ApiRequest } from './api-request.ts'

const AUTHORIZATION = HEADERS.authorization.toLowerCase()
const KEY = HEADERS.key.toLowerCase()
const BEARER = /^bearer +(\S.*)$/i

/**
 * The API key a request presents, or undefined when it presents none (spec 5.2). Another scheme is no key, and a key in
 * a URL is never looked at. Two headers that disagree are refused as KEY_INVALID.
 */
export function presentedKey(request: ApiRequest): string | undefined {
  const authorization = request.header(AUTHORIZATION)
  const bearer =
    authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]?.trimEnd()
  const header = request.header(KEY)
  if (bearer !== undefined && header !== undefined && bearer !== header) {
    throw new ApiError('KEY_INVALID')
  }
  return bearer ?? header
}
