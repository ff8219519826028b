import { LIMITS } from './limits.ts'
import { LOCALES } from './locales.ts'

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

/**
 * Body of a registration, closed: any other field is refused. It stands apart from the other schemas, so that the form's
 * page can check what was typed without carrying all of them into a browser.
 */
export const REGISTRATION_SCHEMA = {
  type: 'object',
  description: 'A registration for the early-access waitlist.',
  additionalProperties: false,
  required: ['email', 'consent', 'challengeToken'],
  properties: {
    email: {
      type: 'string',
      format: 'email',
      maxLength: LIMITS.maxEmailLength,
      description: 'The address to put on the list.',
      example: 'reader@example.org',
    },
    locale: {
      type: 'string',
      enum: LOCALES,
      description:
        'Language for later mail. Left out, it is taken from the page the form stands on, else from Accept-Language.',
      example: 'en',
    },
    interests: {
      type: 'array',
      maxItems: LIMITS.maxInterests,
      uniqueItems: true,
      items: { type: 'string', enum: INTERESTS, description: 'One area.', example: 'api' },
      description: 'Areas of interest, without repeats.',
      example: ['api', 'research'],
    },
    useCase: {
      type: 'string',
      maxLength: LIMITS.maxUseCaseCodePoints,
      description: 'What the address’s owner wants to do, in their own words.',
      example: 'Mirror the version history.',
    },
    consent: {
      type: 'boolean',
      enum: [true],
      description: 'Consent to be put on the list; only true is accepted.',
      example: true,
    },
    challengeToken: {
      type: 'string',
      minLength: 1,
      description: 'Token of a solved human-verification challenge; it works once.',
      example: 'eyJhbGdvcml0aG0iOiJTSEEtMjU2In0',
    },
  },
} as const
