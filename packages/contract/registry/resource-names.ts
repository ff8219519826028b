import { EARLY_ACCESS_RESOURCE, EARLY_ACCESS_SCHEMA } from '../snapshots/early-access.ts'
import { ORGANIZATION_RESOURCE, ORGANIZATION_SCHEMA } from '../snapshots/organization.ts'
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
import type { JsonSchema } from '../terms/schema-type.ts'

/** A resource whose texts can be translated: one with an endpoint, the organization, or the state of the waitlist. */
export type TranslatedName =
  | SnapshotName
  | typeof ORGANIZATION_RESOURCE
  | typeof EARLY_ACCESS_RESOURCE

/** A resource that a version may name. Those under `site/` have no endpoint. */
export type ResourceName = TranslatedName | `site/translations/${TranslationLocale}`

/** The schema of each resource whose texts can be translated. */
export const TRANSLATED_SCHEMAS: { readonly [N in TranslatedName]: JsonSchema } = {
  ...SNAPSHOT_SCHEMAS,
  [ORGANIZATION_RESOURCE]: ORGANIZATION_SCHEMA,
  [EARLY_ACCESS_RESOURCE]: EARLY_ACCESS_SCHEMA,
}

/** Every resource that a version may name, those with an endpoint first. */
export const RESOURCE_NAMES: readonly ResourceName[] = [
  ...SNAPSHOT_NAMES,
  ORGANIZATION_RESOURCE,
  EARLY_ACCESS_RESOURCE,
  ...TRANSLATION_LOCALES.map((locale) => translationResource(locale)),
]

/** Whether a text names a resource whose texts can be translated. */
export function isTranslatedName(name: string): name is TranslatedName {
  return Object.hasOwn(TRANSLATED_SCHEMAS, name)
}
