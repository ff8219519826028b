import { enumField, flag, keysOf, record, text, whole } from './fields.ts'
import { DISCOVERY_INDEX_SCHEMA } from './discovery-schema.ts'
import { EARLY_ACCESS_SCHEMA, REGISTRATION_RESULT_SCHEMA } from './early-access-schemas.ts'
import { ERRORS } from './errors.ts'
import {
  ISSUED_KEY_SCHEMA,
  KEY_METADATA_SCHEMA,
  KEY_REQUEST_SCHEMA,
  REVOKED_KEY_SCHEMA,
} from './key-schemas.ts'
import { OPENAPI_VERSION } from './openapi-version.ts'
import { POLICY_SCHEMA } from './policy-schema.ts'
import { REGISTRATION_SCHEMA } from './registration-schema.ts'
import type { JsonSchema, SchemaType } from './schema-type.ts'
import { SIGNING_KEYS_SCHEMA } from './signing-keys-schema.ts'
import {
  SNAPSHOT_NAMES,
  SNAPSHOT_SCHEMAS,
  snapshotSchemaName,
  type SnapshotName,
  type SnapshotSchemaName,
} from './snapshot-schemas.ts'
import { TIME_SCHEMA } from './time-schema.ts'
import { VERSION_HISTORY_SCHEMA, VERSION_SNAPSHOT_SCHEMA } from './version-schemas.ts'

/** Request bodies, by name. Closed: any other field is refused. */
export const REQUEST_SCHEMAS = {
  Registration: { ...REGISTRATION_SCHEMA, additionalProperties: false },
  KeyRequest: { ...KEY_REQUEST_SCHEMA, additionalProperties: false },
} as const satisfies { readonly [name: string]: JsonSchema }

export type RequestSchemaName = keyof typeof REQUEST_SCHEMAS

/** The schemas of the published snapshots, by the names that they have in the OpenAPI document. */
const SNAPSHOT_DATA_SCHEMAS = Object.fromEntries(
  SNAPSHOT_NAMES.map((name) => [snapshotSchemaName(name), SNAPSHOT_SCHEMAS[name]]),
) as {
  readonly [N in SnapshotName as SnapshotSchemaName<N>]: (typeof SNAPSHOT_SCHEMAS)[N]
}

/** `data` of each success (the whole body of the OpenAPI document), by name. Open: new optional fields may ship in v1. */
export const DATA_SCHEMAS = {
  ...SNAPSHOT_DATA_SCHEMAS,
  DiscoveryIndex: DISCOVERY_INDEX_SCHEMA,
  Time: TIME_SCHEMA,
  EarlyAccess: EARLY_ACCESS_SCHEMA,
  RegistrationResult: REGISTRATION_RESULT_SCHEMA,
  Policy: POLICY_SCHEMA,
  OpenApiDocument: record(`An OpenAPI ${OPENAPI_VERSION} document.`, {
    openapi: text('Version of the OpenAPI specification.', OPENAPI_VERSION),
    info: { type: 'object', description: 'Title, version and description.' },
    paths: { type: 'object', description: 'Operations by path and method.' },
  }),
  VersionSnapshot: VERSION_SNAPSHOT_SCHEMA,
  VersionHistory: VERSION_HISTORY_SCHEMA,
  IssuedKey: ISSUED_KEY_SCHEMA,
  KeyMetadata: KEY_METADATA_SCHEMA,
  RevokedKey: REVOKED_KEY_SCHEMA,
  SigningKeys: SIGNING_KEYS_SCHEMA,
} as const satisfies { readonly [name: string]: JsonSchema }

export type DataSchemaName = keyof typeof DATA_SCHEMAS

/** The TypeScript type of the `data` with this schema name. */
export type DataOf<Name extends DataSchemaName> = SchemaType<(typeof DATA_SCHEMAS)[Name]>

/** The `error` member of the error envelope. */
export const ERROR_SCHEMA = record('What went wrong and what to do about it.', {
  code: enumField(keysOf(ERRORS), 'A code of the error catalog.', 'NOT_FOUND'),
  status: whole('The HTTP status.', 404),
  message: text(
    'What to do about it. Never repeats any part of the request.',
    ERRORS.NOT_FOUND.message,
  ),
  retryable: flag('Whether the same request may succeed later.', false),
  'retryAfterSeconds?': {
    ...whole('Seconds until a retry may succeed; equals Retry-After.', 42),
    minimum: 1,
  },
})
