import { ApiError } from '../contract/api-error.ts'
import { JSON_MEDIA_TYPE } from '../contract/headers.ts'

/** Strict, and keeps a byte order mark, which no JSON text may start with (RFC 8259 8.1). */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The charset parameter; its value is a quoted string or a token (RFC 9110 5.6.6). */
const CHARSET = /^[ \t]*charset=(?:"((?:[^"\\]|\\.)*)"|([^ \t"]+))[ \t]*$/i
const MEDIA_TYPE = /^[ \t]*([^ \t]+)[ \t]*$/
const NOTHING = /^[ \t]*$/
const IDENTITY = /^[ \t]*(?:identity[ \t]*)?$/i

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

function isUtf8Charset(parameter: string): boolean {
  const [, quoted, token] = CHARSET.exec(parameter) ?? []
  const charset = quoted?.replaceAll(/\\(.)/g, '$1') ?? token
  return charset?.toLowerCase() === 'utf-8'
}

/**
 * Whether a Content-Type is accepted: `application/json` without parameters except one `charset=utf-8` (contract
 * decisions 3.15). Case, white space and empty parameters follow RFC 9110 8.3.1 and 5.6.6. Every pattern is anchored
 * and linear, because a header may be long.
 */
export function isJsonMediaType(contentType: string | undefined): boolean {
  if (contentType === undefined) return false
  // A quoted `;` is split too, but a value with one is not utf-8 in any case.
  const [mediaType = '', ...parameters] = contentType.split(';')
  if (MEDIA_TYPE.exec(mediaType)?.[1]?.toLowerCase() !== JSON_MEDIA_TYPE) return false
  const given = parameters.filter((parameter) => !NOTHING.test(parameter))
  return given.length <= 1 && given.every(isUtf8Charset)
}

/** Whether a Content-Encoding leaves the body unchanged: missing, or only `identity` (RFC 9110 8.4). */
export function isIdentityCoding(contentEncoding: string | undefined): boolean {
  return (
    contentEncoding === undefined ||
    contentEncoding.split(',').every((coding) => IDENTITY.test(coding))
  )
}
