import { SCHEMA_IDS } from '../http/envelope.ts'
import { API_KEY_FORMAT, API_KEY_LABEL_PATTERN } from '../keys/api-key.ts'
import {
  enumField,
  bool,
  list,
  named,
  record,
  text,
  textList,
  timestamp,
  whole,
} from '../schemas/fields.ts'
import { BASE_PATH, REGISTRY_VERSION } from '../terms/api-version.ts'
import { CORS } from '../terms/headers.ts'
import { LIMITS } from '../terms/limits.ts'
import { READ_PATHS } from './read-paths.ts'

export const links = named('DocumentLinks', 'Related documents, as paths on this origin.', {
  index: text('The discovery index.', READ_PATHS.index),
  policy: text('The policy document.', READ_PATHS.policy),
  openapi: text('The OpenAPI document.', READ_PATHS.openapi),
  docs: text('The reference documentation.', '/en/reference'),
})

export const scope = enumField(['read'], 'What the key may do.', 'read')

const counts = (description: string) =>
  ({
    type: 'object',
    description,
    additionalProperties: whole('Number of endpoints.', 14),
  }) as const

const meanings = (description: string) =>
  ({
    type: 'object',
    description,
    additionalProperties: text('What it means.', 'Available.'),
  }) as const

const rateLimit = named('RateLimit', 'Requests per fixed window.', {
  requests: whole('Requests in one window.', LIMITS.keyedRequests.requests),
  windowSeconds: whole(
    'Length of the fixed window, in seconds.',
    LIMITS.keyedRequests.windowSeconds,
  ),
})

/** `data` of the policy (spec 2.3). */
export const POLICY_SCHEMA = record('What this API promises, for programs and auditors.', {
  schema: enumField([SCHEMA_IDS.policy], 'Name of the schema of this document.', SCHEMA_IDS.policy),
  note: text('What this document is.', 'The promises of this API in one document.'),
  audience: text('Who the API is for.', 'Everyone.'),
  runtime: record('What the `runtime` values of an endpoint mean.', {
    values: meanings('Meaning of each `runtime` value.'),
    default: text('`runtime` value of an endpoint that does not state it.', 'all'),
  }),
  authentication: record('How keys are sent and what they allow.', {
    required: bool('Whether public reads need authentication.', false),
    accounts: bool('Whether accounts exist.', false),
    schemes: textList('Headers in which a key is accepted.', 'Authorization: Bearer <API_KEY>'),
    keyInUrl: bool('Whether a key in a URL is accepted.', false),
    key: record('Properties of a key.', {
      format: text('Format of a key.', API_KEY_FORMAT),
      scope,
      defaultTtlDays: whole('Default time to live of a key, in days.', LIMITS.defaultTtlDays),
      maxTtlDays: whole('Longest time to live, in days.', LIMITS.maxTtlDays),
      storage: text('What is stored for a key.', 'A keyed hash.'),
    }),
    issuance: record('Whether keys are issued.', {
      enabled: bool('Whether keys are issued.', false),
      'reason?': text('Why issuance is paused. Only while it is paused.', 'PRODUCT_NOT_READY'),
      'approvedBy?': text('Who approved it. Only while issuance is enabled.', 'the owner'),
      'approvedAt?': text('Date of the approval. Only while issuance is enabled.', '2025-10-31'),
      'reference?': text(
        'Where the approval is recorded. Only while issuance is enabled.',
        'decision 12',
      ),
    }),
    rules: textList('Rules of the key check.', 'A revoked key is refused.'),
  }),
  versioning: record('How versions work.', {
    scheme: text('Where the version is stated.', 'Major version in the path.'),
    current: text('The current major version.', 'v1'),
    registryVersion: text('Semantic version of the endpoint registry.', REGISTRY_VERSION),
    additive: text('How additive changes ship.', 'They ship inside v1.'),
    breaking: text('How breaking changes ship.', 'They need a new major path.'),
    header: text('Header that reports the major version.', 'X-SVC-API-Version'),
    history: text('Path of the version history.', READ_PATHS.versions),
  }),
  stability: meanings('Stability levels and what each promises.'),
  deprecation: record('How endpoints are deprecated.', {
    noticeDays: whole('Minimum notice, in days.', LIMITS.deprecationNoticeDays),
    appliesTo: text('Stability level that the promise covers.', 'stable'),
    signals: textList('How it is announced.', 'the response header Sunset'),
    requires: textList('What a deprecation requires.', 'a sunset date'),
    statuses: meanings('Registry statuses and what each means.'),
    endpoints: list(
      'Endpoints that are currently deprecated.',
      named('DeprecatedEndpoint', 'One deprecated endpoint.', {
        method: text('HTTP method.', 'GET'),
        path: text('Path template.', READ_PATHS.status),
        deprecatedAt: timestamp('When it was deprecated.'),
        sunsetAt: timestamp('The time until which it is available.', LIMITS.deprecationNoticeDays),
        successor: text('Path of the endpoint to use instead.', '/api/v2/status'),
      }),
    ),
  }),
  caching: record('Cache classes and validators.', {
    classes: {
      type: 'object',
      description: 'Cache classes, by name.',
      additionalProperties: named('CacheClass', 'One cache class.', {
        cacheControl: text('Value of `Cache-Control`.', 'no-store'),
        meaning: text('What it means.', 'Computed for each request.'),
      }),
    },
    errors: text('`Cache-Control` of every error.', 'no-store'),
    etag: text('How the entity tag is computed.', 'W/"<SHA-256 of the data>"'),
    conditional: text('Response to a matching `If-None-Match`.', '304'),
    vary: text('Value of `Vary` on cacheable reads.', 'Authorization, X-SVC-Key, Accept-Signature'),
  }),
  cors: record('Cross-origin rules of the read endpoints.', {
    allowOrigin: text('Allowed origins.', '*'),
    allowMethods: textList('Allowed methods.', 'GET'),
    allowHeaders: textList('Allowed request headers.', 'If-None-Match'),
    exposeHeaders: textList('Response headers a page may read.', 'ETag'),
    allowCredentials: bool('Whether credentials are allowed.', false),
    maxAgeSeconds: whole('How long a preflight may be cached, in seconds.', CORS.maxAgeSeconds),
    writes: text('The rule for write endpoints.', 'No CORS header at all.'),
  }),
  headers: record('Header fields this API reads and sends.', {
    request: meanings('Request headers it reads.'),
    response: meanings('Response headers it may send.'),
  }),
  limits: record('Limits of requests.', {
    maxBodyBytes: whole('Largest request body, in bytes.', LIMITS.maxBodyBytes),
    requestContentType: text('Media type of a request body.', 'application/json'),
    responseContentType: text('Media type of a response.', 'application/json; charset=utf-8'),
    maxUseCaseLength: whole(
      'Longest `useCase`, in Unicode code points.',
      LIMITS.maxUseCaseCodePoints,
    ),
    maxEmailLength: whole('Longest email address, in characters.', LIMITS.maxEmailLength),
    maxInterests: whole('Maximum number of values in `interests`.', LIMITS.maxInterests),
    labelPattern: text('Pattern of the `label` of an API key.', API_KEY_LABEL_PATTERN),
    minTtlDays: whole('Shortest time to live of a key, in days.', LIMITS.minTtlDays),
    defaultTtlDays: whole('Default time to live of a key, in days.', LIMITS.defaultTtlDays),
    maxTtlDays: whole('Longest time to live of a key, in days.', LIMITS.maxTtlDays),
    maxActiveKeys: whole('Maximum number of active keys.', LIMITS.maxActiveKeys),
  }),
  rateLimiting: record('Rate limits.', {
    anonymousReads: text('The rule for reads without a key.', 'Not limited.'),
    registrationGlobal: rateLimit,
    registrationPerActor: rateLimit,
    keyedRequests: rateLimit,
    keyIssuance: rateLimit,
    actor: text('What an actor is.', 'A salted hash that changes daily.'),
    headers: textList('Headers that report the quota of a key.', 'X-RateLimit-Limit'),
  }),
  security: record('How responses are signed and what is never stored.', {
    signing: record('The response signature.', {
      algorithm: text('Signature algorithm.', 'Ed25519'),
      signedText: textList('Lines of the text that is signed for a response.', 'svc-response-v1'),
      revalidationText: textList(
        'Lines of the text that is signed for a `304`.',
        'svc-revalidation-v1',
      ),
      contentDigest: text('Format of `Content-Digest`.', 'sha-256=:<base64>:'),
      maxAgeSeconds: whole(
        'Age at which a verifier refuses a signature, in seconds.',
        LIMITS.signatureMaxAgeSeconds,
      ),
      keyDocument: text('Path of the signing-key document.', READ_PATHS.signingKey),
      pinning: text('How a client detects a clone of this origin.', 'Accept only one key ID.'),
    }),
    privacy: textList('What is never stored.', 'No IP address is stored.'),
    isolation: textList('What this service cannot reach.', 'No live wallet is queried.'),
  }),
  errors: record('The error catalog.', {
    schema: text('Name of the schema of the error envelope.', SCHEMA_IDS.error),
    cacheControl: text('`Cache-Control` of every error.', 'no-store'),
    catalog: list(
      'Every code.',
      named('ErrorCatalogEntry', 'One code.', {
        code: text('The code.', 'NOT_FOUND'),
        status: whole('HTTP status.', 404),
        retryable: bool('Whether the same request may succeed later.', false),
        'retryAfterSeconds?': whole(
          'Longest wait, in seconds. Only if it is known.',
          LIMITS.registrationPerActor.windowSeconds,
        ),
        meaning: text('What it means.', 'The route does not exist.'),
      }),
    ),
  }),
  apiVersion: text('The major version.', 'v1'),
  basePath: text('Base path of every endpoint.', BASE_PATH),
  registryVersion: text('Semantic version of the endpoint registry.', REGISTRY_VERSION),
  links,
  summary: record('Counts of the registry.', {
    endpoints: whole('Number of endpoints.', 26),
    byStability: counts('Endpoints by stability level.'),
    byStatus: counts('Endpoints by registry status.'),
    byCachePolicy: counts('Endpoints by cache class.'),
  }),
})
