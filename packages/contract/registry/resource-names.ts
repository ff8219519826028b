import { schemaMistakes } from '../schemas/schema-mistake.ts'
import { EARLY_ACCESS_RESOURCE, EARLY_ACCESS_SCHEMA } from '../snapshots/early-access.ts'
import { ORGANIZATION_RESOURCE, ORGANIZATION_SCHEMA } from '../snapshots/organization.ts'
import { PAST_EVENTS_SCHEMA } from '../snapshots/past-events-schema.ts'
import { isPastEventsName, type PastEventsName } from '../snapshots/past-events.ts'
import {
  SNAPSHOT_NAMES,
  SNAPSHOT_SCHEMAS,
  type SnapshotName,
} from '../snapshots/snapshot-schemas.ts'
import {
  TRANSLATION_LOCALES,
  type TranslationLocale,
  translationResource,
} from '../snapshots/translations.ts'
import { closeSchema, type JsonSchema } from '../terms/schema-type.ts'

/** A resource with a name of its own whose texts can be translated. */
type FixedName = SnapshotName | typeof ORGANIZATION_RESOURCE | typeof EARLY_ACCESS_RESOURCE

/**
 * A resource whose texts can be translated: one with an endpoint, the organization, the state of the waitlist, or the
 * incidents and maintenances of a year.
 */
export type TranslatedName = FixedName | PastEventsName

/** A resource with translations of others. */
type TranslationsName =
  | `site/translations/${TranslationLocale}`
  | `site/translations/${TranslationLocale}/events/${string}`

/** A resource that a version may name. Those under `site/` have no endpoint. */
export type ResourceName = TranslatedName | TranslationsName

/** The schema of each resource whose texts can be translated, aside from those of a year. */
export const TRANSLATED_SCHEMAS: { readonly [N in FixedName]: JsonSchema } = {
  ...SNAPSHOT_SCHEMAS,
  [ORGANIZATION_RESOURCE]: ORGANIZATION_SCHEMA,
  [EARLY_ACCESS_RESOURCE]: EARLY_ACCESS_SCHEMA,
}

/** Every resource that a version may name, those with an endpoint first, aside from those of a year. */
export const RESOURCE_NAMES: readonly Exclude<
  ResourceName,
  PastEventsName | `${string}/events/${string}`
>[] = [
  ...SNAPSHOT_NAMES,
  ORGANIZATION_RESOURCE,
  EARLY_ACCESS_RESOURCE,
  ...TRANSLATION_LOCALES.map((locale) => translationResource(locale)),
]

/** Whether a text names a resource whose texts can be translated. */
export function isTranslatedName(name: string): name is TranslatedName {
  return Object.hasOwn(TRANSLATED_SCHEMAS, name) || isPastEventsName(name)
}

/** Whether a resource contains translations of others. */
export const isTranslation = (name: string): boolean => name.startsWith('site/translations/')

/** The schema of a resource whose texts can be translated. */
export function translatedSchema(name: TranslatedName): JsonSchema {
  return isPastEventsName(name) ? PAST_EVENTS_SCHEMA : TRANSLATED_SCHEMAS[name]
}

/** The texts of translations depend on the schemas of other resources, so only the outer structure is described. */
const TRANSLATIONS_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['locale', 'resources'],
  properties: { locale: { type: 'string' }, resources: { type: 'object' } },
}

const closedSchemas = new Map<JsonSchema, JsonSchema>()

function closedSchemaOf(name: string): JsonSchema {
  const schema = isTranslatedName(name) ? translatedSchema(name) : TRANSLATIONS_SCHEMA
  const closed = closedSchemas.get(schema) ?? closeSchema(schema)
  closedSchemas.set(schema, closed)
  return closed
}

/**
 * Compares the data of a published resource with its schema: the first mistake, as a JSON Pointer with what was expected,
 * and the first member that the schema does not know, which a later program may have written.
 */
export function inspectResource(
  name: string,
  value: unknown,
): { readonly mistake?: string; readonly unknownMember?: string } {
  let unknownMember: string | undefined
  for (const { path, keyword, expected } of schemaMistakes(closedSchemaOf(name), value)) {
    const pointer = path.map((step) => `/${step}`).join('')
    if (keyword !== 'additionalProperties') return { mistake: `${pointer}: expected ${expected}` }
    unknownMember ??= pointer
  }
  return unknownMember === undefined ? {} : { unknownMember }
}

/** Name of the resource with the translations of a resource into a locale: those of a year are apart. */
export function translationsOf(locale: TranslationLocale, name: string): TranslationsName {
  return isPastEventsName(name)
    ? `site/translations/${locale}/events/${name.slice('site/events/'.length)}`
    : translationResource(locale)
}
