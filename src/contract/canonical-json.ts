/** A value that JSON can carry. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined }

const LONE_SURROGATE = /[\uD800-\uDFFF]/u

function canonicalString(text: string, where: string): string {
  if (LONE_SURROGATE.test(text)) {
    throw new TypeError(
      `${where}: a lone surrogate has no canonical JSON form; expected well-formed Unicode`,
    )
  }
  return JSON.stringify(text)
}

/** A Date, a Map or another object of a class would be written as `{}`, or as less than it holds. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function describeKind(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? `an instance of ${value.constructor.name}`
    : `a ${typeof value}`
}

/**
 * The canonical JSON text of a value (RFC 8785, JCS): object members sorted by UTF-16 code units, no white space,
 * numbers as ECMAScript writes them. Members that are `undefined` are left out, as `JSON.stringify` does.
 * Throws a TypeError that names the place for what JSON cannot carry (NaN, Infinity, functions, lone surrogates).
 */
export function canonicalJson(value: JsonValue, where = '$'): string {
  if (typeof value === 'string') return canonicalString(value, where)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) {
      throw new TypeError(`${where}: ${value} has no JSON form; expected a finite number`)
    }
    return JSON.stringify(value)
  }
  if (typeof value === 'boolean' || value === null) return String(value)
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[]
    return `[${items.map((item, index) => canonicalJson(item, `${where}[${index}]`)).join(',')}]`
  }
  if (typeof value === 'object' && isPlainObject(value)) {
    const members: string[] = []
    // The default sort compares UTF-16 code units, which is the order RFC 8785 section 3.2.3 asks for.
    for (const name of Object.keys(value).toSorted()) {
      const member = (value as { readonly [name: string]: JsonValue | undefined })[name]
      if (member === undefined) continue
      const at = `${where}.${name}`
      members.push(`${canonicalString(name, at)}:${canonicalJson(member, at)}`)
    }
    return `{${members.join(',')}}`
  }
  throw new TypeError(`${where}: ${describeKind(value)} has no JSON form of its own`)
}
