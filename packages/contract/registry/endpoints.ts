import type { ErrorCode } from '../errors/errors.ts'
import { MAX_HISTORY_PAGE } from '../history/history-page.ts'
import type { SnapshotName } from '../snapshots/snapshot-schemas.ts'
import { BASE_PATH, OPENAPI_VERSION } from '../terms/api-version.ts'
import type {
  AUTHENTICATIONS,
  ENDPOINT_STATUSES,
  RUNTIMES,
  STABILITY_LEVELS,
  TAGS,
} from '../terms/endpoint-terms.ts'
import type { CacheClass } from '../terms/headers.ts'
import { SNAPSHOT_ID_PATTERN } from '../terms/identifier-patterns.ts'
import type { JsonSchema } from '../terms/schema-type.ts'
import type { DataSchemaName, RequestSchemaName } from './schemas.ts'

/** One row of the registry: everything the service promises about one method on one path. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path template from the root; a parameter in braces is allowed only at the end. */
  readonly path: string
  readonly summary: string
  readonly description: string
  /** Group in the reference. */
  readonly tag: keyof typeof TAGS
  readonly stability: keyof typeof STABILITY_LEVELS
  readonly status: keyof typeof ENDPOINT_STATUSES
  readonly runtime: keyof typeof RUNTIMES
  readonly cacheClass: CacheClass
  readonly authentication: keyof typeof AUTHENTICATIONS
  /** The parameter at the end of the path. It matches the whole rest of the path, slashes included. */
  readonly parameter?: {
    readonly name: string
    readonly description: string
    readonly example: string
    /** Pattern of valid values, as a regular expression source. */
    readonly pattern?: string
    /** Whether the path without the parameter (and its slash) is the same endpoint. */
    readonly mayBeEmpty: boolean
  }
  /**
   * Optional query parameters that select a page of a list, by name. The response links to the next page. A value that
   * does not match its schema is ignored, because every query was accepted before the parameters existed.
   */
  readonly query?: { readonly [name: string]: JsonSchema }
  /** Body of the request, by name. */
  readonly request?: RequestSchemaName
  /** The success response; undefined for an endpoint that never succeeds. */
  readonly success?: {
    readonly status: 200 | 201
    /** Schema of `data` (of the whole body when not enveloped), by name: that of a snapshot if it serves one. */
    readonly data: DataSchemaName
    readonly envelope: 'response' | 'registration' | 'none'
  }
  /** Its own errors; `errorsOf` adds those that follow from the rest of the row, and those that every endpoint shares. */
  readonly errors: readonly ErrorCode[]
  /** The error for an unexpected failure. */
  readonly failure: ErrorCode
  /** Whether it issues API keys: refused before any other check while issuance is paused (spec 5.5). */
  readonly issuesKeys?: true
  /** When it was deprecated, until when it is available and what replaces it (spec 9.4). */
  readonly deprecation?: {
    /** ISO 8601 UTC. */
    readonly deprecatedAt: string
    /** ISO 8601 UTC. The endpoint is available until then. */
    readonly sunsetAt: string
    /** Path of the replacement. */
    readonly successor: string
  }
}

/** A registry: rows by name. The service has one (`ENDPOINTS`); tests compose others. */
export interface Registry {
  readonly [name: string]: Endpoint
}

/** Errors that any endpoint returns for a request with an API key (contract decisions section 5). */
export const KEY_ERRORS = [
  'KEY_INVALID',
  'KEY_EXPIRED',
  'KEY_RATE_LIMITED',
  'KEYS_UNAVAILABLE',
] as const satisfies readonly ErrorCode[]

/** Errors that the router returns below the base path; no endpoint lists them (spec 4.3). */
export const ROUTE_ERRORS = [
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
] as const satisfies readonly ErrorCode[]

/** Errors of every endpoint with a request body, before it checks the fields. */
export const BODY_ERRORS = [
  'INVALID_JSON',
  'INVALID_INPUT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
] as const satisfies readonly ErrorCode[]

/** Defaults of the rows: a public read of published data. Rows state only differences. */
const publicRead = {
  method: 'GET',
  stability: 'stable',
  status: 'active',
  runtime: 'all',
  cacheClass: 'static-snapshot',
  authentication: 'none',
  errors: [],
  failure: 'SNAPSHOT_UNAVAILABLE',
} as const

const keyWork = {
  ...publicRead,
  tag: 'keys',
  stability: 'beta',
  cacheClass: 'none',
  failure: 'KEYS_UNAVAILABLE',
} as const

const enveloped = <const Name extends DataSchemaName>(data: Name) =>
  ({ status: 200, data, envelope: 'response' }) as const

/** A read of a published snapshot. Its path and handler follow from the name of the snapshot. */
export const snapshotRead = <const Name extends SnapshotName>(snapshot: Name) =>
  ({
    ...publicRead,
    path: `${BASE_PATH}/${snapshot}`,
    tag: 'snapshots',
    success: enveloped(snapshot),
  }) as const

const walletSnapshot = <const Name extends SnapshotName>(snapshot: Name) =>
  ({ ...snapshotRead(snapshot), tag: 'wallet', stability: 'beta' }) as const

/**
 * The registry: the rows of spec section 4 and contract decisions section 1. Routing, `Allow`, CORS, cache headers, the
 * discovery index, the policy, the OpenAPI document, the pages, the client and the tests all read it.
 * Every GET row also serves HEAD and OPTIONS.
 */
export const ENDPOINTS = {
  index: {
    ...publicRead,
    path: BASE_PATH,
    tag: 'discovery',
    summary: 'List the endpoints',
    description:
      'Every endpoint with its method, path, stability, status, cache class and authentication.',
    success: enveloped('DiscoveryIndex'),
  },
  status: {
    ...snapshotRead('status'),
    summary: 'Get the status',
    description:
      'The state of each component, as the operator last published it, and recent incidents.',
  },
  time: {
    ...publicRead,
    path: `${BASE_PATH}/time`,
    tag: 'snapshots',
    cacheClass: 'short-lived',
    summary: 'Get the server time',
    description:
      'The UTC time of the server (label `SERVER_UTC`) and its quality, measured against a time source. Without a measurement, the quality is `UNVERIFIED`.',
    success: enveloped('Time'),
  },
  architecture: {
    ...snapshotRead('architecture'),
    summary: 'Get the architecture',
    description:
      'The components of the service, the data flows between them and the guarantees it gives.',
  },
  developmentQueue: {
    ...snapshotRead('development-queue'),
    summary: 'Get the development queue',
    description: 'Work in progress and planned work, in order of priority.',
  },
  roadmap: {
    ...snapshotRead('roadmap'),
    summary: 'Get the roadmap',
    description: 'Plans for now, next and later. They state intent, not dates.',
  },
  earlyAccess: {
    ...publicRead,
    path: `${BASE_PATH}/early-access`,
    tag: 'early-access',
    cacheClass: 'short-lived',
    summary: 'Get the waitlist status',
    description:
      'Whether registration is open, which challenge it requires, the fields and limits of the form, and what is stored of a registration.',
    success: enveloped('EarlyAccess'),
  },
  register: {
    ...publicRead,
    method: 'POST',
    path: `${BASE_PATH}/early-access/register`,
    tag: 'early-access',
    cacheClass: 'none',
    summary: 'Join the waitlist',
    description:
      'Adds an email address to the early-access waitlist. No account is created and no IP address is stored; the email address is encrypted before it is stored. For an address that is already on the list, the response is status 200 with the error `DUPLICATE`.',
    request: 'Registration',
    success: { status: 200, data: 'RegistrationResult', envelope: 'registration' },
    errors: [
      'FORBIDDEN_FIELD',
      'INVALID_EMAIL',
      'INVALID_LOCALE',
      'INVALID_INTERESTS',
      'CONSENT_REQUIRED',
      'INVALID_USE_CASE',
      'INVALID_SESSION_ID',
      'CHALLENGE_REQUIRED',
      'CHALLENGE_FAILED',
      'REQUEST_REJECTED',
      'RATE_LIMITED',
      'DUPLICATE',
    ],
    failure: 'REGISTRATION_UNAVAILABLE',
  },
  wallet: {
    ...walletSnapshot('wallet'),
    summary: 'Get the wallet overview',
    description: 'What the wallet views contain and whether a wallet is attached.',
  },
  walletArchitecture: {
    ...walletSnapshot('wallet/architecture'),
    summary: 'Get the wallet architecture',
    description: 'How a wallet would be isolated from this service.',
  },
  walletSecurity: {
    ...walletSnapshot('wallet/security'),
    summary: 'Get the wallet security',
    description: 'The rules that keep wallet secrets out of this service.',
  },
  walletEvidence: {
    ...walletSnapshot('wallet/evidence'),
    summary: 'Get the wallet evidence',
    description: 'Evidence for the statements in the other wallet views.',
  },
  walletCapabilities: {
    ...walletSnapshot('wallet/capabilities'),
    summary: 'Get the wallet capabilities',
    description: 'What the wallet views can do, and what they never will.',
  },
  walletIntegration: {
    ...walletSnapshot('wallet/integration'),
    summary: 'Get the wallet integrations',
    description: 'Which systems a wallet integrates with, and the state of each integration.',
  },
  walletDevelopment: {
    ...walletSnapshot('wallet/development'),
    summary: 'Get the wallet development',
    description: 'The state of the work on the wallet.',
  },
  policy: {
    ...publicRead,
    path: `${BASE_PATH}/policy`,
    tag: 'discovery',
    summary: 'Get the policy',
    description:
      'The promises of this API in machine-readable form: versioning, stability, deprecation, caching, CORS, limits, authentication, security and the error catalog.',
    success: enveloped('Policy'),
  },
  openapi: {
    ...publicRead,
    path: `${BASE_PATH}/openapi.json`,
    tag: 'discovery',
    summary: 'Get the OpenAPI document',
    description: `This API as an OpenAPI ${OPENAPI_VERSION} document. The only success response without an envelope.`,
    success: { status: 200, data: 'OpenApiDocument', envelope: 'none' },
  },
  changelog: {
    ...snapshotRead('changelog'),
    tag: 'history',
    summary: 'Get the changelog',
    description: 'Notable changes, newest first, grouped as in Keep a Changelog.',
  },
  version: {
    ...publicRead,
    path: `${BASE_PATH}/version`,
    tag: 'history',
    summary: 'Get the latest version',
    description:
      'The latest entry of the version history: the digest of every published resource, and the hash of the previous entry.',
    success: enveloped('VersionSnapshot'),
  },
  versions: {
    ...publicRead,
    path: `${BASE_PATH}/versions`,
    tag: 'history',
    summary: 'Get the version history',
    description:
      'All versions as a hash-chained index, newest first. With `limit` or `before`, the response is one page of it, and the `Link` header with `rel="next"` leads to the next page.',
    query: {
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_HISTORY_PAGE,
        description: 'Maximum number of entries in the response. Any other value is ignored.',
        example: 100,
      },
      before: {
        type: 'string',
        pattern: SNAPSHOT_ID_PATTERN,
        description:
          'ID of a version. The response contains only older entries. An unknown ID is ignored.',
        example: 'VS-0002',
      },
    },
    success: enveloped('VersionHistory'),
  },
  versionById: {
    ...publicRead,
    path: `${BASE_PATH}/versions/{snapshotId}`,
    tag: 'history',
    summary: 'Get a version',
    description: 'One entry of the version history by its ID.',
    parameter: {
      name: 'snapshotId',
      description: 'ID of the version.',
      example: 'VS-0001',
      pattern: SNAPSHOT_ID_PATTERN,
      mayBeEmpty: false,
    },
    success: enveloped('VersionSnapshot'),
    errors: ['VERSION_NOT_FOUND'],
  },
  createKey: {
    ...keyWork,
    method: 'POST',
    path: `${BASE_PATH}/keys`,
    summary: 'Create an API key',
    description:
      'Creates an anonymous API key. The key is shown only in this response. While issuance is paused, every request fails with 503 `KEYS_UNAVAILABLE` and no key is created.',
    issuesKeys: true,
    request: 'KeyRequest',
    success: { status: 201, data: 'IssuedKey', envelope: 'response' },
    errors: ['CHALLENGE_FAILED', 'REQUEST_REJECTED', 'RATE_LIMITED'],
  },
  keySelf: {
    ...keyWork,
    path: `${BASE_PATH}/keys/self`,
    authentication: 'api-key',
    summary: 'Get the current API key',
    description:
      'The metadata of the key in the request and its remaining quota. Never includes the secret.',
    success: enveloped('KeyMetadata'),
  },
  revokeKeySelf: {
    ...keyWork,
    method: 'DELETE',
    path: `${BASE_PATH}/keys/self`,
    authentication: 'api-key',
    summary: 'Revoke the current API key',
    description: 'Permanently revokes the key in the request, from the next request on.',
    success: enveloped('RevokedKey'),
  },
  signingKey: {
    ...publicRead,
    path: `${BASE_PATH}/keys/signing-key`,
    tag: 'keys',
    stability: 'beta',
    summary: 'Get the signing key',
    description:
      'The public key that verifies response signatures, and the format of the signed texts. A clone of this origin would show its own key: get the key ID from another source and accept no other.',
    success: enveloped('SigningKeys'),
    failure: 'SIGNING_UNAVAILABLE',
  },
  preview: {
    ...publicRead,
    path: `${BASE_PATH}/preview/{path}`,
    tag: 'preview',
    stability: 'beta',
    status: 'preview',
    cacheClass: 'short-lived',
    summary: 'Reserved for previews',
    description:
      'A namespace for future endpoints. It is disabled: every read fails with 403 `PREVIEW_NOT_ENABLED`.',
    parameter: {
      name: 'path',
      description: 'Any path below the namespace.',
      example: 'next',
      mayBeEmpty: true,
    },
    failure: 'PREVIEW_NOT_ENABLED',
  },
} as const satisfies Registry

/** The errors of an endpoint, each once, without those of a request with an API key. */
export function ownErrorsOf(row: Endpoint): readonly ErrorCode[] {
  const ofBody = row.request === undefined ? [] : BODY_ERRORS
  const ofKey = row.authentication === 'none' ? [] : (['KEY_REQUIRED'] as const)
  return [...new Set<ErrorCode>([...ofBody, ...ofKey, ...row.errors, row.failure])]
}

/** Every error that an endpoint may return, each once. */
export function errorsOf(row: Endpoint): readonly ErrorCode[] {
  return [...new Set<ErrorCode>([...ownErrorsOf(row), ...KEY_ERRORS])]
}

/** The runtime of a process. `local` serves every row, `production` only rows with runtime `all`. */
export type Runtime = 'local' | 'production'

/**
 * The rows that a runtime serves, in the order of the registry (spec 2.3). Routing, the discovery index, the policy and
 * the OpenAPI document all use it, so that exactly the served rows are listed.
 */
export function visibleEndpoints(registry: Registry, runtime: Runtime): Registry {
  return Object.fromEntries(
    Object.entries(registry).filter(([, row]) => runtime === 'local' || row.runtime === 'all'),
  )
}

/** Related documents, as paths on this origin (spec 2.3): the `links` of the discovery index and of the policy. */
export const LINKS = {
  index: ENDPOINTS.index.path,
  policy: ENDPOINTS.policy.path,
  openapi: ENDPOINTS.openapi.path,
  /** The reference documentation, in the default locale. */
  docs: '/en/reference',
} as const
