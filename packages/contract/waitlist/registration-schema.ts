import { enumField, record } from '../schemas/fields.ts'
import { BASE_PATH } from '../terms/api-version.ts'
import { LIMITS } from '../terms/limits.ts'
import { LOCALES } from '../terms/locales.ts'

/** Areas a registration may name as interests (spec 4.1). */
export const INTERESTS = [
  'architecture',
  'agents',
  'api',
  'kap-language',
  'k-language',
  'research',
  'developer-tools',
  'early-preview',
  'business',
  'education',
] as const

/** Human-verification providers (contract decisions section 4). */
export const CHALLENGE_PROVIDERS = ['altcha', 'turnstile', 'hcaptcha', 'test'] as const

/** The field of every form that requires a challenge. */
export const CHALLENGE_TOKEN = {
  type: 'string',
  minLength: 1,
  description: `Token of the solved human-verification challenge that \`${BASE_PATH}/early-access\` names. It can be used once.`,
  example: 'eyJhbGdvcml0aG0iOiJTSEEtMjU2In0',
} as const

/**
 * Body of a registration, closed: other fields are rejected. A separate module, so that the form's page loads only
 * this schema.
 */
export const REGISTRATION_SCHEMA = record('A registration for the early-access waitlist.', {
  email: {
    type: 'string',
    format: 'email',
    maxLength: LIMITS.maxEmailLength,
    description: 'The email address to register.',
    example: 'reader@example.org',
  },
  'locale?': enumField(
    LOCALES,
    'Language of future email. If omitted, it is taken from the page of the form, otherwise from `Accept-Language`.',
    'en',
  ),
  'interests?': {
    type: 'array',
    maxItems: LIMITS.maxInterests,
    uniqueItems: true,
    items: enumField(INTERESTS, 'One area of interest.', 'api'),
    description: 'Areas of interest, each at most once.',
    example: ['api', 'research'],
  },
  'useCase?': {
    type: 'string',
    maxLength: LIMITS.maxUseCaseCodePoints,
    description: 'What you want to use the API for, in your own words.',
    example: 'Mirror the version history.',
  },
  consent: {
    type: 'boolean',
    enum: [true],
    description: 'Consent to be added to the list. Only `true` is accepted.',
    example: true,
  },
  challengeToken: CHALLENGE_TOKEN,
})
