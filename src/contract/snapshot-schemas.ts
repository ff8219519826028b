import type { JsonSchema, SchemaType } from './schema-type.ts'
import { ARCHITECTURE_SCHEMA } from './snapshot-architecture.ts'
import { CHANGELOG_SCHEMA } from './snapshot-changelog.ts'
import { DEVELOPMENT_QUEUE_SCHEMA, ROADMAP_SCHEMA } from './snapshot-plans.ts'
import { STATUS_SCHEMA } from './snapshot-status.ts'
import { WALLET_SCHEMAS } from './snapshot-wallet.ts'

/**
 * The published resources and the shape of each one's `data`. The name of a resource is its path below `/api/v1`, its
 * name in a version's `resources` and the path of its file in the content folder. The objects are open: optional fields
 * may be added inside v1 (spec 9.2). Publishing checks them closed.
 */
export const SNAPSHOT_SCHEMAS = {
  status: STATUS_SCHEMA,
  architecture: ARCHITECTURE_SCHEMA,
  'development-queue': DEVELOPMENT_QUEUE_SCHEMA,
  roadmap: ROADMAP_SCHEMA,
  changelog: CHANGELOG_SCHEMA,
  ...WALLET_SCHEMAS,
} as const satisfies {
  readonly [name: string]: JsonSchema & { readonly title: string }
}

/** The name of a published resource. */
export type SnapshotName = keyof typeof SNAPSHOT_SCHEMAS

/** The `data` of a resource, as TypeScript sees it. */
export type SnapshotData<N extends SnapshotName> = SchemaType<(typeof SNAPSHOT_SCHEMAS)[N]>

/** Whether a text names a published resource. */
export function isSnapshotName(name: string): name is SnapshotName {
  return Object.hasOwn(SNAPSHOT_SCHEMAS, name)
}

/** The names of all published resources, in the order the API lists them. */
export const SNAPSHOT_NAMES: readonly SnapshotName[] =
  Object.keys(SNAPSHOT_SCHEMAS).filter(isSnapshotName)
