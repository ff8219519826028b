import { API_KEY_FORMAT } from '../contract/api-key.ts'
import { API_VERSION, BASE_PATH } from '../contract/api-version.ts'
import { ENDPOINT_STATUSES, RUNTIMES, STABILITY_LEVELS } from '../contract/endpoint-terms.ts'
import { ENDPOINTS, type Endpoint, type Registry } from '../contract/endpoints.ts'
import { SCHEMA_IDS } from '../contract/envelope.ts'
import { ERRORS } from '../contract/errors.ts'
import {
  CACHE_CLASSES,
  CORS,
  ERROR_CACHE_CONTROL,
  HEADERS,
  READ_VARY,
  JSON_MEDIA_TYPE,
  RESPONSE_CONTENT_TYPE,
} from '../contract/headers.ts'
import type { Issuance } from '../contract/issuance.ts'
import { LIMITS } from '../contract/limits.ts'
import { LINKS } from '../contract/links.ts'
import { REQUEST_SCHEMAS, type DataOf } from '../contract/schemas.ts'
import {
  formatContentDigest,
  formatEtag,
  REVALIDATION_TEXT_LINES,
  SIGNED_TEXT_LINES,
} from '../contract/signature.ts'
import { visibleEndpoints, type Runtime } from '../contract/visible-endpoints.ts'
import { headerMeanings, REQUEST_HEADER_DOCS, RESPONSE_HEADER_DOCS } from './header-docs.ts'

/** What the policy document is made from. */
export interface PolicyOptions {
  readonly registry: Registry
  readonly runtime: Runtime
  /** Semantic version of the registry. */
  readonly registryVersion: string
  readonly issuance: Issuance
}

type Policy = DataOf<'Policy'>

/** `data` of `GET /api/v1/policy` (spec 2.3): the promises of the contract's tables in one document. Pure. */
export function createPolicy(options: PolicyOptions): Policy {
  const rows = Object.values(visibleEndpoints(options.registry, options.runtime))
  return {
    schema: SCHEMA_IDS.policy,
    note: 'What this API promises, stated for programs and auditors. It is written from the same tables that route, cache, sign and answer the requests.',
    audience:
      'Anyone. Reading needs no account, no registration and no key, and everything published here is meant for the public.',
    runtime: { values: RUNTIMES, default: 'all' },
    authentication: authentication(options.issuance),
    versioning: versioning(options.registryVersion),
    stability: STABILITY_LEVELS,
    deprecation: deprecation(rows),
    caching: caching(),
    cors: {
      ...CORS,
      writes:
        'POST and DELETE answers carry no CORS header, and a preflight never offers those methods.',
    },
    headers: {
      request: headerMeanings(REQUEST_HEADER_DOCS),
      response: headerMeanings(RESPONSE_HEADER_DOCS),
    },
    limits: limits(),
    rateLimiting: rateLimiting(),
    security: security(),
    errors: errors(),
    apiVersion: API_VERSION,
    basePath: BASE_PATH,
    registryVersion: options.registryVersion,
    links: LINKS,
    summary: {
      endpoints: rows.length,
      byStability: countBy(rows, (row) => row.stability),
      byStatus: countBy(rows, (row) => row.status),
      byCachePolicy: countBy(rows, (row) => row.cacheClass),
    },
  }
}

function authentication(issuance: Issuance): Policy['authentication'] {
  return {
    required: false,
    accounts: false,
    schemes: [`${HEADERS.authorization}: Bearer <API_KEY>`, `${HEADERS.key}: <API_KEY>`],
    keyInUrl: false,
    key: {
      format: API_KEY_FORMAT,
      scope: 'read',
      defaultTtlDays: LIMITS.defaultTtlDays,
      maxTtlDays: LIMITS.maxTtlDays,
      storage:
        'Only HMAC-SHA256 of the key is stored, under a secret that is kept outside the database. The key itself is shown once, when it is issued, and never stored, listed or logged.',
    },
    issuance,
    rules: [
      'A key is optional: it adds a quota of its own and opens nothing that is closed to others, its own metadata excepted.',
      'A key that is sent is always checked, and the request counts against its quota, also where no key is needed.',
      'A malformed, an unknown, a wrong and a revoked key get one and the same answer, KEY_INVALID, for the same work; none of them is served as an anonymous request.',
      'KEY_EXPIRED is only told to a caller who holds the right secret of a key that was not revoked.',
      'Two different keys in one request are KEY_INVALID; a key in a URL is never read as one.',
      'A key identifies nobody: no account, address, login, session or device is tied to it.',
      'No endpoint lists keys, their holders, their requests or anyone else’s usage.',
      'Revocation is final and takes effect with the next request.',
      'While keys cannot be checked, KEYS_UNAVAILABLE answers every request that carries one; all others are served.',
      'Issuance opens only by an approved change of the registry; no configuration and no test mode opens it. Inspecting and revoking existing keys work while it is paused.',
    ],
  }
}

function versioning(registryVersion: string): Policy['versioning'] {
  return {
    scheme: 'The major version stands in the path.',
    current: API_VERSION,
    registryVersion,
    additive:
      'New endpoints and new optional response fields ship inside this major version without notice; readers must ignore fields they do not know.',
    breaking:
      'Removing or renaming an endpoint or a field, changing a type or a meaning and tightening validation need a new major path, and the endpoint here is deprecated first.',
    header: HEADERS.apiVersion,
    history: ENDPOINTS.versions.path,
  }
}

function deprecation(rows: readonly Endpoint[]): Policy['deprecation'] {
  return {
    noticeDays: LIMITS.deprecationNoticeDays,
    appliesTo: 'stable',
    signals: [
      'the status deprecated in the discovery index',
      `the response header ${HEADERS.deprecation}`,
      `the response header ${HEADERS.sunset}`,
      `the response header ${HEADERS.link} with rel="successor-version"`,
      'an entry in the changelog',
    ],
    requires: ['a sunset date; the endpoint serves until then', 'a replacement'],
    statuses: ENDPOINT_STATUSES,
    endpoints: rows.flatMap(({ method, path, deprecation: notice }) =>
      notice === undefined ? [] : [{ method, path, ...notice }],
    ),
  }
}

function caching(): Policy['caching'] {
  return {
    classes: CACHE_CLASSES,
    errors: ERROR_CACHE_CONTROL,
    etag: `${formatEtag('<base64url SHA-256 of the RFC 8785 JSON of data>')}; requestId and issuedAt have no part in it, so every node gives the same tag and anyone can compute it from the body. For the OpenAPI document, which has no envelope, data is the whole body.`,
    conditional: `A cacheable read whose ${HEADERS.ifNoneMatch} matches (weak comparison, lists and * included) is answered 304. The 304 carries ${HEADERS.revalidated} and no signature of a body, so that a cache never joins an old body with a new signature.`,
    vary: READ_VARY,
  }
}

function limits(): Policy['limits'] {
  return {
    maxBodyBytes: LIMITS.maxBodyBytes,
    requestContentType: JSON_MEDIA_TYPE,
    responseContentType: RESPONSE_CONTENT_TYPE,
    maxUseCaseLength: LIMITS.maxUseCaseCodePoints,
    maxEmailLength: LIMITS.maxEmailLength,
    maxInterests: LIMITS.maxInterests,
    labelPattern: REQUEST_SCHEMAS.KeyRequest.properties.label.pattern,
    minTtlDays: LIMITS.minTtlDays,
    defaultTtlDays: LIMITS.defaultTtlDays,
    maxTtlDays: LIMITS.maxTtlDays,
    maxActiveKeys: LIMITS.maxActiveKeys,
  }
}

function rateLimiting(): Policy['rateLimiting'] {
  return {
    anonymousReads:
      'The service does not limit reads without a key. A network in front of it may; that is outside this contract.',
    registrationGlobal: LIMITS.registrationGlobal,
    registrationPerActor: LIMITS.registrationPerActor,
    keyedRequests: LIMITS.keyedRequests,
    keyIssuance: LIMITS.keyIssuance,
    actor:
      'A keyed hash (HMAC-SHA256) of the IPv4 address or of the IPv6 /64, with a random key that is replaced every day. The address itself is no key, and is neither stored nor logged.',
    headers: [
      HEADERS.rateLimitLimit,
      HEADERS.rateLimitRemaining,
      HEADERS.rateLimitReset,
      HEADERS.retryAfter,
    ],
  }
}

function security(): Policy['security'] {
  return {
    signing: {
      algorithm: 'Ed25519',
      signedText: SIGNED_TEXT_LINES,
      revalidationText: REVALIDATION_TEXT_LINES,
      contentDigest: formatContentDigest('<base64 SHA-256 of the body bytes>'),
      maxAgeSeconds: LIMITS.signatureMaxAgeSeconds,
      keyDocument: ENDPOINTS.signingKey.path,
      pinning:
        'A clone of this origin can serve its own key with its own signatures. A client that has to tell them apart learns the key id some other way than from here, and accepts no other.',
    },
    privacy: [
      'No account, session, login or cookie exists.',
      'No IP address is stored, logged or used as the key of a rate limit.',
      'Queries and user agents are not logged.',
      'Request ids are random and say nothing of the caller.',
      'An address on the waitlist is sealed to a key that need not be on the server, and a known address costs and shows as much as a new one.',
      'Which rule rejected a request is never told, and no message repeats any part of a request.',
    ],
    isolation: [
      'No route reaches an internal system; what is read here was published beforehand.',
      'Wallet views are published snapshots. No wallet is queried, and no key of one is known here.',
      'Publishing checks every resource for secrets before it becomes part of a release.',
      'The waitlist is the one write path, and it leads to a waitlist only.',
    ],
  }
}

function errors(): Policy['errors'] {
  return {
    schema: SCHEMA_IDS.error,
    cacheControl: ERROR_CACHE_CONTROL,
    catalog: Object.entries(ERRORS).map(([code, { message: _, ...entry }]) => ({ code, ...entry })),
  }
}

function countBy(
  rows: readonly Endpoint[],
  keyOf: (row: Endpoint) => string,
): { readonly [key: string]: number } {
  const counts: { [key: string]: number } = {}
  for (const row of rows) counts[keyOf(row)] = (counts[keyOf(row)] ?? 0) + 1
  return counts
}
