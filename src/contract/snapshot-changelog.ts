import { UPDATED_AT, dayField, enumField, list, named, textField } from './fields.ts'
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

const CHANGE = named('ChangelogChange', 'One change, as seen by callers of the API.', {
  kind: enumField(CHANGELOG_KINDS, 'Kind of change.', 'added'),
  text: textField(
    'What changed and what it means for a caller.',
    'Added an endpoint for the roadmap.',
  ),
  'endpoints?': list(
    'The affected endpoints, each as method and path.',
    {
      ...ENDPOINT,
      description: 'Method and path template, as in the OpenAPI document.',
      example: 'GET /api/v1/roadmap',
    },
    { minItems: 1, uniqueItems: true },
  ),
  'sunsetOn?': dayField(
    'For a deprecation: the last UTC date on which the endpoints work.',
    '2027-06-01',
  ),
  'replacement?': {
    ...ENDPOINT,
    description: 'For a deprecation: the endpoint to use instead.',
    example: 'GET /api/v2/roadmap',
  },
})

/** `data` of `/changelog`: released versions and what each changed for callers. */
export const CHANGELOG_SCHEMA = named(
  'Changelog',
  'What changed for callers of the API, by released version.',
  {
    summary: textField(
      'What the changelog covers.',
      'Changes that a caller of the API can notice.',
    ),
    updatedAt: UPDATED_AT,
    unreleased: list('Changes that are decided but not released yet.', CHANGE),
    releases: list(
      'Released versions, newest first.',
      named('ChangelogRelease', 'One released version.', {
        version: {
          type: 'string',
          pattern:
            '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?$',
          maxLength: 64,
          description: 'Version of the service software (Semantic Versioning).',
          example: '0.1.0',
        },
        date: dayField('UTC date of the release.', '2026-11-21'),
        'summary?': textField(
          'The release in a sentence.',
          'The first version, with all read endpoints.',
        ),
        changes: list('The changes, grouped by kind in the order added to security.', CHANGE, {
          minItems: 1,
        }),
      }),
    ),
  },
)
