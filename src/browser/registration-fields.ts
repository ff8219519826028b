import { ApiError } from '@public-api/contract/errors/api-error'
import type { ErrorCode } from '@public-api/contract/errors/errors'
import { parseRegistration } from '@public-api/contract/waitlist/registration'
import { partOf } from './page-element.ts'

/** The input fields of the form. */
export type FormField = 'email' | 'interests' | 'useCase' | 'consent' | 'challenge'

/** Fields by the service's error codes; other codes concern the whole request. */
const FIELD_OF_CODE: { readonly [Code in ErrorCode]?: FormField } = {
  INVALID_EMAIL: 'email',
  INVALID_INTERESTS: 'interests',
  INVALID_USE_CASE: 'useCase',
  CONSENT_REQUIRED: 'consent',
  CHALLENGE_REQUIRED: 'challenge',
  CHALLENGE_FAILED: 'challenge',
}

/** The field of a code; undefined for other codes. */
export function fieldOfCode(code: string): FormField | undefined {
  return Object.hasOwn(FIELD_OF_CODE, code) ? FIELD_OF_CODE[code as ErrorCode] : undefined
}

/** Reads the form; its language is the page's. */
export function readForm(form: HTMLFormElement) {
  const ticked = form.querySelectorAll<HTMLInputElement>('[name="interests"]:checked')
  return {
    email: partOf(document, '#email', HTMLInputElement).value,
    locale: document.documentElement.lang,
    interests: Array.from(ticked, ({ value }) => value),
    useCase: partOf(document, '#useCase', HTMLTextAreaElement).value,
    consent: partOf(document, '#consent', HTMLInputElement).checked,
  }
}

/** The input, in the form the service receives. */
export type TypedRegistration = ReturnType<typeof readForm>

/** A body that the service accepts. */
const ACCEPTED = { email: 'a@example.org', consent: true, challengeToken: 'any' }

function codeOf(body: object): ErrorCode | undefined {
  try {
    parseRegistration(body)
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
}

/**
 * Every invalid field with the code of the rule that it breaks, in the order of the form. The service reports only the first one, so each is validated alone
 * in an otherwise valid body.
 */
export function findFaults(typed: TypedRegistration) {
  return (['email', 'interests', 'useCase', 'consent'] as const).flatMap((field) => {
    const code = codeOf({ ...ACCEPTED, [field]: typed[field] })
    return code === undefined ? [] : [{ field, code }]
  })
}
