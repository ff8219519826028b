import { BASE_PATH } from './api-version.ts'
import { AUTHENTICATIONS, ENDPOINT_STATUSES, RUNTIMES, STABILITY_LEVELS } from './endpoint-terms.ts'
import { CACHE_CLASSES } from './headers.ts'
import { READ_PATHS } from './read-paths.ts'
import { keysOf, list, text, timestamp } from './response-fields.ts'
import type { JsonSchema } from './schema-type.ts'

const endpointRow = {
  type: 'object',
  title: 'EndpointEntry',
  description: 'One endpoint.',
  required: [
    'name',
    'method',
    'path',
    'summary',
    'stability',
    'status',
    'runtime',
    'cacheClass',
    'authentication',
  ],
  properties: {
    name: text('Name of the endpoint; also its operationId in the OpenAPI document.', 'status'),
    method: text('HTTP method. A GET endpoint also supports HEAD and OPTIONS.', 'GET'),
    path: text('Path template.', READ_PATHS.status),
    summary: text('What it does.', 'Read the status'),
    stability: {
      type: 'string',
      enum: keysOf(STABILITY_LEVELS),
      description: 'Stability level.',
      example: 'stable',
    },
    status: {
      type: 'string',
      enum: keysOf(ENDPOINT_STATUSES),
      description: 'Registry status.',
      example: 'active',
    },
    runtime: {
      type: 'string',
      enum: keysOf(RUNTIMES),
      description: 'Which runtimes serve it.',
      example: 'all',
    },
    cacheClass: {
      type: 'string',
      enum: keysOf(CACHE_CLASSES),
      description: 'Cache class of its successful responses.',
      example: 'static-snapshot',
    },
    authentication: {
      type: 'string',
      enum: keysOf(AUTHENTICATIONS),
      description: 'Whether an API key is required.',
      example: 'none',
    },
    deprecatedAt: timestamp('When it was deprecated. Only on a deprecated endpoint.'),
    sunsetAt: timestamp('The time until which it is available. Only on a deprecated endpoint.'),
    successor: text(
      'Path of the endpoint to use instead. Only on a deprecated endpoint.',
      '/api/v2/status',
    ),
  },
} as const

export const links = {
  type: 'object',
  title: 'DocumentLinks',
  description: 'Related documents, as paths on this origin.',
  required: ['index', 'policy', 'openapi', 'docs'],
  properties: {
    index: text('The discovery index.', READ_PATHS.index),
    policy: text('The policy document.', READ_PATHS.policy),
    openapi: text('The OpenAPI document.', READ_PATHS.openapi),
    docs: text('The reference documentation.', '/en/reference'),
  },
} as const

/** `data` of the discovery index. */
export const DISCOVERY_INDEX_SCHEMA = {
  type: 'object',
  description: 'The discovery index.',
  required: ['apiVersion', 'basePath', 'registryVersion', 'endpoints', 'links'],
  properties: {
    apiVersion: text('The major version.', 'v1'),
    basePath: text('Base path of every endpoint.', BASE_PATH),
    registryVersion: text('Semantic version of the endpoint registry.', '1.0.0'),
    endpoints: list('Every endpoint this runtime serves.', endpointRow),
    links,
  },
} as const satisfies JsonSchema
