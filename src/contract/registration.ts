import { ApiError } from './api-error.ts'
import { parseEmailAddress, type EmailAddress } from './email-address.ts'
import type { ErrorCode } from './errors.ts'
import { isForbiddenField, isSessionIdField } from './forbidden-fields.ts'
import { LIMITS } from './limits.ts'
import { LOCALES, type Locale } from './locales.ts'
import { parseObjectMembers, type Members } from './parse-object-members.ts'
import { INTERESTS, REGISTRATION_SCHEMA } from './registration-schema.ts'

/** An area a registration may name. */
export type Interest = (typeof INTERESTS)[number]

/** A registration with valid fields. The challenge is verified later. */
export interface RegistrationInput {
  readonly email: EmailAddress
  /** Undefined if omitted. */
  readonly locale: Locale | undefined
  /** In the order of the request; empty if omitted. */
  readonly interests: readonly Interest[]
  readonly useCase: string | undefined
  /** Never empty. */
  readonly challengeToken: string
}

type Field = keyof typeof REGISTRATION_SCHEMA.properties

const LISTED: ReadonlySet<string> = new Set(Object.keys(REGISTRATION_SCHEMA.properties))

function isOneOf<Known extends string>(known: readonly Known[], value: unknown): value is Known {
  return known.some((each) => each === value)
}

/** The value. Throws ApiError with the code if it is undefined. */
function requireValue<Value>(value: Value | undefined, code: ErrorCode): Value {
  if (value === undefined) throw new ApiError(code)
  return value
}

/**
 * Rejects unknown names first, then names that are never accepted (spec 4.1 rule 3). A session id is checked later
 * (rule 4).
 */
function checkNames(members: Members): void {
  const unlisted = [...members.keys()].filter(
    (name) => !LISTED.has(name) && !isSessionIdField(name),
  )
  if (unlisted.some((name) => !isForbiddenField(name))) throw new ApiError('INVALID_INPUT')
  if (unlisted.length > 0) throw new ApiError('FORBIDDEN_FIELD')
}

/** A missing address or one of the wrong type is INVALID_EMAIL, not INVALID_INPUT (contract decisions section 4). */
function parseEmail(value: unknown): EmailAddress {
  const email = typeof value === 'string' ? parseEmailAddress(value) : undefined
  return requireValue(email, 'INVALID_EMAIL')
}

/** Must be spelled as in the contract. If omitted, the service determines it. */
function parseLocale(value: unknown): Locale | undefined {
  if (value === undefined || isOneOf(LOCALES, value)) return value
  throw new ApiError('INVALID_LOCALE')
}

/** Known areas, each at most once. An empty list is valid (contract decisions section 4). */
function parseInterests(value: unknown): readonly Interest[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > LIMITS.maxInterests) {
    throw new ApiError('INVALID_INTERESTS')
  }
  const interests = value.filter((each): each is Interest => isOneOf(INTERESTS, each))
  // An unknown value was filtered out, and the set drops repeats.
  if (new Set(interests).size !== value.length) throw new ApiError('INVALID_INTERESTS')
  return interests
}

/** Only the literal `true` is consent (spec 4.1). */
function checkConsent(value: unknown): void {
  if (value !== true) throw new ApiError('CONSENT_REQUIRED')
}

/** Code points are counted, not UTF-16 units; a lone surrogate has no UTF-8 form and is refused (spec section 8). */
function parseUseCase(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && value.isWellFormed()) {
    if (Array.from(value).length <= LIMITS.maxUseCaseCodePoints) return value
  }
  throw new ApiError('INVALID_USE_CASE')
}

/** The service has no sessions, so every session id is refused (contract decisions section 4). */
function checkNoSessionId(members: Members): void {
  if ([...members.keys()].some(isSessionIdField)) throw new ApiError('INVALID_SESSION_ID')
}

/** An empty token counts as missing. The challenge verifies any other (spec 4.1 rules 4 and 5). */
function parseChallengeToken(value: unknown): string {
  return requireValue(
    typeof value === 'string' && value !== '' ? value : undefined,
    'CHALLENGE_REQUIRED',
  )
}

/**
 * Parses the body of a registration, a parsed JSON value. Throws ApiError with the code of the first rule that is broken,
 * in the order of spec 4.1 rules 3 and 4. The error has no cause and contains no part of the value.
 */
export function parseRegistration(value: unknown): RegistrationInput {
  const members = parseObjectMembers(value)
  const read = (field: Field): unknown => members.get(field)
  checkNames(members)
  const email = parseEmail(read('email'))
  const locale = parseLocale(read('locale'))
  const interests = parseInterests(read('interests'))
  checkConsent(read('consent'))
  const useCase = parseUseCase(read('useCase'))
  checkNoSessionId(members)
  const challengeToken = parseChallengeToken(read('challengeToken'))
  return { email, locale, interests, useCase, challengeToken }
}
