import { enumField, named, record, text, textList, whole } from './fields.ts'
import { LIMITS } from './limits.ts'
import { TICKET_PATTERN } from './ticket.ts'

/** Human-verification providers (contract decisions section 4). */
export const CHALLENGE_PROVIDERS = ['altcha', 'turnstile', 'hcaptcha', 'test'] as const

/** `data` of early access: whether the waitlist is open and how to join it. */
export const EARLY_ACCESS_SCHEMA = record('Whether the waitlist is open and how to join it.', {
  state: enumField(
    ['open', 'unavailable'],
    'Whether the waitlist accepts registrations now.',
    'open',
  ),
  note: text('Explanation of the state, in English.', 'The waitlist is open.'),
  registration: named('RegistrationTarget', 'Where to register.', {
    method: text('HTTP method.', 'POST'),
    path: text('Path.', '/api/v1/early-access/register'),
    contentType: text('Media type of the body.', 'application/json'),
    maxBodyBytes: whole('Largest body, in bytes.', LIMITS.maxBodyBytes),
  }),
  form: named('RegistrationForm', 'Fields of a registration and their limits.', {
    required: textList('Required fields.', 'email'),
    optional: textList('Optional fields.', 'useCase'),
    locales: textList('Accepted locales.', 'en'),
    interests: textList('Accepted interests.', 'api'),
    maxInterests: whole('Maximum number of interests.', LIMITS.maxInterests),
    maxUseCaseLength: whole(
      'Longest use case, in Unicode code points.',
      LIMITS.maxUseCaseCodePoints,
    ),
  }),
  challenge: named('Challenge', 'The human-verification challenge.', {
    provider: enumField(CHALLENGE_PROVIDERS, 'Provider of the challenge.', 'altcha'),
    path: {
      type: 'string',
      nullable: true,
      description:
        'Path of the challenge on this service; null for a hosted challenge, and while registration is unavailable.',
      example: '/challenge',
    },
    siteKey: {
      type: 'string',
      nullable: true,
      description: 'Public site key of a hosted challenge; null otherwise.',
      example: '0x4AAAAAAA',
    },
  }),
  privacy: textList('What is stored about a registration.', 'No IP address is stored.'),
})

/** `data` of an accepted registration (spec 2.2). */
export const REGISTRATION_RESULT_SCHEMA = record('An accepted registration.', {
  ticket: {
    type: 'string',
    pattern: TICKET_PATTERN,
    description: 'A random receipt. It does not reveal the address.',
    example: 'EA-9F86D081884C7D65',
  },
  status: enumField(['WAITING'], 'State of the registration.', 'WAITING'),
  message: text('Confirmation, in English.', 'The address is on the waitlist.'),
})
