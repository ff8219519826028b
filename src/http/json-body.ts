import { ApiError } from '@public-api/contract/errors/api-error'
import { JSON_MEDIA_TYPE } from '@public-api/contract/terms/headers'
import { stripEnds } from '@public-api/contract/text/strip-ends'

/** Strict, and keeps a byte order mark, which no JSON text may start with (RFC 8259 8.1). */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The accepted parameter, in lower case; its value is a token or a quoted string (RFC 9110 5.6.6). */
const UTF8_CHARSET = /^charset=(?:utf-8|"\\?u\\?t\\?f\\?-\\?8")$/

/** Strings and structure of a JSON text. Each alternative starts with a different character, so matching is linear. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/** Whether an object in a valid JSON text has two members of one name, which RFC 8259 section 4 leaves undefined. */
function hasDuplicateNames(json: string): boolean {
  /** For each open object its names so far; undefined for an open array. */
  const open: (Set<string> | undefined)[] = []
  let isName = false
  for (const [token] of json.matchAll(TOKEN)) {
    const names = open.at(-1)
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (isName && names !== undefined && token.startsWith('"')) {
      // Decodes escapes, because `"\u0061"` and `"a"` are the same name.
      const name: unknown = JSON.parse(token)
      if (names.has(String(name))) return true
      names.add(String(name))
    }
    isName = token === '{' || token === ','
  }
  return false
}

/**
 * The value of a body that is exactly one JSON text in UTF-8 without duplicate names (contract decisions 3.15 and 4).
 * Throws ApiError INVALID_JSON for anything else, including an empty body and a byte order mark. The error has no
 * cause, because the parser's error quotes the body.
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  let text: string
  let value: unknown
  try {
    text = UTF8.decode(bytes)
    value = JSON.parse(text)
  } catch {
    throw new ApiError('INVALID_JSON')
  }
  if (hasDuplicateNames(text)) throw new ApiError('INVALID_JSON')
  return value
}

/** The members of a header in lower case, without the white space around them (RFC 9110 5.6.3). */
function membersOf(value: string, separator: ',' | ';'): readonly string[] {
  const members = value.toLowerCase().split(separator)
  return members.map((member) => stripEnds(member, ' \t'))
}

/**
 * Whether a Content-Type is accepted: `application/json` without parameters except one `charset=utf-8` (contract
 * decisions 3.15). Empty parameters are allowed (RFC 9110 5.6.6).
 */
export function isJsonMediaType(contentType = ''): boolean {
  // A quoted `;` is split too, but a value with one is not utf-8 in any case.
  const [mediaType, ...parameters] = membersOf(contentType, ';')
  const given = parameters.filter((parameter) => parameter !== '')
  return (
    mediaType === JSON_MEDIA_TYPE &&
    given.length <= 1 &&
    given.every((parameter) => UTF8_CHARSET.test(parameter))
  )
}

/** Whether a Content-Encoding leaves the body unchanged: missing, or only `identity` (RFC 9110 8.4). */
export function isIdentityCoding(contentEncoding = ''): boolean {
  return membersOf(contentEncoding, ',').every((coding) => coding === '' || coding === 'identity')
}
