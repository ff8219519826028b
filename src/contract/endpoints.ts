import { BASE_PATH } from './api-version.ts'
import type {
  Authentication,
  EndpointRuntime,
  EndpointStatus,
  Stability,
  TagName,
} from './endpoint-terms.ts'
import type { CacheClass } from './headers.ts'
import type { ErrorCode } from './errors.ts'
import { SNAPSHOT_ID_PATTERN } from './identifier-patterns.ts'
import { OPENAPI_VERSION } from './openapi-version.ts'
import type { DataSchemaName, RequestSchemaName } from './schemas.ts'
import { snapshotSchemaName, type SnapshotName } from './snapshot-schemas.ts'

export type Method = 'GET' | 'POST' | 'DELETE'

/** A part of a path that the caller fills in. It takes the whole rest of the path, slashes included. */
export interface PathParameter {
  readonly name: string
  readonly description: string
  readonly example: string
  /** What a known value looks like, as a regular expression source. */
  readonly pattern?: string
  /** Whether the path without the parameter (and its slash) is the same endpoint. */
  readonly mayBeEmpty: boolean
}

/** When an endpoint was deprecated, when it goes and what to use instead (spec 9.4). */
export interface DeprecationNotice {
  /** ISO 8601 UTC. */
  readonly deprecatedAt: string
  /** ISO 8601 UTC; the endpoint serves until then. */
  readonly sunsetAt: string
  /** Path of the replacement. */
  readonly successor: string
}

/** One row of the registry: everything the service promises about one method on one path. */
export interface Endpoint {
  readonly method: Method
  /** Path template from the root; a parameter in braces may only stand at the end. */
  readonly path: string
  readonly summary: string
  readonly description: string
  /** Group in the reference. */
  readonly tag: TagName
  readonly stability: Stability
  readonly status: EndpointStatus
  readonly runtime: EndpointRuntime
  readonly cacheClass: CacheClass
  readonly authentication: Authentication
  readonly parameter?: PathParameter
  /** Body of the request, by name. */
  readonly request?: RequestSchemaName
  /** What a success looks like; an endpoint that never succeeds has none. */
  readonly success?: {
    readonly status: 200 | 201
    /** Schema of `data` (of the whole body when not enveloped), by name. */
    readonly data: DataSchemaName
    readonly envelope: 'response' | 'registration' | 'none'
  }
  /** The published snapshot that this endpoint serves. */
  readonly snapshot?: SnapshotName
  /** Errors of its own; `errorsOf` adds those every endpoint shares. */
  readonly errors: readonly ErrorCode[]
  /** What an unexpected failure inside becomes. */
  readonly failure: ErrorCode
  /** Whether it issues API keys: refused before any other check while issuance is paused (spec 5.5). */
  readonly issuesKeys?: true
  readonly deprecation?: DeprecationNotice
}

/** A registry: rows by name. The service has one (`ENDPOINTS`); tests compose others. */
export interface Registry {
  readonly [name: string]: Endpoint
}

/** Errors that any endpoint answers when a request carries an API key (contract decisions section 5). */
export const KEY_ERRORS = [
  'KEY_INVALID',
  'KEY_EXPIRED',
  'KEY_RATE_LIMITED',
  'KEYS_UNAVAILABLE',
] as const satisfies readonly ErrorCode[]

/** What most rows have in common: a public read of something published. A row states what differs. */
const publicRead = {
  method: 'GET',
  status: 'active',
  runtime: 'all',
  cacheClass: 'static-snapshot',
  authentication: 'none',
  errors: [],
  failure: 'SNAPSHOT_UNAVAILABLE',
} as const

const keyWork = {
  tag: 'keys',
  stability: 'beta',
  status: 'active',
  runtime: 'all',
  cacheClass: 'none',
  failure: 'KEYS_UNAVAILABLE',
} as const

const enveloped = <const Name extends DataSchemaName>(data: Name) =>
  ({ status: 200, data, envelope: 'response' }) as const

/** A read of a published snapshot. Its path, data schema and handler follow from the name of the snapshot. */
const snapshotRead = <const Name extends SnapshotName>(snapshot: Name) =>
  ({
    ...publicRead,
    path: `${BASE_PATH}/${snapshot}`,
    success: enveloped(snapshotSchemaName(snapshot)),
    snapshot,
  }) as const

const walletSnapshot = <const Name extends SnapshotName>(snapshot: Name) =>
  ({ ...snapshotRead(snapshot), tag: 'wallet', stability: 'beta' }) as const

/** Semantic version of the registry and everything it promises (spec section 9). A change of the contract raises it. */
export const REGISTRY_VERSION = '1.2.0'

/**
 * The registry: the rows of spec section 4 and contract decisions section 1. Routing, `Allow`, CORS, cache headers, the
 * discovery index, the policy, the OpenAPI document, the pages, the client and the tests all read it.
 * Every GET row answers HEAD and OPTIONS too.
 */
export const ENDPOINTS = {
  index: {
    ...publicRead,
    stability: 'stable',
    path: BASE_PATH,
    tag: 'discovery',
    summary: 'List the endpoints',
    description:
      'The discovery index: every endpoint with its method, path, stability, status, cache class and authentication.',
    success: enveloped('DiscoveryIndex'),
  },
  status: {
    ...snapshotRead('status'),
    stability: 'stable',
    tag: 'snapshots',
    summary: 'Read the status',
    description:
      'The state of each component as the operator last published it, and recent incidents.',
  },
  time: {
    ...publicRead,
    stability: 'stable',
    path: `${BASE_PATH}/time`,
    tag: 'snapshots',
    cacheClass: 'short-lived',
    summary: 'Read the server time',
    description:
      'The server’s UTC time (label SERVER_UTC) and how far it can be trusted. The quality is measured against a time source, or said to be UNVERIFIED; it is never assumed.',
    success: enveloped('Time'),
  },
  architecture: {
    ...snapshotRead('architecture'),
    stability: 'stable',
    tag: 'snapshots',
    summary: 'Read the architecture',
    description: 'The parts of the service, how data flows between them and what each guarantees.',
  },
  developmentQueue: {
    ...snapshotRead('development-queue'),
    stability: 'stable',
    tag: 'snapshots',
    summary: 'Read the development queue',
    description: 'What is being worked on and what waits, in order.',
  },
  roadmap: {
    ...snapshotRead('roadmap'),
    stability: 'stable',
    tag: 'snapshots',
    summary: 'Read the roadmap',
    description: 'What is planned now, next and later. Intentions, not promises of dates.',
  },
  earlyAccess: {
    ...publicRead,
    stability: 'stable',
    path: `${BASE_PATH}/early-access`,
    tag: 'early-access',
    cacheClass: 'short-lived',
    summary: 'Read whether the waitlist is open',
    description:
      'Whether registration is open, which challenge it asks for, the fields and limits of the form, and what is kept of a registration.',
    success: enveloped('EarlyAccess'),
  },
  register: {
    method: 'POST',
    stability: 'stable',
    status: 'active',
    runtime: 'all',
    authentication: 'none',
    path: `${BASE_PATH}/early-access/register`,
    tag: 'early-access',
    cacheClass: 'none',
    summary: 'Join the waitlist',
    description:
      'Puts one e-mail address on the early-access waitlist. No account is made and no IP address is kept; the address is sealed before it is stored. An address that is on the list already is answered with status 200 and the error DUPLICATE.',
    request: 'Registration',
    success: { status: 200, data: 'RegistrationResult', envelope: 'registration' },
    errors: [
      'INVALID_JSON',
      'INVALID_INPUT',
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
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'RATE_LIMITED',
      'DUPLICATE',
    ],
    failure: 'REGISTRATION_UNAVAILABLE',
  },
  wallet: {
    ...walletSnapshot('wallet'),
    summary: 'Read the wallet overview',
    description: 'What the wallet views hold and whether a wallet is attached at all.',
  },
  walletArchitecture: {
    ...walletSnapshot('wallet/architecture'),
    summary: 'Read the wallet architecture',
    description: 'How a wallet would be kept apart from this service.',
  },
  walletSecurity: {
    ...walletSnapshot('wallet/security'),
    summary: 'Read the wallet security view',
    description: 'The rules that keep wallet secrets out of this service.',
  },
  walletEvidence: {
    ...walletSnapshot('wallet/evidence'),
    summary: 'Read the wallet evidence',
    description: 'What backs the statements of the other wallet views.',
  },
  walletCapabilities: {
    ...walletSnapshot('wallet/capabilities'),
    summary: 'Read the wallet capabilities',
    description: 'What a wallet can do here, and what it never will.',
  },
  walletIntegration: {
    ...walletSnapshot('wallet/integration'),
    summary: 'Read the wallet integration view',
    description: 'Which systems a wallet is joined to, and in what state each joint is.',
  },
  walletDevelopment: {
    ...walletSnapshot('wallet/development'),
    summary: 'Read the wallet development view',
    description: 'The state of the work on the wallet.',
  },
  policy: {
    ...publicRead,
    stability: 'stable',
    path: `${BASE_PATH}/policy`,
    tag: 'discovery',
    summary: 'Read the policy',
    description:
      'The machine-readable promise: versioning, stability, deprecation, caching, CORS, limits, authentication, security and the error catalog.',
    success: enveloped('Policy'),
  },
  openapi: {
    ...publicRead,
    stability: 'stable',
    path: `${BASE_PATH}/openapi.json`,
    tag: 'discovery',
    summary: 'Read the OpenAPI document',
    description: `This API as an OpenAPI ${OPENAPI_VERSION} document, raw: the one success without an envelope.`,
    success: { status: 200, data: 'OpenApiDocument', envelope: 'none' },
  },
  changelog: {
    ...snapshotRead('changelog'),
    stability: 'stable',
    tag: 'history',
    summary: 'Read the changelog',
    description: 'Notable changes, newest first, by the kinds of Keep a Changelog.',
  },
  version: {
    ...publicRead,
    stability: 'stable',
    path: `${BASE_PATH}/version`,
    tag: 'history',
    summary: 'Read the newest version',
    description:
      'The newest entry of the version history: the digest of every published resource, and the hash that ties it to the entry before.',
    success: enveloped('VersionSnapshot'),
  },
  versions: {
    ...publicRead,
    stability: 'stable',
    path: `${BASE_PATH}/versions`,
    tag: 'history',
    summary: 'Read the version history',
    description: 'The hash-chained index of all versions, newest first.',
    success: enveloped('VersionHistory'),
  },
  versionById: {
    ...publicRead,
    stability: 'stable',
    path: `${BASE_PATH}/versions/{snapshotId}`,
    tag: 'history',
    summary: 'Read one version',
    description: 'One entry of the version history by its id.',
    parameter: {
      name: 'snapshotId',
      description: 'Id of the version.',
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
    authentication: 'none',
    summary: 'Issue an API key',
    description:
      'Makes an anonymous API key and shows it this once. While issuance is paused, every request is answered 503 KEYS_UNAVAILABLE and no key is made.',
    issuesKeys: true,
    request: 'KeyRequest',
    success: { status: 201, data: 'IssuedKey', envelope: 'response' },
    errors: [
      'INVALID_JSON',
      'INVALID_INPUT',
      'CHALLENGE_FAILED',
      'REQUEST_REJECTED',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'RATE_LIMITED',
    ],
  },
  keySelf: {
    ...keyWork,
    method: 'GET',
    path: `${BASE_PATH}/keys/self`,
    authentication: 'api-key',
    summary: 'Read the metadata of the key in use',
    description:
      'What is known of the key the request carries, and its remaining quota; never the secret.',
    success: enveloped('KeyMetadata'),
    errors: ['KEY_REQUIRED'],
  },
  revokeKeySelf: {
    ...keyWork,
    method: 'DELETE',
    path: `${BASE_PATH}/keys/self`,
    authentication: 'api-key',
    summary: 'Revoke the key in use',
    description: 'Revokes the key the request carries, from the next request on and for good.',
    success: enveloped('RevokedKey'),
    errors: ['KEY_REQUIRED'],
  },
  signingKey: {
    ...publicRead,
    path: `${BASE_PATH}/keys/signing-key`,
    tag: 'keys',
    stability: 'beta',
    summary: 'Read the signing key',
    description:
      'The public key that verifies the signatures on the answers, and the texts that are signed. A clone of this origin has a key of its own: to tell it by that, learn the key id some other way and accept no other.',
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
      'A namespace for what comes next. It is disabled: every read is answered 403 PREVIEW_NOT_ENABLED.',
    parameter: {
      name: 'path',
      description: 'Anything below the namespace.',
      example: 'next',
      mayBeEmpty: true,
    },
    errors: ['PREVIEW_NOT_ENABLED'],
    failure: 'PREVIEW_NOT_ENABLED',
  },
} as const satisfies Registry

/** The name of an endpoint; also its operationId. */
export type EndpointName = keyof typeof ENDPOINTS

/** Every error an endpoint may answer with: its own, its failure and those that come with an API key; no doubles. */
export function errorsOf(endpoint: Endpoint): readonly ErrorCode[] {
  return [...new Set<ErrorCode>([...endpoint.errors, endpoint.failure, ...KEY_ERRORS])]
}
