import { list, record } from '../contract/fields.ts'
import type { SchemaType } from '../contract/schema-type.ts'

/** Name of the settings file in the content folder. */
export const SETTINGS_FILE = 'publishing.yaml'

/** Schema of content/publishing.yaml: settings of the publishing step. Never published. */
export const SETTINGS_SCHEMA = record('Settings of the publishing step.', {
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
})

/** The settings of the publishing step. */
export type PublishingSettings = SchemaType<typeof SETTINGS_SCHEMA>
