import { ApiError } from '../errors/api-error.ts'
import { REQUEST_SCHEMAS } from '../registry/schemas.ts'
import { schemaMistake } from '../schemas/schema-mistake.ts'
import { LIMITS } from '../terms/limits.ts'
import type { SchemaType } from '../terms/schema-type.ts'

/** A request for an API key with valid fields. The challenge is verified later. */
export type KeyRequest = ReturnType<typeof parseKeyRequest>

/**
 * Parses the body of a request for a key (spec 4.2), a parsed JSON value. Throws ApiError INVALID_INPUT for every invalid
 * field, as the contract has no other code. The error has no cause and contains no part of the value.
 */
export function parseKeyRequest(value: unknown) {
  const schema = REQUEST_SCHEMAS.KeyRequest
  if (schemaMistake(schema, value) !== undefined) throw new ApiError('INVALID_INPUT')
  const body = value as SchemaType<typeof schema>
  return { label: null, ttlDays: LIMITS.defaultTtlDays, ...body }
}
