import { ApiError } from '../contract/api-error.ts'
import { JSON_MEDIA_TYPE } from '../contract/headers.ts'

/** Strict, and keeps a byte order mark as the character that no JSON text may begin with (RFC 8259 8.1). */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** One parameter, its value a quoted string or a token; the separator around it is taken off (RFC 9110 5.6.6). */
const CHARSET = /^[ \t]*charset=(?:"((?:[^"\\]|\\.)*)"|([^ \t"]+))[ \t]*$/i
const MEDIA_TYPE = /^[ \t]*([^ \t]+)[ \t]*$/
const NOTHING = /^[ \t]*$/
const IDENTITY = /^[ \t]*(?:identity[ \t]*)?$/i

/** The strings and the structure of a JSON text. Each alternative begins with another character, so it runs in one pass. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/** Whether an object in a valid JSON text has two members of one name, which RFC 8259 section 4 leaves undefined. */
function hasDuplicateNames(json: string): boolean {
  /** For each open object the names so far; undefined for an open array. */
  const open: (Set<string> | undefined)[] = []
  let isName = false
  for (const [token] of json.matchAll(TOKEN)) {
    const names = open.at(-1)
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (isName && names !== undefined && token.startsWith('"')) {
      // Escapes are another way to write the same name.
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
 * Throws ApiError INVALID_JSON for anything else, also for an empty body and a byte order mark. The error has no cause,
 * since the parser's error quotes the body.
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
 * Whether a Content-Type is the one that bodies are read as: `application/json` with no parameter but one
 * `charset=utf-8` (contract decisions 3.15). Case, white space and empty parameters are as RFC 9110 8.3.1 and 5.6.6 let
 * them be. Every pattern is anchored and reads its part once, since a header may be long.
 */
export function isJsonMediaType(contentType: string | undefined): boolean {
  if (contentType === undefined) return false
  // A quoted `;` is cut too, but what holds one is not utf-8 either way.
  const [mediaType = '', ...parameters] = contentType.split(';')
  if (MEDIA_TYPE.exec(mediaType)?.[1]?.toLowerCase() !== JSON_MEDIA_TYPE) return false
  const given = parameters.filter((parameter) => !NOTHING.test(parameter))
  return given.length <= 1 && given.every(isUtf8Charset)
}

/** Whether a Content-Encoding leaves the body as it is: left out, or a list of nothing but `identity` (RFC 9110 8.4). */
export function isIdentityCoding(contentEncoding: string | undefined): boolean {
  return (
    contentEncoding === undefined ||
    contentEncoding.split(',').every((coding) => IDENTITY.test(coding))
  )
}
