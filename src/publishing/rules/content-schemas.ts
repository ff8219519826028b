import type { TranslatedName } from '@public-api/contract/registry/resource-names'
import { list, record } from '@public-api/contract/schemas/fields'
import {
  EARLY_ACCESS_RESOURCE,
  EARLY_ACCESS_SCHEMA,
} from '@public-api/contract/snapshots/early-access'
import {
  ORGANIZATION_CONTENT_SCHEMA,
  ORGANIZATION_RESOURCE,
} from '@public-api/contract/snapshots/organization'
import { isPastEventsName } from '@public-api/contract/snapshots/past-events'
import { PAST_EVENTS_SCHEMA } from '@public-api/contract/snapshots/past-events-schema'
import { SNAPSHOT_SCHEMAS } from '@public-api/contract/snapshots/snapshot-schemas'
import type { JsonSchema, SchemaType } from '@public-api/contract/terms/schema-type'

const FILE = {
  type: 'string',
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,60}$',
  description: 'A file in the content folder.',
} as const

/** A field of a content file that replaces other fields by those of another file. */
export interface ImportField {
  readonly name: string
  readonly replaces: readonly string[]
  readonly schema: JsonSchema
}

function csvImport(items: JsonSchema, file: string): ImportField {
  const { id, ...others } = items.properties ?? {}
  /** One property for each field of an item. */
  const each = (fields: object, toProperty: (name: string) => JsonSchema) =>
    Object.fromEntries(Object.keys(fields).map((name) => [name, toProperty(name)]))
  const schema: JsonSchema = {
    type: 'object',
    description:
      'Instead of `items`: a CSV export, such as one of GitHub or Jira. Ids become kebab-case, dates may have a time after the day, and items are sorted.',
    required: ['file', 'columns'],
    properties: {
      file: { ...FILE, example: file },
      columns: {
        type: 'object',
        description: 'The header of the column for each field.',
        required: ['id', 'title'],
        properties: each({ id, ...others }, (name) => ({
          type: 'string',
          minLength: 1,
          maxLength: 120,
          description: `Header of the column for \`${name}\`.`,
        })),
      },
      values: {
        type: 'object',
        description:
          'For a field: the new value for each value of its column. `skip` excludes the row.',
        properties: each({ id, ...others }, (name) => ({
          type: 'object',
          description: `Values of the column for \`${name}\`.`,
          additionalProperties: { type: 'string', maxLength: 120 },
        })),
      },
      defaults: {
        type: 'object',
        description: 'Values of fields whose column is missing or empty.',
        properties: each(others, (name) => ({
          type: 'string',
          maxLength: 1000,
          description: `The default of \`${name}\`.`,
        })),
      },
      delimiter: {
        type: 'string',
        pattern: '^[,;\\t|]$',
        description: 'Separator of the fields in a row. Default: a comma.',
        example: ';',
      },
    },
  }
  return { name: 'itemsFrom', replaces: ['items'], schema }
}

/** The import field of each resource that has one. */
export const IMPORT_FIELDS: { readonly [name: string]: ImportField } = {
  changelog: {
    name: 'releasesFrom',
    replaces: ['unreleased', 'releases'],
    schema: {
      type: 'object',
      description:
        'Instead of `unreleased` and `releases`: a file in the format Keep a Changelog 1.1.0, or as release-please, conventional-changelog or changesets write it. Endpoints that a change names become its `endpoints`. The text of a change is that of its Markdown (CommonMark); what has no place in the data is a mistake, and a release without changes is left out with a warning.',
      required: ['file'],
      properties: {
        file: { ...FILE, example: 'CHANGELOG.md' },
        dates: {
          type: 'object',
          description:
            'The date of each release whose heading has none, by its version. Changesets writes no dates.',
          additionalProperties: { type: 'string', format: 'date', maxLength: 10 },
        },
      },
    },
  },
  roadmap: csvImport(SNAPSHOT_SCHEMAS.roadmap.properties.items.items, 'roadmap.csv'),
  'development-queue': csvImport(
    SNAPSHOT_SCHEMAS['development-queue'].properties.items.items,
    'queue.csv',
  ),
}

/** The schema of a content file, without its import field. */
export function contentSchema(name: TranslatedName): JsonSchema & { readonly title: string } {
  if (name === ORGANIZATION_RESOURCE) return ORGANIZATION_CONTENT_SCHEMA
  if (isPastEventsName(name)) return PAST_EVENTS_SCHEMA
  return name === EARLY_ACCESS_RESOURCE ? EARLY_ACCESS_SCHEMA : SNAPSHOT_SCHEMAS[name]
}

/** Name of the settings file in the content folder. */
export const SETTINGS_FILE = 'publishing.yaml'

/** Schema of content/publishing.yaml: settings of the publishing step. Never published. */
export const SETTINGS_SCHEMA = record(
  'Settings of the publishing step. This file is never published.',
  {
    allowedTexts: list(
      'Texts that look private but are meant to be public.',
      record('One exact text.', {
        text: {
          type: 'string',
          minLength: 4,
          description: 'The exact text.',
          example: 'security@example.org',
        },
        rule: {
          type: 'string',
          minLength: 1,
          description: 'The rule of the leak guard that refuses the text.',
          example: 'email-address',
        },
        reason: {
          type: 'string',
          minLength: 1,
          description: 'The reason why the text may be published.',
          example: 'The published contact for reports',
        },
      }),
    ),
  },
)

/** The settings of the publishing step. */
export type PublishingSettings = SchemaType<typeof SETTINGS_SCHEMA>
