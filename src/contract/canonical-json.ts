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

/** Throws for values that JSON cannot represent. Returns whether all objects have their names in canonical order. */
function isInOrder(value: unknown, place: Place): boolean {
  if (typeof value === 'string') return value.isWellFormed() || refuse(place, 'a lone surrogate')
  if (typeof value === 'number') return Number.isFinite(value) || refuse(place, String(value))
  if (typeof value === 'boolean' || value === null) return true
  if (typeof value !== 'object') refuse(place, `a ${typeof value}`)
  const isArray = Array.isArray(value)
  const prototype: unknown = isArray ? null : Object.getPrototypeOf(value)
  // A Date, a Map or another class instance would lose its content.
  if (prototype !== Object.prototype && prototype !== null)
    refuse(place, `an instance of ${value.constructor.name}`)
  let isOrdered = true
  let previous = ''
  // Holes of arrays are undefined too.
  for (const [name, member] of isArray ? value.entries() : Object.entries(value)) {
    if (member === undefined && !isArray) continue
    place.push(name)
    if (typeof name === 'string') {
      // Compares UTF-16 code units, as RFC 8785 section 3.2.3 requires.
      isOrdered = isInOrder(name, place) && isOrdered && previous <= name
      previous = name
    }
    isOrdered = isInOrder(member, place) && isOrdered
    place.pop()
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
 * The canonical JSON text of a value (RFC 8785, JCS): object members sorted by UTF-16 code units, no white space,
 * numbers as ECMAScript writes them. Members that are `undefined` are left out, as in `JSON.stringify`. Throws a
 * TypeError that names the place of a value JSON cannot represent (NaN, Infinity, functions, lone surrogates).
 */
export function canonicalJson(value: JsonValue): string {
  // For data in canonical order, as the service sends it, JSON.stringify takes a third of the time.
  return isInOrder(value, []) ? JSON.stringify(value) : write(value)
}
