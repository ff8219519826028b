import { ERRORS } from '../errors/errors.ts'
import type { JsonObject } from '../json/canonical-json.ts'
import { API_KEY_FORMAT } from '../keys/api-key.ts'
import type { Issuance } from '../keys/issuance.ts'
import {
  ENDPOINTS,
  LINKS,
  ROUTE_ERRORS,
  visibleEndpoints,
  type Endpoint,
} from '../registry/endpoints.ts'
import { REQUEST_SCHEMAS } from '../registry/schemas.ts'
import { BASE_PATH, OPENAPI_VERSION } from '../terms/api-version.ts'
import { TAGS } from '../terms/endpoint-terms.ts'
import { HEADERS, JSON_MEDIA_TYPE } from '../terms/headers.ts'
import { createDiscoveryIndex, type DocumentedTables } from './discovery.ts'
import { createExample, shortenLists } from './examples.ts'
import { REQUEST_HEADER_DOCS } from './header-docs.ts'
import {
  createResponses,
  errorExamples,
  headerComponents,
  isRevalidated,
  type OpenApiResponse,
  type SuccessExample,
} from './openapi-responses.ts'
import { ref, schemaComponents } from './openapi-schemas.ts'
import { createPolicy } from './policy.ts'

interface OpenApiOptions extends DocumentedTables {
  /** Origin of the service, without a trailing slash. */
  readonly baseUrl: string
}

export type OpenApiDocument = ReturnType<typeof createOpenApi>

const KEY_SCHEMES = {
  bearerKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: API_KEY_FORMAT,
    description: 'An API key as a bearer token.',
  },
  headerKey: {
    type: 'apiKey',
    in: 'header',
    name: HEADERS.key,
    description: `An API key in the header \`${HEADERS.key}\`, for callers that cannot set \`${HEADERS.authorization}\`.`,
  },
} as const

const KEY_REQUIRED_SECURITY = Object.keys(KEY_SCHEMES).map((name) => ({ [name]: [] }))

const TITLE = 'Public read-only API'
const DOCS = 'Reference documentation'

/** The example of an endpoint's success: a document of this service, or else the example of its schema. */
function successExample({ success }: Endpoint, options: OpenApiOptions): SuccessExample {
  const kind = success?.data
  if (kind === 'OpenApiDocument') {
    return { data: { openapi: OPENAPI_VERSION, info: { title: TITLE }, paths: {} } }
  }
  if (kind === 'DiscoveryIndex' || kind === 'Policy') {
    const document = kind === 'Policy' ? createPolicy(options) : createDiscoveryIndex(options)
    const summary =
      'The current document. Long lists show their first items. requestId and issuedAt differ in every response.'
    return { data: shortenLists(document), summary }
  }
  return {}
}

/** What the document says of the API as a whole: all but its paths and components. `registry` has the visible rows. */
export function createOpenApiBeginning({
  registry,
  registryVersion,
  issuance,
  baseUrl,
}: Pick<OpenApiOptions, 'registry' | 'registryVersion' | 'issuance' | 'baseUrl'>) {
  const tags = new Set<string>(Object.values(registry).map(({ tag }) => tag))
  return {
    openapi: OPENAPI_VERSION,
    info: {
      title: TITLE,
      version: registryVersion,
      description: introduction(issuance),
      contact: { name: DOCS, url: `${baseUrl}${LINKS.docs}` },
      license: { name: 'Apache-2.0', url: 'https://spdx.org/licenses/Apache-2.0.html' },
    },
    externalDocs: { description: 'The policy in force.', url: `${baseUrl}${LINKS.policy}` },
    servers: [{ url: baseUrl, description: 'This deployment.' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => tags.has(name))
      .map(([name, description]) => ({ name, description })),
  }
}

/**
 * `GET /api/v1/openapi.json`: the contract as an OpenAPI document, with every row that the runtime serves, every
 * response it may send and an example of each. Pure: the same options give the same document. No example is published
 * data, so that a new version leaves the document as it is and programs that compare it see changes of the contract.
 */
export function createOpenApi(options: OpenApiOptions) {
  const registry = visibleEndpoints(options.registry, options.runtime)
  const rows = Object.values(registry)
  const operations = Object.entries(registry).map(([name, row]) => {
    const example = successExample(row, options)
    return { name, row, responses: createResponses(name, row, example) }
  })
  const responses = operations.flatMap((each) => each.responses)
  const shared = sharedResponses(responses)
  const paths: { [path: string]: { [method: string]: JsonObject } } = {}
  for (const { name, row, responses: own } of operations) {
    const method = { [row.method.toLowerCase()]: operation(name, row, own, shared, options) }
    paths[row.path] = { ...paths[row.path], ...method }
  }

  return {
    ...createOpenApiBeginning({ ...options, registry }),
    paths,
    components: {
      schemas: schemaComponents(registry),
      responses: shared,
      headers: headerComponents(responses.map(({ headers }) => headers)),
      examples: errorExamples(rows),
      securitySchemes: KEY_SCHEMES,
    },
  }
}

function formatPause({ reason }: Issuance & { readonly enabled: false }): string {
  return `Issuance is paused (\`${reason}\`).`
}

function introduction(issuance: Issuance): string {
  const routeErrors = ROUTE_ERRORS.map((code) => {
    const { status, meaning } = ERRORS[code]
    return `\`${status}\` \`${code}\` (${meaning})`
  })
  return [
    `Snapshots that an organization publishes about itself, as JSON under \`${BASE_PATH}\`. Reading requires no account and no key.`,
    `**Responses.** A success is an envelope with \`ok\`, \`schema\`, \`requestId\`, \`issuedAt\` and \`data\`; only this document is sent without one. An error is an envelope with \`error\` instead of \`data\`. Every \`GET\` endpoint also supports \`HEAD\` and \`OPTIONS\`.`,
    `**Signatures.** Every JSON body is signed with Ed25519 over its method, target, status, time and digest; \`${ENDPOINTS.signingKey.path}\` has the public key and the format of the signed text. A \`304\` carries \`${HEADERS.revalidated}\` instead.`,
    `**Keys.** A key is optional and has its own quota. Send it as a bearer token or in \`${HEADERS.key}\`, never in a URL. ${issuance.enabled ? 'Keys are issued.' : formatPause(issuance)}`,
    `**Routes.** Below the base path the router returns ${routeErrors.join(' and ')} in the same error envelope, the second with \`${HEADERS.allow}\`.`,
    `The promises about versions, caching, limits and privacy are at \`${LINKS.policy}\`.`,
  ].join('\n\n')
}

/** The responses that several endpoints share, by name. A response of one endpoint is inline. */
function sharedResponses(responses: readonly OpenApiResponse[]): JsonObject {
  const byComponent = Map.groupBy(responses, ({ component }) => component)
  const shared: { [component: string]: JsonObject } = {}
  for (const [component, [first, second]] of byComponent) {
    if (component !== undefined && first && second) shared[component] = first.response
  }
  return shared
}

function operation(
  name: string,
  row: Endpoint,
  responses: readonly OpenApiResponse[],
  shared: JsonObject,
  { issuance, baseUrl }: OpenApiOptions,
): JsonObject {
  const pause = row.issuesKeys !== true || issuance.enabled ? '' : ` ${formatPause(issuance)}`

  return {
    operationId: name,
    tags: [row.tag],
    summary: row.summary,
    description: row.description + pause,
    externalDocs: { description: DOCS, url: `${baseUrl}${LINKS.docs}/${row.tag}#${name}` },
    ...(row.status === 'deprecated' && { deprecated: true }),
    'x-svc-stability': row.stability,
    'x-svc-status': row.status,
    'x-svc-runtime': row.runtime,
    'x-svc-cache-class': row.cacheClass,
    ...(row.deprecation && { 'x-svc-deprecation': { ...row.deprecation } }),
    security:
      row.authentication === 'none' ? [{}, ...KEY_REQUIRED_SECURITY] : KEY_REQUIRED_SECURITY,
    ...parameters(row),
    ...requestBody(row),
    responses: Object.fromEntries(
      responses.map(({ status, response, component }) => [
        status,
        component === undefined || shared[component] === undefined
          ? response
          : ref('responses', component),
      ]),
    ),
  }
}

function parameters(row: Endpoint): JsonObject {
  const all: JsonObject[] = []
  if (row.parameter !== undefined) {
    const { name, description, pattern, example } = row.parameter
    const schema = { type: 'string', ...(pattern !== undefined && { pattern }) }
    all.push({ name, in: 'path', required: true, description, schema, example })
  }
  for (const [name, { description, ...schema }] of Object.entries(row.query ?? {})) {
    all.push({ name, in: 'query', required: false, description, schema })
  }
  if (isRevalidated(row)) {
    for (const name of ['ifNoneMatch', 'acceptSignature'] as const) {
      const { description, ...schema } = REQUEST_HEADER_DOCS[name]
      all.push({ name: HEADERS[name], in: 'header', required: false, description, schema })
    }
  }
  return all.length === 0 ? {} : { parameters: all }
}

function requestBody({ request }: Endpoint): JsonObject {
  if (request === undefined) return {}
  const schema = REQUEST_SCHEMAS[request]
  const body = { schema: ref('schemas', request), example: createExample(schema) }
  const content = { [JSON_MEDIA_TYPE]: body }
  return { requestBody: { required: true, description: schema.description, content } }
}
