import { named } from '../schemas/fields.ts'
import type { SchemaType } from '../terms/schema-type.ts'
import { SNAPSHOT_SCHEMAS } from './snapshot-schemas.ts'

const { incidents, maintenances } = SNAPSHOT_SCHEMAS.status.properties

/** `data` of `site/events/<year>`, and content of `events/<year>.yaml`. */
export const PAST_EVENTS_SCHEMA = named(
  'PastEvents',
  'Incidents and maintenances of one year (that of their start) that the status no longer lists. Pages and feeds show them as before.',
  { 'incidents?': incidents, 'maintenances?': maintenances },
)

/** Incidents and maintenances that began in one year and ended long ago. */
export type PastEvents = SchemaType<typeof PAST_EVENTS_SCHEMA>
