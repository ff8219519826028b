import { dayField, textField, UPDATED_AT, enumField } from './snapshot-fields.ts'

/** Kinds of change from Keep a Changelog 1.1.0. */
export const CHANGELOG_KINDS = [
  'added',
  'changed',
  'deprecated',
  'removed',
  'fixed',
  'security',
] as const

const ENDPOINT = {
  type: 'string',
  pattern: '^(GET|POST|DELETE) /api/v\\d+(/[A-Za-z0-9._{}/-]+)?$',
  maxLength: 200,
} as const

const CHANGE = {
  type: 'object',
  title: 'ChangelogChange',
  description: 'One change, as seen by callers of the API.',
  required: ['kind', 'text'],
  properties: {
    kind: enumField(CHANGELOG_KINDS, 'Kind of change.', 'added'),
    text: textField('What changed and what it means for a caller.', 'The roadmap can be read.'),
    endpoints: {
      type: 'array',
      description: 'The affected endpoints, each as method and path.',
      minItems: 1,
      uniqueItems: true,
      items: {
        ...ENDPOINT,
        description: 'Method and path template, as in the OpenAPI document.',
        example: 'GET /api/v1/roadmap',
      },
    },
    sunsetOn: dayField(
      'For a deprecation: the last UTC date on which the endpoints work.',
      '2027-06-01',
    ),
    replacement: {
      ...ENDPOINT,
      description: 'For a deprecation: the endpoint to use instead.',
      example: 'GET /api/v2/roadmap',
    },
  },
} as const

/** `data` of `/changelog`: released versions and what each changed for callers. */
export const CHANGELOG_SCHEMA = {
  type: 'object',
  title: 'Changelog',
  description: 'What changed for callers of the API, by released version.',
  required: ['summary', 'updatedAt', 'unreleased', 'releases'],
  properties: {
    summary: textField(
      'What the changelog covers.',
      'Changes that a caller of the API can notice.',
    ),
    updatedAt: UPDATED_AT,
    unreleased: {
      type: 'array',
      description: 'Changes that are decided but not released yet.',
      items: CHANGE,
    },
    releases: {
      type: 'array',
      description: 'Released versions, newest first.',
      items: {
        type: 'object',
        title: 'ChangelogRelease',
        description: 'One released version.',
        required: ['version', 'date', 'changes'],
        properties: {
          version: {
            type: 'string',
            pattern:
              '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?$',
            maxLength: 64,
            description: 'Version of the service software (Semantic Versioning).',
            example: '0.1.0',
          },
          date: dayField('UTC date of the release.', '2026-11-21'),
          summary: textField(
            'The release in a sentence.',
            'The first version: everything can be read.',
          ),
          changes: {
            type: 'array',
            description: 'The changes, grouped by kind in the order added to security.',
            minItems: 1,
            items: CHANGE,
          },
        },
      },
    },
  },
} as const
