import assert from 'node:assert/strict'
import type { OpenApiDocument } from '@public-api/contract/documents/openapi'
import type { JsonObject, JsonValue } from '@public-api/contract/json/canonical-json'

/** The object at a place of a JSON value; fails with the place if it is missing. */
export function objectAt(value: JsonValue | undefined, ...place: readonly string[]): JsonObject {
  let found: JsonValue | undefined = value
  for (const part of place) found = (found as JsonObject | undefined)?.[part]
  assert.ok(typeof found === 'object' && found !== null, `no object at ${place.join(' / ')}`)
  return found as JsonObject
}

/** The place that the `$ref` at a place of the document points to; the place itself without a `$ref`. */
export function resolvePlace(
  document: OpenApiDocument,
  place: readonly string[],
): readonly string[] {
  const { $ref } = objectAt(document, ...place)
  return typeof $ref === 'string' ? $ref.replace('#/', '').split('/') : place
}
