import { LIMITS } from './limits.ts'
import { text, textList, whole } from './response-fields.ts'
import type { JsonSchema } from './schema-type.ts'
import { TICKET_PATTERN } from './ticket.ts'

/** Human-verification providers (contract decisions section 4). */
export const CHALLENGE_PROVIDERS = ['altcha', 'turnstile', 'hcaptcha', 'test'] as const

/** `data` of early access: whether the waitlist is open and how to join it. */
export const EARLY_ACCESS_SCHEMA = {
  type: 'object',
  description: 'Whether the waitlist is open and how to join it.',
  required: ['state', 'note', 'registration', 'form', 'challenge', 'privacy'],
  properties: {
    state: {
      type: 'string',
      enum: ['open', 'unavailable'],
      description: 'Whether a registration can succeed now.',
      example: 'open',
    },
    note: text('The same in words.', 'The waitlist is open.'),
    registration: {
      type: 'object',
      title: 'RegistrationTarget',
      description: 'Where to register.',
      required: ['method', 'path', 'contentType', 'maxBodyBytes'],
      properties: {
        method: text('HTTP method.', 'POST'),
        path: text('Path.', '/api/v1/early-access/register'),
        contentType: text('Media type of the body.', 'application/json'),
        maxBodyBytes: whole('Largest body, in bytes.', LIMITS.maxBodyBytes),
      },
    },
    form: {
      type: 'object',
      title: 'RegistrationForm',
      description: 'What the fields accept.',
      required: [
        'required',
        'optional',
        'locales',
        'interests',
        'maxInterests',
        'maxUseCaseLength',
      ],
      properties: {
        required: textList('Required fields.', 'email'),
        optional: textList('Optional fields.', 'useCase'),
        locales: textList('Accepted locales.', 'en'),
        interests: textList('Accepted interests.', 'api'),
        maxInterests: whole('Most interests.', LIMITS.maxInterests),
        maxUseCaseLength: whole(
          'Longest use case, in Unicode code points.',
          LIMITS.maxUseCaseCodePoints,
        ),
      },
    },
    challenge: {
      type: 'object',
      title: 'Challenge',
      description: 'The human-verification challenge.',
      required: ['provider', 'path', 'siteKey'],
      properties: {
        provider: {
          type: 'string',
          enum: CHALLENGE_PROVIDERS,
          description: 'Provider of the challenge.',
          example: 'altcha',
        },
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
      },
    },
    privacy: textList('What is stored of a registration.', 'No IP address is stored.'),
  },
} as const satisfies JsonSchema

/** `data` of an accepted registration (spec 2.2). */
export const REGISTRATION_RESULT_SCHEMA = {
  type: 'object',
  description: 'An accepted registration.',
  required: ['ticket', 'status', 'message'],
  properties: {
    ticket: {
      type: 'string',
      pattern: TICKET_PATTERN,
      description: 'A random receipt. It does not reveal the address.',
      example: 'EA-9F86D081884C7D65',
    },
    status: {
      type: 'string',
      enum: ['WAITING'],
      description: 'State of the registration.',
      example: 'WAITING',
    },
    message: text('The same in words.', 'The address is on the waitlist.'),
  },
} as const satisfies JsonSchema
