import { ApiError } from './api-error.ts'

/** The members that an object itself has, by name; what it inherits was never sent. */
export type Members = ReadonlyMap<string, unknown>

/**
 * The members of a body, a parsed JSON value. Arrays, null and bare values have the wrong shape: throws ApiError
 * INVALID_INPUT (contract decisions 3.15), which holds nothing of the value.
 */
export function membersOf(value: unknown): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('INVALID_INPUT')
  }
  return new Map<string, unknown>(Object.entries(value))
}
