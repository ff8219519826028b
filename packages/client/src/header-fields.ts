/**
 * Header fields in the formats of HTTP libraries: Headers of fetch, pairs in the order received, or an object by name.
 */
export type HeaderSource =
  | {
      /** Returns the value of a field, or null. */
      get(name: string): string | null
    }
  | Iterable<readonly [name: string, value: string]>
  | { readonly [name: string]: string | readonly string[] | undefined }

/** The value of a field by its name in any case, or undefined. Several lines of one name are joined (RFC 9110 5.2). */
export type HeaderFields = (name: string) => string | undefined

/**
 * A value without the white space around it (RFC 9110 5.5). The regular expression /[ \t]+$/ would take quadratic
 * time on a long run of white space.
 */
const BARE = /[^ \t](?:.*[^ \t])?|$/s

/** Reads header fields by name. */
export function readHeaders(source: HeaderSource): HeaderFields {
  // A Map has a `get` as well, but it is case-sensitive.
  const headers = source as Pick<Headers, 'get'>
  if (typeof headers.get === 'function' && !(source instanceof Map)) {
    return (name) => headers.get(name) ?? undefined
  }
  const fields = new Map<string, string>()
  const pairs = (Symbol.iterator in source ? source : Object.entries(source)) as Iterable<
    readonly [string, string | readonly string[] | undefined]
  >
  for (const [name, values] of pairs) {
    for (const line of typeof values === 'string' ? [values] : (values ?? [])) {
      const key = name.toLowerCase()
      const before = fields.get(key)
      const value = BARE.exec(line)?.[0] ?? ''
      fields.set(key, before === undefined ? value : `${before}, ${value}`)
    }
  }
  return (name) => fields.get(name.toLowerCase())
}

const MEMBER = /^[ \t]*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):[ \t]*$/

/**
 * The base64 of the member sha-256 of a Content-Digest, a dictionary of byte sequences (RFC 9530 2, RFC 8941 3.2). If
 * there are several, the last one counts. Undefined if it is missing, or if the field is malformed.
 */
export function sha256Of(contentDigest: string): string | undefined {
  let found: string | undefined
  for (const member of contentDigest.split(',')) {
    const [, algorithm, base64] = MEMBER.exec(member) ?? []
    if (algorithm === undefined) return undefined
    if (algorithm === 'sha-256') found = base64
  }
  return found
}
