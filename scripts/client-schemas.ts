import { componentName } from '@public-api/contract/documents/openapi-schemas'
import type { Endpoint, Registry } from '@public-api/contract/registry/endpoints'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { isSnapshotName } from '@public-api/contract/snapshots/snapshot-schemas'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import type { ContractTables } from './contract-outline.ts'

/** Names in the clients of schemas whose own names mean something else there, or say less. */
const CLIENT_NAMES: { readonly [schema: string]: string } = {
  DiscoveryIndex: 'EndpointIndex',
  SigningKeys: 'SigningKeyDocument',
  VersionSnapshot: 'VersionEntry',
  VersionHistory: 'VersionIndex',
  // The items of the index; an entry of the history is the whole version.
  VersionEntry: 'VersionSummary',
  // The client's own RateLimit is the quota of a response.
  RateLimit: 'RateLimitRule',
}

/** The tables that the types of the clients follow from. */
export type ClientTypeTables = Pick<ContractTables, 'registry' | 'dataSchemas' | 'requestSchemas'>

/** An object of the data or of a request body, as a client names it. */
export interface ClientObject {
  readonly name: string
  readonly doc: string
  readonly schema: JsonSchema
}

/** The name of a schema in the clients. */
export function clientNameOf(schema: string): string {
  return CLIENT_NAMES[schema] ?? componentName(schema)
}

/** The requests of rows, in a sentence. */
export function formatRequests(rows: readonly Endpoint[]): string {
  return rows.map(({ method, path }) => `\`${method} ${path}\``).join(' and ')
}

/** The rows that are read with GET, with their names. */
export function readsOf(registry: Registry): readonly (readonly [string, Endpoint])[] {
  return Object.entries(registry).filter(([, { method }]) => method === 'GET')
}

/** The paths of published resources and of the newest version: what a copy of the service can replace. */
export function copiedPathsOf(registry: Registry): readonly string[] {
  const paths = readsOf(registry).map(([, { path }]) => path)
  return paths.filter(
    (path) => path === READ_PATHS.version || isSnapshotName(path.slice(BASE_PATH.length + 1)),
  )
}

function schemaNamed(schemas: ContractTables['dataSchemas'], name: string): JsonSchema {
  const schema = schemas[name]
  if (schema === undefined) throw new Error(`There is no schema ${name}`)
  return schema
}

/** The titled objects directly in a schema. */
function titledIn(schema: JsonSchema): readonly JsonSchema[] {
  const { title, items, properties, additionalProperties } = schema
  if (properties !== undefined && title !== undefined) return [schema]
  const inner = [items, additionalProperties, ...Object.values(properties ?? {})]
  return inner.flatMap((each) => (typeof each === 'object' ? titledIn(each) : []))
}

/** A schema in which each object without a title is named for the one that contains it and for its member. */
function withTitles(schema: JsonSchema, name: string): JsonSchema {
  const { items, properties } = schema
  return {
    ...schema,
    ...(properties === undefined || schema.title !== undefined ? {} : { title: name }),
    ...(items === undefined ? {} : { items: withTitles(items, `${name}Item`) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([member, each]) => {
              const start = clientNameOf(schema.title ?? name)
              const rest = `${member.charAt(0).toUpperCase()}${member.slice(1)}`
              return [member, withTitles(each, start + rest)]
            }),
          ),
        }),
  }
}

/** What `clientObjects` returns. */
export interface ClientObjectOptions {
  /** Includes the request bodies and the data of writes. */
  readonly withRequests: boolean
  /** Names the objects without a title, for languages without literal types. */
  readonly namesAll: boolean
}

/** Every object of the data and of the request bodies, each once, before the objects within it. */
export function clientObjects(
  { registry, dataSchemas, requestSchemas }: ClientTypeTables,
  { withRequests, namesAll }: ClientObjectOptions,
): readonly ClientObject[] {
  const found = new Map<string, ClientObject>()
  const add = (name: string, given: JsonSchema, intro = ''): void => {
    const schema = namesAll ? withTitles(given, name) : given
    const known = found.get(name)
    if (known !== undefined) {
      if (JSON.stringify(known.schema) === JSON.stringify(schema)) return
      throw new Error(`Two objects are named ${name}`)
    }
    found.set(name, { name, doc: intro + (schema.description ?? ''), schema })
    for (const member of Object.values(schema.properties ?? {})) {
      for (const each of titledIn(member)) add(clientNameOf(each.title ?? ''), each)
    }
  }
  const rows = Object.values(registry)
  for (const name of new Set(rows.flatMap(({ success }) => success?.data ?? []))) {
    const sources = rows.filter(({ success }) => success?.data === name)
    if (!withRequests && !sources.some(({ method }) => method === 'GET')) continue
    const intro = `Data of ${formatRequests(sources)}. `
    add(clientNameOf(name), schemaNamed(dataSchemas, name), intro)
  }
  const requests = withRequests ? rows.flatMap(({ request }) => request ?? []) : []
  for (const name of new Set(requests)) {
    const sources = rows.filter(({ request }) => request === name)
    const intro = `Body of ${formatRequests(sources)}. `
    add(clientNameOf(name), schemaNamed(requestSchemas, name), intro)
  }
  return [...found.values()]
}
