import type { JsonValue } from '../contract/canonical-json.ts'

/** A JSON object. */
export type JsonObject = { readonly [name: string]: JsonValue | undefined }

/**
 * The value as plain JSON: a copy without members that are `undefined`. Throws a TypeError that names the place of
 * anything that JSON cannot represent.
 */
export function toJson(value: unknown, where = '$'): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value
    throw new TypeError(`${where}: ${value} has no JSON form; expected a finite number`)
  }
  if (Array.isArray(value)) return value.map((item, index) => toJson(item, `${where}[${index}]`))
  if (typeof value === 'object') {
    const members: { [name: string]: JsonValue } = {}
    for (const [name, member] of Object.entries(value)) {
      if (member !== undefined) members[name] = toJson(member, `${where}.${name}`)
    }
    return members
  }
  throw new TypeError(`${where}: a ${typeof value} has no JSON form`)
}
