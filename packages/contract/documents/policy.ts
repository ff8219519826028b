import { ERRORS } from '../errors/errors.ts'
import { SCHEMA_IDS } from '../http/envelope.ts'
import {
  formatContentDigest,
  formatEtag,
  REVALIDATION_TEXT_LINES,
  SIGNED_TEXT_LINES,
} from '../http/signature.ts'
import { API_KEY_FORMAT } from '../keys/api-key.ts'
import { ENDPOINTS, LINKS, visibleEndpoints } from '../registry/endpoints.ts'
import { REQUEST_SCHEMAS, type DataOf } from '../registry/schemas.ts'
import { API_VERSION, BASE_PATH } from '../terms/api-version.ts'
import { ENDPOINT_STATUSES, RUNTIMES, STABILITY_LEVELS } from '../terms/endpoint-terms.ts'
import {
  CACHE_CLASSES,
  CORS,
  ERROR_CACHE_CONTROL,
  HEADERS,
  READ_VARY,
  JSON_MEDIA_TYPE,
  RESPONSE_CONTENT_TYPE,
} from '../terms/headers.ts'
import { LIMITS } from '../terms/limits.ts'
import type { DocumentedTables } from './discovery.ts'
import {
  headersOf,
  REQUEST_HEADER_DOCS,
  RESPONSE_HEADER_DOCS,
  type HeaderDocs,
} from './header-docs.ts'

const RATE_LIMITING = {
  anonymousReads:
    'The service does not limit reads without a key. A network in front of it may have limits outside this contract.',
  registrationGlobal: LIMITS.registrationGlobal,
  registrationPerActor: LIMITS.registrationPerActor,
  keyedRequests: LIMITS.keyedRequests,
  keyIssuance: LIMITS.keyIssuance,
  actor:
    'A keyed hash (HMAC-SHA256) of the IPv4 address or of the IPv6 /64, with a random key that changes daily. The address itself is never used as a key, stored or logged.',
  headers: [
    HEADERS.rateLimitLimit,
    HEADERS.rateLimitRemaining,
    HEADERS.rateLimitReset,
    HEADERS.retryAfter,
  ],
}

const SECURITY = {
  signing: {
    algorithm: 'Ed25519',
    signedText: SIGNED_TEXT_LINES,
    revalidationText: REVALIDATION_TEXT_LINES,
    contentDigest: formatContentDigest('<base64 SHA-256 of the body bytes>'),
    maxAgeSeconds: LIMITS.signatureMaxAgeSeconds,
    keyDocument: ENDPOINTS.signingKey.path,
    pinning:
      'A clone of this origin can serve its own key with its own signatures. To detect a clone, get the key ID from an independent source and accept no other.',
  },
  privacy: [
    'There are no accounts, sessions, logins or cookies.',
    'IP addresses are never stored, logged or used as rate-limit keys.',
    'Queries and user agents are not logged.',
    'Request IDs are random and carry no identity.',
    'Email addresses on the waitlist are encrypted to a key that does not have to be on the server. A known address costs the same work as a new one and gets the same status.',
    'The rule that rejected a request is never revealed, and no message repeats any part of a request.',
  ],
  isolation: [
    'No route reaches an internal system. Everything served was published beforehand.',
    'Wallet views are published snapshots. No wallet is queried, and the service has no wallet keys.',
    'Publishing checks every resource for secrets before it becomes part of a release.',
    'The waitlist is the only write path, and it writes to a waitlist only.',
  ],
}

/** `data` of `GET /api/v1/policy` (spec 2.3): the promises of the contract's tables in one document. Pure. */
export function createPolicy({
  registry,
  runtime,
  registryVersion,
  issuance,
}: DocumentedTables): DataOf<'Policy'> {
  const rows = Object.values(visibleEndpoints(registry, runtime))
  // `svc doctor` creates this document in Node 20, which has no Map.groupBy.
  const countBy = (key: 'stability' | 'status' | 'cacheClass') => {
    const counts: { [value: string]: number } = {}
    for (const row of rows) counts[row[key]] = (counts[row[key]] ?? 0) + 1
    return counts
  }
  const meanings = (docs: HeaderDocs) =>
    Object.fromEntries(headersOf(docs).map(({ name, meaning }) => [name, meaning]))
  return {
    schema: SCHEMA_IDS.policy,
    note: 'The promises of this API, for programs and auditors. Generated from the same tables that route, cache and sign the responses.',
    audience:
      'Everyone. Reading requires no account, registration or key, and everything published here is public.',
    runtime: { values: RUNTIMES, default: 'all' },
    authentication: {
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
          'Only an HMAC-SHA256 of the key is stored, under a secret kept outside the database. The key itself is shown once, when it is issued, and is never stored, listed or logged.',
      },
      issuance,
      rules: [
        'A key is optional. It has its own quota and gives access to nothing but its own metadata.',
        'A key that is sent is always checked, and the request counts against its quota, even if the endpoint does not require a key.',
        'Malformed, unknown, wrong and revoked keys get the same response, `KEY_INVALID`, for the same work. They are never served as anonymous requests.',
        '`KEY_EXPIRED` is sent only if the secret is right and the key was not revoked.',
        'Two different keys in one request are `KEY_INVALID`. A key in a URL is ignored.',
        'A key carries no identity: it is not linked to an account, address, login, session or device.',
        'No endpoint lists keys, their holders, their requests or the usage of others.',
        'Revocation is permanent and takes effect with the next request.',
        'While keys cannot be checked, every request with a key fails with `KEYS_UNAVAILABLE`. Other requests are served.',
        'Only an approved change of the registry enables issuance; no configuration or test mode does. While it is paused, existing keys can still be inspected and revoked.',
      ],
    },
    versioning: {
      scheme: 'The major version is in the path.',
      current: API_VERSION,
      registryVersion,
      additive:
        'New endpoints and new optional response fields ship within this major version without notice. Clients must ignore unknown fields.',
      breaking:
        'Removing or renaming an endpoint or a field, changing a type or a meaning, and tightening validation require a new major path. The endpoint in this version is deprecated first.',
      header: HEADERS.apiVersion,
      history: ENDPOINTS.versions.path,
    },
    stability: STABILITY_LEVELS,
    deprecation: {
      noticeDays: LIMITS.deprecationNoticeDays,
      appliesTo: 'stable',
      signals: [
        'the status `deprecated` in the discovery index',
        `the response header \`${HEADERS.deprecation}\``,
        `the response header \`${HEADERS.sunset}\``,
        `the response header \`${HEADERS.link}\` with \`rel="successor-version"\``,
        'an entry in the changelog',
      ],
      requires: ['a sunset date; the endpoint stays available until then', 'a successor'],
      statuses: ENDPOINT_STATUSES,
      endpoints: rows.flatMap(({ method, path, deprecation: notice }) =>
        notice === undefined ? [] : [{ method, path, ...notice }],
      ),
    },
    caching: {
      classes: CACHE_CLASSES,
      errors: ERROR_CACHE_CONTROL,
      etag: `\`${formatEtag('<base64url SHA-256 of the RFC 8785 JSON of data>')}\`. \`requestId\` and \`issuedAt\` are not part of it, so every node sends the same tag and anyone can compute it from the body. For the OpenAPI document, which has no envelope, \`data\` is the whole body.`,
      conditional: `A cacheable read whose \`${HEADERS.ifNoneMatch}\` matches (weak comparison, lists and \`*\` included) gets a \`304\`. The \`304\` carries \`${HEADERS.revalidated}\` and no signature of a body, so that a cache never combines an old body with a new signature.`,
      vary: READ_VARY,
    },
    cors: {
      ...CORS,
      writes:
        'Responses to `POST` and `DELETE` carry no CORS header, and a preflight never offers these methods.',
    },
    headers: {
      request: meanings(REQUEST_HEADER_DOCS),
      response: meanings(RESPONSE_HEADER_DOCS),
    },
    limits: {
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
    },
    rateLimiting: RATE_LIMITING,
    security: SECURITY,
    errors: {
      schema: SCHEMA_IDS.error,
      cacheControl: ERROR_CACHE_CONTROL,
      catalog: Object.entries(ERRORS).map(([code, { message: _, ...entry }]) => ({
        code,
        ...entry,
      })),
    },
    apiVersion: API_VERSION,
    basePath: BASE_PATH,
    registryVersion,
    links: LINKS,
    summary: {
      endpoints: rows.length,
      byStability: countBy('stability'),
      byStatus: countBy('status'),
      byCachePolicy: countBy('cacheClass'),
    },
  }
}
