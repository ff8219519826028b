/** A value that JSON can carry. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined }

/** Names and indexes that lead to the value being written. Put into words only where something has no canonical form. */
type Place = (string | number)[]

function refuse(place: Place, subject: string): never {
  const where = place.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  throw new TypeError(`$${where}: ${subject} has no JSON form; expected JSON`)
}

/** A Date, a Map or another object of a class would be written as `{}`, or as less than it holds. */
function requirePlain(value: object, place: Place): void {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return
  refuse(place, `an instance of ${value.constructor.name}`)
}

function write(value: JsonValue | undefined, place: Place): string {
  if (typeof value === 'string') {
    return value.isWellFormed() ? JSON.stringify(value) : refuse(place, 'a lone surrogate')
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? String(value) : refuse(place, String(value))
  }
  if (typeof value === 'boolean' || value === null) return String(value)
  if (typeof value !== 'object') return refuse(place, `a ${typeof value}`)
  const isArray = Array.isArray(value)
  if (!isArray) requirePlain(value, place)
  const members = value as { readonly [name: string | number]: JsonValue | undefined }
  let text = ''
  // The default sort compares UTF-16 code units, which is the order RFC 8785 section 3.2.3 asks for.
  for (const name of isArray ? value.keys() : Object.keys(value).toSorted()) {
    const member = members[name]
    if (member === undefined && !isArray) continue
    place.push(name)
    if (text !== '') text += ','
    if (typeof name === 'string') text += `${write(name, place)}:`
    text += write(member, place)
    place.pop()
  }
  return isArray ? `[${text}]` : `{${text}}`
}

/**
 * The canonical JSON text of a value (RFC 8785, JCS): object members sorted by UTF-16 code units, no white space,
 * numbers as ECMAScript writes them. Members that are `undefined` are left out, as `JSON.stringify` does.
 * Throws a TypeError that names the place for what JSON cannot carry (NaN, Infinity, functions, lone surrogates).
 */
export function canonicalJson(value: JsonValue): string {
  return write(value, [])
}
