import { createHash } from 'node:crypto'

import { canonicalJson } from '../src/contract/canonical-json.ts'
import { API_VERSION, BASE_PATH } from '../src/contract/api-version.ts'
import {
  AUTHENTICATIONS,
  ENDPOINT_STATUSES,
  RUNTIMES,
  STABILITY_LEVELS,
} from '../src/contract/endpoint-terms.ts'
import { KEY_ERRORS, type Endpoint, type Registry } from '../src/contract/endpoints.ts'
import { SCHEMA_IDS } from '../src/contract/envelope.ts'
import { ERRORS, type CatalogError } from '../src/contract/errors.ts'
import {
  CACHE_CLASSES,
  CORS,
  ERROR_CACHE_CONTROL,
  HEADERS,
  READ_VARY,
  JSON_MEDIA_TYPE,
  RESPONSE_CONTENT_TYPE,
} from '../src/contract/headers.ts'
import type { Issuance } from '../src/contract/issuance.ts'
import { LIMITS } from '../src/contract/limits.ts'
import type { JsonSchema } from '../src/contract/schema-type.ts'
import { DATA_SCHEMAS, ERROR_SCHEMA, REQUEST_SCHEMAS } from '../src/contract/schemas.ts'
import { REVALIDATION_TEXT_LINES, SIGNED_TEXT_LINES } from '../src/contract/signature.ts'
import { SNAPSHOT_SCHEMAS } from '../src/contract/snapshot-schemas.ts'
import { toJson } from '../src/documents/plain-json.ts'

/** The tables that a registry version stands for. */
export interface ContractTables {
  readonly registry: Registry
  readonly issuance: Issuance
  readonly errors: { readonly [code: string]: CatalogError }
  readonly limits: object
  readonly dataSchemas: { readonly [name: string]: JsonSchema }
  readonly requestSchemas: { readonly [name: string]: JsonSchema }
  readonly snapshotSchemas: { readonly [name: string]: JsonSchema }
}

/** The tables of this service. */
export const OWN_TABLES = {
  errors: ERRORS,
  limits: LIMITS,
  dataSchemas: DATA_SCHEMAS,
  requestSchemas: REQUEST_SCHEMAS,
  snapshotSchemas: SNAPSHOT_SCHEMAS,
} as const satisfies Partial<ContractTables>

/**
 * SHA-256, in lower-case hex, over the canonical JSON of everything in the contract that a program can depend on. Words
 * for people (summaries, descriptions, examples, meanings, messages) are left out: improving one is no new version.
 */
export function contractDigest(tables: ContractTables): string {
  return createHash('sha256')
    .update(canonicalJson(toJson(contractOutline(tables))))
    .digest('hex')
}

function contractOutline(tables: ContractTables): object {
  return {
    apiVersion: API_VERSION,
    basePath: BASE_PATH,
    endpoints: mapValues(tables.registry, endpointOutline),
    keyErrors: KEY_ERRORS,
    issuance: tables.issuance,
    words: [STABILITY_LEVELS, ENDPOINT_STATUSES, RUNTIMES, AUTHENTICATIONS].map(Object.keys),
    errors: mapValues(tables.errors, ({ status, retryable, retryAfterSeconds }) => ({
      status,
      retryable,
      retryAfterSeconds,
    })),
    limits: tables.limits,
    headers: HEADERS,
    cacheClasses: mapValues(CACHE_CLASSES, ({ cacheControl }) => cacheControl),
    errorCacheControl: ERROR_CACHE_CONTROL,
    vary: READ_VARY,
    cors: CORS,
    requestMediaType: JSON_MEDIA_TYPE,
    responseContentType: RESPONSE_CONTENT_TYPE,
    schemaIds: SCHEMA_IDS,
    signedText: SIGNED_TEXT_LINES,
    revalidationText: REVALIDATION_TEXT_LINES,
    dataSchemas: mapValues(tables.dataSchemas, schemaOutline),
    requestSchemas: mapValues(tables.requestSchemas, schemaOutline),
    errorSchema: schemaOutline(ERROR_SCHEMA),
  }
}

/** A row without its words and without its group in the reference. */
function endpointOutline(row: Endpoint): object {
  const { summary: _summary, description: _description, tag: _tag, parameter, ...rest } = row
  if (parameter === undefined) return rest
  const { description: _, example: _example, ...rule } = parameter
  return { ...rest, parameter: rule }
}

/** A schema without its words. Only keywords are dropped: a field may well be called `description` or `example`. */
function schemaOutline(schema: JsonSchema): object {
  const {
    title: _title,
    description: _description,
    example: _example,
    items,
    properties,
    additionalProperties,
    ...rest
  } = schema
  return {
    ...rest,
    ...(items === undefined ? {} : { items: schemaOutline(items) }),
    ...(properties === undefined ? {} : { properties: mapValues(properties, schemaOutline) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'boolean'
              ? additionalProperties
              : schemaOutline(additionalProperties),
        }),
  }
}

function mapValues<Value, Mapped>(
  table: { readonly [name: string]: Value },
  map: (value: Value) => Mapped,
): { readonly [name: string]: Mapped } {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, map(value)]))
}
