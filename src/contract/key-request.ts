import { ApiError } from './api-error.ts'
import { LIMITS } from './limits.ts'
import { schemaViolation } from './schema-violation.ts'
import { REQUEST_SCHEMAS } from './schemas.ts'
import type { SchemaType } from './schema-type.ts'

/** A request for an API key with valid fields (spec 4.2). The challenge is verified later. */
export interface KeyRequest {
  /** Never empty. */
  readonly challengeToken: string
  /** Null if omitted. */
  readonly label: string | null
  readonly ttlDays: number
}

/**
 * Parses the body of a request for a key, a parsed JSON value. Throws ApiError INVALID_INPUT for every invalid field,
 * as the contract has no other code. The error has no cause and contains no part of the value.
 */
export function parseKeyRequest(value: unknown): KeyRequest {
  const schema = REQUEST_SCHEMAS.KeyRequest
  if (schemaViolation(schema, value) !== undefined) throw new ApiError('INVALID_INPUT')
  const body = value as SchemaType<typeof schema>
  return { label: null, ttlDays: LIMITS.defaultTtlDays, ...body }
}
