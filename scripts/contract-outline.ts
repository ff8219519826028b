import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { DocumentedTables } from '@public-api/contract/documents/discovery'
import {
  headersOf,
  REQUEST_HEADER_DOCS,
  RESPONSE_HEADER_DOCS,
} from '@public-api/contract/documents/header-docs'
import { ALWAYS_SENT, createResponses } from '@public-api/contract/documents/openapi-responses'
import { componentName } from '@public-api/contract/documents/openapi-schemas'
import { ERRORS, type CatalogError } from '@public-api/contract/errors/errors'
import { SCHEMA_IDS } from '@public-api/contract/http/envelope'
import { REVALIDATION_TEXT_LINES, SIGNED_TEXT_LINES } from '@public-api/contract/http/signature'
import { ISSUANCE } from '@public-api/contract/keys/issuance'
import {
  ENDPOINTS,
  LINKS,
  ROUTE_ERRORS,
  type Endpoint,
} from '@public-api/contract/registry/endpoints'
import { DATA_SCHEMAS, ERROR_SCHEMA, REQUEST_SCHEMAS } from '@public-api/contract/registry/schemas'
import { SNAPSHOT_SCHEMAS } from '@public-api/contract/snapshots/snapshot-schemas'
import { API_VERSION, BASE_PATH, REGISTRY_VERSION } from '@public-api/contract/terms/api-version'
import {
  AUTHENTICATIONS,
  ENDPOINT_STATUSES,
  RUNTIMES,
  STABILITY_LEVELS,
  TAGS,
} from '@public-api/contract/terms/endpoint-terms'
import {
  CACHE_CLASSES,
  CORS,
  ERROR_CACHE_CONTROL,
  JSON_MEDIA_TYPE,
  READ_VARY,
  RESPONSE_CONTENT_TYPE,
} from '@public-api/contract/terms/headers'
import { LIMITS } from '@public-api/contract/terms/limits'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'

export const BASELINE_FILE = 'docs/api/baseline.json'

/** The tables that make up the contract. Tests compose others. */
export interface ContractTables extends Omit<DocumentedTables, 'runtime'> {
  readonly errors: { readonly [code: string]: CatalogError }
  readonly limits: { readonly [name: string]: number | Rate }
  readonly dataSchemas: Schemas
  readonly requestSchemas: Schemas
  readonly snapshotSchemas: Schemas
}

interface Schemas {
  readonly [name: string]: JsonSchema
}

/** Requests that are accepted per window. */
export interface Rate {
  readonly requests: number
  readonly windowSeconds: number
}

/** The tables of this service. */
export const OWN_CONTRACT: ContractTables = {
  registry: ENDPOINTS,
  registryVersion: REGISTRY_VERSION,
  issuance: ISSUANCE,
  errors: ERRORS,
  limits: LIMITS,
  dataSchemas: DATA_SCHEMAS,
  requestSchemas: REQUEST_SCHEMAS,
  snapshotSchemas: SNAPSHOT_SCHEMAS,
}

/** One change of the changelog, as content/changelog.yaml has it. */
export interface ChangelogEntry {
  readonly kind: string
  readonly endpoints?: readonly string[]
}

/** A contract as one JSON value: the form of `docs/api/baseline.json`. */
export type ContractOutline = ReturnType<typeof outlineContract>

/** One row with everything that a client can depend on. */
export type EndpointOutline = ReturnType<typeof outlineEndpoint>

/** The outline of a contract. `entries` are the changes of the changelog, unreleased ones included. */
export function outlineContract(tables: ContractTables, entries: readonly ChangelogEntry[]) {
  const endpoints = Object.entries(tables.registry).map(
    ([name, row]) => [`${row.method} ${row.path}`, outlineEndpoint(name, row)] as const,
  )
  const changelog: { [row: string]: string[] } = {}
  for (const { kind, endpoints: rows = [] } of entries) {
    for (const row of rows) (changelog[row] ??= []).push(kind)
  }
  const outline = {
    registryVersion: tables.registryVersion,
    /** By method and path, such as `GET /api/v1/status`. */
    endpoints: Object.fromEntries(endpoints),
    errors: tables.errors,
    routeErrors: ROUTE_ERRORS,
    limits: tables.limits,
    issuance: tables.issuance,
    dataSchemas: Object.fromEntries(
      Object.entries(tables.dataSchemas).map(([name, schema]) => [componentName(name), schema]),
    ),
    requestSchemas: tables.requestSchemas,
    errorSchema: ERROR_SCHEMA,
    headers: {
      request: outlineHeaders(headersOf(REQUEST_HEADER_DOCS)),
      response: outlineHeaders(headersOf(RESPONSE_HEADER_DOCS)),
    },
    cors: CORS,
    /** Everything else, by name. */
    terms: {
      apiVersion: API_VERSION,
      basePath: BASE_PATH,
      tags: TAGS,
      stability: STABILITY_LEVELS,
      statuses: ENDPOINT_STATUSES,
      runtimes: RUNTIMES,
      authentications: AUTHENTICATIONS,
      cacheClasses: CACHE_CLASSES,
      errorCacheControl: ERROR_CACHE_CONTROL,
      vary: READ_VARY,
      requestMediaType: JSON_MEDIA_TYPE,
      responseContentType: RESPONSE_CONTENT_TYPE,
      schemaIds: SCHEMA_IDS,
      signedText: SIGNED_TEXT_LINES,
      revalidationText: REVALIDATION_TEXT_LINES,
      links: LINKS,
    },
    /** Kinds of the changelog entries that name a row, by row. A change that requires an entry requires one more. */
    changelog,
  }
  // Without members that are undefined, as the baseline has it.
  return JSON.parse(JSON.stringify(outline)) as typeof outline
}

function outlineEndpoint(name: string, row: Endpoint) {
  const { errors: _errors, failure: _failure, success, ...rest } = row
  const responses = createResponses(name, row).map(
    ({ status, headers, codes }) =>
      [status, { headers: Object.keys(headers).toSorted(), codes: codes.toSorted() }] as const,
  )
  return {
    name,
    ...rest,
    ...(success && { success: { ...success, data: componentName(success.data) } }),
    /** By status. */
    responses: Object.fromEntries(responses),
  }
}

function outlineHeaders(headers: ReturnType<typeof headersOf>) {
  const outlined = headers.map(
    ({ name, meaning, schema }) =>
      [name, { ...(ALWAYS_SENT.has(name) && { isAlwaysSent: true }), meaning, schema }] as const,
  )
  return Object.fromEntries(outlined)
}

/** The committed baseline. */
export function readBaseline(rootDir: string): ContractOutline {
  return JSON.parse(readFileSync(path.join(rootDir, BASELINE_FILE), 'utf8')) as ContractOutline
}
