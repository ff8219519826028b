/** A value that JSON can carry. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** An object that JSON can carry. Members that are `undefined` are left out. */
export type JsonObject = { readonly [name: string]: JsonValue | undefined }

/** The first part of a value that JSON cannot represent, with its place; undefined if it can be JSON. */
function faultIn(value: unknown, place: string): string | undefined {
  if (typeof value === 'string')
    return value.isWellFormed() ? undefined : `${place}: a lone surrogate`
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${place}: ${value}`
  if (typeof value === 'boolean' || value === null) return undefined
  if (typeof value !== 'object') return `${place}: a ${typeof value}`
  const isArray = Array.isArray(value)
  const prototype: unknown = isArray ? null : Object.getPrototypeOf(value)
  // A Date, a Map or another class instance would lose its content.
  if (prototype !== Object.prototype && prototype !== null)
    return `${place}: an instance of ${value.constructor.name}`
  // Holes of arrays are undefined too.
  for (const [name, member] of isArray ? value.entries() : Object.entries(value)) {
    if (member === undefined && !isArray) continue
    const at = isArray ? `${place}[${name}]` : `${place}.${name}`
    const fault = faultIn(name, at) ?? faultIn(member, at)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Whether all objects have their names in canonical order. Throws for Infinity and lone surrogates. */
function isInOrder(value: JsonValue | undefined): boolean {
  if (typeof value === 'string' && !value.isWellFormed()) throw new TypeError('a lone surrogate')
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(String(value))
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return !value.map(isInOrder).includes(false)
  let isOrdered = true
  let previous = ''
  for (const name of Object.keys(value)) {
    const member = (value as JsonObject)[name]
    // Compares UTF-16 code units, as RFC 8785 section 3.2.3 requires.
    isOrdered = isInOrder(name) && isInOrder(member) && isOrdered && previous <= name
    previous = name
  }
  return isOrdered
}

function write(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members: string[] = []
  // The default sort compares UTF-16 code units too. Integer names always come first in an object.
  for (const name of Object.keys(value).toSorted()) {
    const member = (value as { readonly [name: string]: JsonValue | undefined })[name]
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${write(member)}`)
  }
  return `{${members.join(',')}}`
}

/**
 * The canonical JSON text of a result of JSON.parse: `canonicalJson` without checks for values that JSON.parse never
 * returns. Throws a TypeError for Infinity (1e999) and lone surrogates.
 */
export function canonicalJsonOfParsed(value: JsonValue): string {
  // For data in canonical order, as the service sends it, JSON.stringify takes a third of the time.
  return isInOrder(value) ? JSON.stringify(value) : write(value)
}

/**
 * The canonical JSON text of a value (RFC 8785, JCS): object members sorted by UTF-16 code units, no white space,
 * numbers as ECMAScript writes them. Members that are `undefined` are left out, as in `JSON.stringify`. Throws a
 * TypeError that names the place of a value JSON cannot represent (NaN, Infinity, functions, lone surrogates).
 */
export function canonicalJson(value: JsonValue): string {
  const fault = faultIn(value, '$')
  if (fault !== undefined) throw new TypeError(`${fault} has no JSON form; expected JSON`)
  return canonicalJsonOfParsed(value)
}

/** Whether a text is the canonical JSON of its parsed value. One with a lone surrogate or with deep nesting has none. */
export function isCanonicalJson(text: string, value: unknown): boolean {
  try {
    return canonicalJsonOfParsed(value as JsonValue) === text
  } catch {
    return false
  }
}
