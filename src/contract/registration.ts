import { ApiError } from './api-error.ts'
import { parseEmailAddress, type EmailAddress } from './email-address.ts'
import type { ErrorCode } from './errors.ts'
import { isForbiddenField, isSessionIdField } from './forbidden-fields.ts'
import { LIMITS } from './limits.ts'
import { LOCALES, type Locale } from './locales.ts'
import { membersOf, type Members } from './sent-members.ts'
import { INTERESTS, REGISTRATION_SCHEMA } from './registration-schema.ts'

/** An area a registration may name. */
export type Interest = (typeof INTERESTS)[number]

/** A registration that keeps every rule that can be checked without asking anybody. */
export interface RegistrationInput {
  readonly email: EmailAddress
  /** Undefined where the caller left it out. */
  readonly locale: Locale | undefined
  /** In the order they were sent in; empty where they were left out. */
  readonly interests: readonly Interest[]
  readonly useCase: string | undefined
  /** Not checked yet, and not empty. */
  readonly challengeToken: string
}

type Field = keyof typeof REGISTRATION_SCHEMA.properties

const LISTED: ReadonlySet<string> = new Set(Object.keys(REGISTRATION_SCHEMA.properties))

function isOneOf<Known extends string>(known: readonly Known[], value: unknown): value is Known {
  return known.some((each) => each === value)
}

/** A value, or the code that names what is wrong with it. */
function need<Value>(value: Value | undefined, code: ErrorCode): Value {
  if (value === undefined) throw new ApiError(code)
  return value
}

/** Unknown names before names that are never accepted (spec 4.1 rule 3); a session id has its own turn (rule 4). */
function checkNames(members: Members): void {
  const unlisted = [...members.keys()].filter(
    (name) => !LISTED.has(name) && !isSessionIdField(name),
  )
  if (unlisted.some((name) => !isForbiddenField(name))) throw new ApiError('INVALID_INPUT')
  if (unlisted.length > 0) throw new ApiError('FORBIDDEN_FIELD')
}

/** A missing or mistyped address is no matter of shape (contract decisions section 4). */
function emailOf(value: unknown): EmailAddress {
  const email = typeof value === 'string' ? parseEmailAddress(value) : undefined
  return need(email, 'INVALID_EMAIL')
}

/** Exactly as the contract spells it; left out, it is found elsewhere. */
function localeOf(value: unknown): Locale | undefined {
  if (value === undefined || isOneOf(LOCALES, value)) return value
  throw new ApiError('INVALID_LOCALE')
}

/** Known areas, each once, few of them; none at all is fine (contract decisions section 4). */
function interestsOf(value: unknown): readonly Interest[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > LIMITS.maxInterests) {
    throw new ApiError('INVALID_INTERESTS')
  }
  const interests = value.filter((each): each is Interest => isOneOf(INTERESTS, each))
  // What was filtered away is unknown, and what the set lost was there twice.
  if (new Set(interests).size !== value.length) throw new ApiError('INVALID_INTERESTS')
  return interests
}

/** `true` itself: no other value is consent (spec 4.1). */
function checkConsent(value: unknown): void {
  if (value !== true) throw new ApiError('CONSENT_REQUIRED')
}

/** Code points are counted, not UTF-16 units; a lone surrogate is no text, and UTF-8 could not keep it (spec section 8). */
function useCaseOf(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && value.isWellFormed()) {
    if (Array.from(value).length <= LIMITS.maxUseCaseCodePoints) return value
  }
  throw new ApiError('INVALID_USE_CASE')
}

/** The service has no sessions, so any session id is unacceptable (contract decisions section 4). */
function checkNoSessionId(members: Members): void {
  if ([...members.keys()].some(isSessionIdField)) throw new ApiError('INVALID_SESSION_ID')
}

/** An empty token is a missing one; whether another is good is the challenge's to say (spec 4.1 rules 4 and 5). */
function challengeTokenOf(value: unknown): string {
  return need(typeof value === 'string' && value !== '' ? value : undefined, 'CHALLENGE_REQUIRED')
}

/**
 * Reads the body of a registration, a parsed JSON value. Throws ApiError with the code of the first rule that it breaks,
 * in the order of spec 4.1 rules 3 and 4. The error has no cause and holds nothing of the value.
 */
export function parseRegistration(value: unknown): RegistrationInput {
  const members = membersOf(value)
  const read = (field: Field): unknown => members.get(field)
  checkNames(members)
  const email = emailOf(read('email'))
  const locale = localeOf(read('locale'))
  const interests = interestsOf(read('interests'))
  checkConsent(read('consent'))
  const useCase = useCaseOf(read('useCase'))
  checkNoSessionId(members)
  const challengeToken = challengeTokenOf(read('challengeToken'))
  return { email, locale, interests, useCase, challengeToken }
}
