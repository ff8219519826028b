import { enumField, named, textField } from '../schemas/fields.ts'
import type { SchemaType } from '../terms/schema-type.ts'

/** Name of the resource that opens or closes the waitlist. It has no endpoint of its own. */
export const EARLY_ACCESS_RESOURCE = 'site/early-access'

/** Schema of `content/early-access.yaml` and of the resource. */
export const EARLY_ACCESS_SCHEMA = named(
  'EarlyAccessState',
  'Whether the waitlist is open. Without this file it is.',
  {
    state: enumField(
      ['open', 'closed'],
      'While it is closed, the API refuses registrations, and the page has no form.',
      'closed',
    ),
    text: textField(
      'The text that the page and the API show while it is closed.',
      'The waitlist closed when early access began.',
    ),
  },
)

/** The content of `content/early-access.yaml`. */
export type EarlyAccessState = SchemaType<typeof EARLY_ACCESS_SCHEMA>
