import { ApiError } from '../errors/api-error.ts'
import type { ErrorCode } from '../errors/errors.ts'
import { schemaMistake } from '../schemas/schema-mistake.ts'
import type { SchemaType } from '../terms/schema-type.ts'
import { parseEmailAddress } from './email-address.ts'
import { isForbiddenField, isSessionIdField } from './forbidden-fields.ts'
import { REGISTRATION_SCHEMA } from './registration-schema.ts'

/** A registration with valid fields. The challenge is verified later. */
export type RegistrationInput = ReturnType<typeof parseRegistration>

const { properties } = REGISTRATION_SCHEMA
const REQUIRED: readonly string[] = REGISTRATION_SCHEMA.required

/**
 * Parses the body of a registration, a parsed JSON value. Throws ApiError with the code of the first rule that is broken,
 * in the order of spec 4.1 rules 3 and 4. The error has no cause and contains no part of the value. `interests` is empty if
 * omitted, `challengeToken` never. A `useCase` of white space alone is omitted.
 */
export function parseRegistration(value: unknown) {
  const refuseIf = (isBroken: boolean, code: ErrorCode): void => {
    if (isBroken) throw new ApiError(code)
  }
  refuseIf(schemaMistake({ type: 'object' }, value) !== undefined, 'INVALID_INPUT')
  const names = Object.keys(value as object)
  const isUnlisted = (name: string) => !Object.hasOwn(properties, name) && !isSessionIdField(name)
  const unlisted = names.filter(isUnlisted)
  refuseIf(!unlisted.every(isForbiddenField), 'INVALID_INPUT')
  refuseIf(unlisted.length > 0, 'FORBIDDEN_FIELD')

  // Each field has the type of its schema once it was checked.
  const fields = { ...(value as SchemaType<typeof REGISTRATION_SCHEMA>) }
  const check = (name: keyof typeof properties, code: ErrorCode): void => {
    const isOmitted = fields[name] === undefined && !REQUIRED.includes(name)
    refuseIf(!isOmitted && schemaMistake(properties[name], fields[name]) !== undefined, code)
  }
  // A missing address or one of the wrong type is INVALID_EMAIL, not INVALID_INPUT (contract decisions section 4).
  const email = typeof fields.email === 'string' ? parseEmailAddress(fields.email) : undefined
  if (email === undefined) throw new ApiError('INVALID_EMAIL')
  check('locale', 'INVALID_LOCALE')
  check('interests', 'INVALID_INTERESTS')
  check('consent', 'CONSENT_REQUIRED')
  check('useCase', 'INVALID_USE_CASE')
  // A lone surrogate has no UTF-8 form.
  refuseIf(fields.useCase?.isWellFormed() === false, 'INVALID_USE_CASE')
  // The service has no sessions, so every session id is refused.
  refuseIf(names.some(isSessionIdField), 'INVALID_SESSION_ID')
  check('challengeToken', 'CHALLENGE_REQUIRED')
  const { locale, interests = [], challengeToken } = fields
  const useCase = fields.useCase?.trim() === '' ? undefined : fields.useCase
  return { email, locale, interests, useCase, challengeToken }
}
