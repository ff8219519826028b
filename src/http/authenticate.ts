import { ApiError } from '../contract/api-error.ts'
import { HEADERS } from '../contract/headers.ts'
import type { ApiRequest } from './api-request.ts'

const AUTHORIZATION = HEADERS.authorization.toLowerCase()
const KEY = HEADERS.key.toLowerCase()
const BEARER = 'bearer'

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}

/** A value without surrounding white space; only HTTP's two kinds (RFC 9110 5.6.3). */
function trimSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text[start])) start += 1
  while (end > start && isSpace(text[end - 1])) end -= 1
  return text.slice(start, end)
}

/** Whether the scheme's name is here, in any case, as a whole word (RFC 9110 11.1). */
function isBearerAt(value: string, at: number): boolean {
  const end = at + BEARER.length
  if (end < value.length && !isSpace(value[end])) return false
  return value.slice(at, end).toLowerCase() === BEARER
}

/**
 * The value after the Bearer scheme, on its own line or joined to another, up to its end; undefined if missing.
 * Quoted text is a parameter of another scheme and may contain anything (RFC 9110 5.6.4). One pass, because anyone
 * may send a long value.
 */
function bearerOf(value: string): string | undefined {
  let isQuoted = false
  let isStart = true
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at]
    if (isQuoted) {
      if (character === '\\') at += 1
      else if (character === '"') isQuoted = false
    } else if (character === ',') {
      isStart = true
    } else if (!isSpace(character)) {
      if (isStart && isBearerAt(value, at)) return trimSpace(value.slice(at + BEARER.length))
      isStart = false
      isQuoted = character === '"'
    }
  }
  return undefined
}

/**
 * The API key of a request, or undefined (spec 5.2). Other schemes and keys in a URL are ignored. An empty key counts as
 * presented, so that a caller with an unset variable gets an error instead of anonymous access. Throws ApiError
 * KEY_INVALID if the two headers have different keys.
 */
export function presentedKey(request: ApiRequest): string | undefined {
  const authorization = request.header(AUTHORIZATION)
  const bearer = authorization === undefined ? undefined : bearerOf(authorization)
  const header = request.header(KEY)
  if (bearer !== undefined && header !== undefined && bearer !== header) {
    throw new ApiError('KEY_INVALID')
  }
  return bearer ?? header
}
