/** A value that JSON can carry. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** An object that JSON can carry. Members that are `undefined` are left out. */
export type JsonObject = { readonly [name: string]: JsonValue | undefined }

/** Names and indexes of the current value, formatted only for an error. */
type Place = (string | number)[]

function refuse(place: Place, subject: string): never {
  const where = place.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  throw new TypeError(`$${where}: ${subject} has no JSON form; expected JSON`)
}

/** Throws for values that JSON cannot represent. */
function requireJson(value: unknown, place: Place): void {
  if (typeof value === 'boolean' || value === null) return
  if (typeof value === 'string') {
    if (!value.isWellFormed()) refuse(place, 'a lone surrogate')
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) refuse(place, String(value))
  } else if (typeof value !== 'object') {
    refuse(place, `a ${typeof value}`)
  } else {
    requireMembers(value, place)
  }
}

function requireMembers(value: object, place: Place): void {
  const isArray = Array.isArray(value)
  const prototype: unknown = isArray ? null : Object.getPrototypeOf(value)
  // A Date, a Map or another class instance would lose its content.
  if (prototype !== Object.prototype && prototype !== null)
    refuse(place, `an instance of ${value.constructor.name}`)
  // Holes of arrays are undefined too.
  for (const [name, member] of isArray ? value.entries() : Object.entries(value)) {
    if (member === undefined && !isArray) continue
    place.push(name)
    if (typeof name === 'string') requireJson(name, place)
    requireJson(member, place)
    place.pop()
  }
}

/**
 * Whether all objects have their names in canonical order. Visits the whole value, and throws for Infinity and lone
 * surrogates.
 */
function isInOrder(value: JsonValue | undefined): boolean {
  if (typeof value === 'string' && !value.isWellFormed()) throw new TypeError('a lone surrogate')
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(String(value))
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return !value.map(isInOrder).includes(false)
  const members = value as { readonly [name: string]: JsonValue | undefined }
  let isOrdered = true
  let previous = ''
  for (const name of Object.keys(members)) {
    // Compares UTF-16 code units, as RFC 8785 section 3.2.3 requires.
    isOrdered = isInOrder(name) && isInOrder(members[name]) && isOrdered && previous <= name
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
  requireJson(value, [])
  return canonicalJsonOfParsed(value)
}
