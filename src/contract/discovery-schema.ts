import { enumField, keysOf, list, named, record, text, timestamp } from './fields.ts'
import { BASE_PATH } from './api-version.ts'
import { AUTHENTICATIONS, ENDPOINT_STATUSES, RUNTIMES, STABILITY_LEVELS } from './endpoint-terms.ts'
import { CACHE_CLASSES } from './headers.ts'
import { LIMITS } from './limits.ts'
import { READ_PATHS } from './read-paths.ts'

const endpointRow = named('EndpointEntry', 'One endpoint.', {
  name: text('Name of the endpoint; also its operationId in the OpenAPI document.', 'status'),
  method: text('HTTP method. A GET endpoint also supports HEAD and OPTIONS.', 'GET'),
  path: text('Path template.', READ_PATHS.status),
  summary: text('What it does.', 'Read the status'),
  stability: enumField(keysOf(STABILITY_LEVELS), 'Stability level.', 'stable'),
  status: enumField(keysOf(ENDPOINT_STATUSES), 'Registry status.', 'active'),
  runtime: enumField(keysOf(RUNTIMES), 'Which runtimes serve it.', 'all'),
  cacheClass: enumField(
    keysOf(CACHE_CLASSES),
    'Cache class of its successful responses.',
    'static-snapshot',
  ),
  authentication: enumField(keysOf(AUTHENTICATIONS), 'Whether an API key is required.', 'none'),
  'deprecatedAt?': timestamp('When it was deprecated. Only on a deprecated endpoint.'),
  'sunsetAt?': timestamp(
    'The time until which it is available. Only on a deprecated endpoint.',
    LIMITS.deprecationNoticeDays,
  ),
  'successor?': text(
    'Path of the endpoint to use instead. Only on a deprecated endpoint.',
    '/api/v2/status',
  ),
})

export const links = named('DocumentLinks', 'Related documents, as paths on this origin.', {
  index: text('The discovery index.', READ_PATHS.index),
  policy: text('The policy document.', READ_PATHS.policy),
  openapi: text('The OpenAPI document.', READ_PATHS.openapi),
  docs: text('The reference documentation.', '/en/reference'),
})

/** `data` of the discovery index. */
export const DISCOVERY_INDEX_SCHEMA = record('The discovery index.', {
  apiVersion: text('The major version.', 'v1'),
  basePath: text('Base path of every endpoint.', BASE_PATH),
  registryVersion: text('Semantic version of the endpoint registry.', '1.0.0'),
  endpoints: list('Every endpoint this runtime serves.', endpointRow),
  links,
})
