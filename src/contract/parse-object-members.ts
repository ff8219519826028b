import { ApiError } from './api-error.ts'

/** The own members of an object, by name. */
export type Members = ReadonlyMap<string, unknown>

/**
 * The members of a body, a parsed JSON value. Throws ApiError INVALID_INPUT for an array, null or a primitive (contract
 * decisions 3.15). The error contains no part of the value.
 */
export function parseObjectMembers(value: unknown): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('INVALID_INPUT')
  }
  return new Map<string, unknown>(Object.entries(value))
}
