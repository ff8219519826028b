import { BASE_PATH } from './api-version.ts'
import { API_KEY_FORMAT, API_KEY_ID_PATTERN, API_KEY_LABEL_PATTERN } from './api-key.ts'
import { AUTHENTICATIONS, ENDPOINT_STATUSES, RUNTIMES, STABILITY_LEVELS } from './endpoint-terms.ts'
import { ERRORS } from './errors.ts'
import { CACHE_CLASSES, CORS } from './headers.ts'
import { SCHEMA_IDS } from './envelope.ts'
import { LIMITS } from './limits.ts'
import {
  SHA256_BASE64URL_PATTERN,
  SHA256_HEX_PATTERN,
  SNAPSHOT_ID_PATTERN,
} from './identifier-patterns.ts'
import { OPENAPI_VERSION } from './openapi-version.ts'
import { READ_PATHS } from './read-paths.ts'
import { REGISTRATION_SCHEMA } from './registration-schema.ts'
import type { JsonSchema, SchemaType } from './schema-type.ts'
import {
  SNAPSHOT_NAMES,
  SNAPSHOT_SCHEMAS,
  snapshotSchemaName,
  type SnapshotName,
  type SnapshotSchemaName,
} from './snapshot-schemas.ts'
import { TICKET_PATTERN } from './ticket.ts'
import { CHANGE_KINDS } from './version-chain.ts'

/** Human-verification providers (contract decisions section 4). */
export const CHALLENGE_PROVIDERS = ['altcha', 'turnstile', 'hcaptcha', 'test'] as const

/** States of the time quality (contract decisions section 6). */
const TIME_STATES = ['SYNCHRONIZED', 'UNSYNCHRONIZED', 'UNVERIFIED'] as const

/** The keys of a table as an enumeration, so that a new row of the table is a value of the schema too. */
const keysOf = <Key extends string>(table: { readonly [Name in Key]: unknown }): readonly Key[] =>
  Object.keys(table).filter((name): name is Key => Object.hasOwn(table, name))

const text = (description: string, example: string) =>
  ({ type: 'string', description, example }) as const
const whole = (description: string, example: number) =>
  ({ type: 'integer', description, example, minimum: 0 }) as const
const timestamp = (description: string) =>
  ({
    type: 'string',
    format: 'date-time',
    description: `${description} ISO 8601 UTC.`,
    example: '2026-11-21T09:00:00.000Z',
  }) as const
const flag = (description: string, example: boolean) =>
  ({ type: 'boolean', description, example }) as const
const hexHash = (description: string) =>
  ({ type: 'string', pattern: SHA256_HEX_PATTERN, description, example: '0'.repeat(64) }) as const
const snapshotId = (description: string) =>
  ({ type: 'string', pattern: SNAPSHOT_ID_PATTERN, description, example: 'VS-0001' }) as const
const list = <const Item extends JsonSchema>(description: string, items: Item) =>
  ({ type: 'array', description, items }) as const
const textList = (description: string, example: string) =>
  list(description, { type: 'string', description: 'One of them.', example })

const label = {
  type: 'string',
  pattern: API_KEY_LABEL_PATTERN,
  description: 'A name for the key, for its holder’s own use.',
  example: 'ci-mirror',
} as const
const keyId = {
  type: 'string',
  pattern: API_KEY_ID_PATTERN,
  description: 'The public part of the key.',
  example: '0123456789abcdef',
} as const
const scope = {
  type: 'string',
  enum: ['read'],
  description: 'What the key may do.',
  example: 'read',
} as const

/** Request bodies, by name. Closed: any other field is refused. */
export const REQUEST_SCHEMAS = {
  Registration: REGISTRATION_SCHEMA,
  KeyRequest: {
    type: 'object',
    description: 'A request for an API key.',
    additionalProperties: false,
    required: ['challengeToken'],
    properties: {
      challengeToken: {
        type: 'string',
        minLength: 1,
        description: 'Token of a solved human-verification challenge; it works once.',
        example: 'eyJhbGdvcml0aG0iOiJTSEEtMjU2In0',
      },
      label,
      ttlDays: {
        type: 'integer',
        minimum: LIMITS.minTtlDays,
        maximum: LIMITS.maxTtlDays,
        default: LIMITS.defaultTtlDays,
        description: 'Days until the key expires.',
        example: LIMITS.defaultTtlDays,
      },
    },
  },
} as const satisfies { readonly [name: string]: JsonSchema }

export type RequestSchemaName = keyof typeof REQUEST_SCHEMAS

const endpointRow = {
  type: 'object',
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
    method: text('HTTP method. A GET endpoint answers HEAD and OPTIONS too.', 'GET'),
    path: text('Path template.', READ_PATHS.status),
    summary: text('What it is for.', 'Read the status'),
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
      description: 'Cache class of its successful answers.',
      example: 'static-snapshot',
    },
    authentication: {
      type: 'string',
      enum: keysOf(AUTHENTICATIONS),
      description: 'Whether an API key is required.',
      example: 'none',
    },
    deprecatedAt: timestamp('When it was deprecated; only on a deprecated endpoint.'),
    sunsetAt: timestamp('Until when it serves; only on a deprecated endpoint.'),
    successor: text('What to use instead; only on a deprecated endpoint.', '/api/v2/status'),
  },
} as const

const links = {
  type: 'object',
  description: 'Where to read on; paths on this origin.',
  required: ['index', 'policy', 'openapi', 'docs'],
  properties: {
    index: text('The discovery index.', READ_PATHS.index),
    policy: text('The policy document.', READ_PATHS.policy),
    openapi: text('The OpenAPI document.', READ_PATHS.openapi),
    docs: text('The reference for people.', '/en/reference'),
  },
} as const

const counts = (description: string) =>
  ({
    type: 'object',
    description,
    additionalProperties: { type: 'integer', description: 'How many endpoints.', example: 14 },
  }) as const

const meanings = (description: string) =>
  ({
    type: 'object',
    description,
    additionalProperties: { type: 'string', description: 'What it means.', example: 'Serves.' },
  }) as const

const rateLimit = (description: string) =>
  ({
    type: 'object',
    description,
    required: ['requests', 'windowSeconds'],
    properties: {
      requests: whole('Requests in one window.', LIMITS.keyedRequests.requests),
      windowSeconds: whole(
        'Length of the fixed window, in seconds.',
        LIMITS.keyedRequests.windowSeconds,
      ),
    },
  }) as const

const policy = {
  type: 'object',
  description: 'What this API promises, for machines and auditors.',
  required: [
    'schema',
    'note',
    'audience',
    'runtime',
    'authentication',
    'versioning',
    'stability',
    'deprecation',
    'caching',
    'cors',
    'headers',
    'limits',
    'rateLimiting',
    'security',
    'errors',
    'apiVersion',
    'basePath',
    'registryVersion',
    'links',
    'summary',
  ],
  properties: {
    schema: {
      type: 'string',
      enum: [SCHEMA_IDS.policy],
      description: 'Name of this document’s schema.',
      example: SCHEMA_IDS.policy,
    },
    note: text('What this document is.', 'The promises of this API in one document.'),
    audience: text('Whom the API is for.', 'Anyone.'),
    runtime: {
      type: 'object',
      description: 'What the runtime values of an endpoint mean.',
      required: ['values', 'default'],
      properties: {
        values: meanings('Meaning of each runtime value.'),
        default: text('The value of an endpoint that states none.', 'all'),
      },
    },
    authentication: {
      type: 'object',
      description: 'How keys are sent and what they mean.',
      required: ['required', 'accounts', 'schemes', 'keyInUrl', 'key', 'issuance', 'rules'],
      properties: {
        required: flag('Whether public reads need authentication.', false),
        accounts: flag('Whether accounts exist.', false),
        schemes: textList(
          'Header forms in which a key is read.',
          'Authorization: Bearer <API_KEY>',
        ),
        keyInUrl: flag('Whether a key in a URL is accepted.', false),
        key: {
          type: 'object',
          description: 'What a key is.',
          required: ['format', 'scope', 'defaultTtlDays', 'maxTtlDays', 'storage'],
          properties: {
            format: text('Form of a key.', API_KEY_FORMAT),
            scope,
            defaultTtlDays: whole(
              'Days until a key expires unless asked otherwise.',
              LIMITS.defaultTtlDays,
            ),
            maxTtlDays: whole('Longest time to live, in days.', LIMITS.maxTtlDays),
            storage: text('What is stored of a key.', 'A keyed hash.'),
          },
        },
        issuance: {
          type: 'object',
          description: 'Whether keys are issued.',
          required: ['enabled'],
          properties: {
            enabled: flag('Whether keys are issued.', false),
            reason: text('Why not; only while paused.', 'PRODUCT_NOT_READY'),
            approvedBy: text('Who reopened it; only while open.', 'the owner'),
            approvedAt: text('When it was reopened; only while open.', '2027-01-31'),
            reference: text('Where the approval is recorded; only while open.', 'decision 12'),
          },
        },
        rules: textList('Rules of the key check.', 'A revoked key is refused.'),
      },
    },
    versioning: {
      type: 'object',
      description: 'How versions work.',
      required: [
        'scheme',
        'current',
        'registryVersion',
        'additive',
        'breaking',
        'header',
        'history',
      ],
      properties: {
        scheme: text('Where the version stands.', 'Major version in the path.'),
        current: text('The current major version.', 'v1'),
        registryVersion: text('Semantic version of the endpoint registry.', '1.0.0'),
        additive: text('What additive changes do.', 'They ship inside v1.'),
        breaking: text('What breaking changes do.', 'They need a new major path.'),
        header: text('Header that reports the major version.', 'X-SVC-API-Version'),
        history: text('Where the history stands.', READ_PATHS.versions),
      },
    },
    stability: meanings('Stability levels and what each promises.'),
    deprecation: {
      type: 'object',
      description: 'How an endpoint goes.',
      required: ['noticeDays', 'appliesTo', 'signals', 'requires', 'statuses', 'endpoints'],
      properties: {
        noticeDays: whole('Least notice, in days.', LIMITS.deprecationNoticeDays),
        appliesTo: text('Stability level that the promise covers.', 'stable'),
        signals: textList('How it is announced.', 'the response header Sunset'),
        requires: textList('What a deprecation must name.', 'a sunset date'),
        statuses: meanings('Registry statuses and what each means.'),
        endpoints: list('Endpoints that are deprecated now.', {
          type: 'object',
          description: 'One deprecated endpoint.',
          required: ['method', 'path', 'deprecatedAt', 'sunsetAt', 'successor'],
          properties: {
            method: text('HTTP method.', 'GET'),
            path: text('Path template.', READ_PATHS.status),
            deprecatedAt: timestamp('When it was deprecated.'),
            sunsetAt: timestamp('Until when it serves.'),
            successor: text('What to use instead.', '/api/v2/status'),
          },
        }),
      },
    },
    caching: {
      type: 'object',
      description: 'Cache classes and validators.',
      required: ['classes', 'errors', 'etag', 'conditional', 'vary'],
      properties: {
        classes: {
          type: 'object',
          description: 'Cache classes, by name.',
          additionalProperties: {
            type: 'object',
            description: 'One cache class.',
            required: ['cacheControl', 'meaning'],
            properties: {
              cacheControl: text('Value of Cache-Control.', 'no-store'),
              meaning: text('What it means.', 'Computed for each request.'),
            },
          },
        },
        errors: text('Cache-Control of every error.', 'no-store'),
        etag: text('What the entity tag is made of.', 'W/"<SHA-256 of the data>"'),
        conditional: text('What a matching If-None-Match answers.', '304'),
        vary: text('Value of Vary on cacheable reads.', 'Authorization, X-SVC-Key'),
      },
    },
    cors: {
      type: 'object',
      description: 'Cross-origin rules of the read endpoints.',
      required: [
        'allowOrigin',
        'allowMethods',
        'allowHeaders',
        'exposeHeaders',
        'allowCredentials',
        'maxAgeSeconds',
        'writes',
      ],
      properties: {
        allowOrigin: text('Allowed origins.', '*'),
        allowMethods: textList('Allowed methods.', 'GET'),
        allowHeaders: textList('Allowed request headers.', 'If-None-Match'),
        exposeHeaders: textList('Response headers a page may read.', 'ETag'),
        allowCredentials: flag('Whether credentials are allowed.', false),
        maxAgeSeconds: whole(
          'How long a preflight may be remembered, in seconds.',
          CORS.maxAgeSeconds,
        ),
        writes: text('The rule for write endpoints.', 'No CORS header at all.'),
      },
    },
    headers: {
      type: 'object',
      description: 'Header fields this API reads and sends.',
      required: ['request', 'response'],
      properties: {
        request: meanings('Request headers it reads.'),
        response: meanings('Response headers it may send.'),
      },
    },
    limits: {
      type: 'object',
      description: 'Limits of requests.',
      required: [
        'maxBodyBytes',
        'requestContentType',
        'responseContentType',
        'maxUseCaseLength',
        'maxEmailLength',
        'maxInterests',
        'labelPattern',
        'minTtlDays',
        'defaultTtlDays',
        'maxTtlDays',
        'maxActiveKeys',
      ],
      properties: {
        maxBodyBytes: whole('Largest request body, in bytes.', LIMITS.maxBodyBytes),
        requestContentType: text('Media type of a request body.', 'application/json'),
        responseContentType: text('Media type of an answer.', 'application/json; charset=utf-8'),
        maxUseCaseLength: whole(
          'Longest useCase, in Unicode code points.',
          LIMITS.maxUseCaseCodePoints,
        ),
        maxEmailLength: whole('Longest e-mail address, in characters.', LIMITS.maxEmailLength),
        maxInterests: whole('Most entries in interests.', LIMITS.maxInterests),
        labelPattern: text('Pattern of an API key’s label.', API_KEY_LABEL_PATTERN),
        minTtlDays: whole('Shortest time to live of a key, in days.', LIMITS.minTtlDays),
        defaultTtlDays: whole(
          'Time to live unless asked otherwise, in days.',
          LIMITS.defaultTtlDays,
        ),
        maxTtlDays: whole('Longest time to live of a key, in days.', LIMITS.maxTtlDays),
        maxActiveKeys: whole('Keys that may be active at one time.', LIMITS.maxActiveKeys),
      },
    },
    rateLimiting: {
      type: 'object',
      description: 'Rate limits.',
      required: [
        'anonymousReads',
        'registrationGlobal',
        'registrationPerActor',
        'keyedRequests',
        'keyIssuance',
        'actor',
        'headers',
      ],
      properties: {
        anonymousReads: text('The rule for reads without a key.', 'Not limited.'),
        registrationGlobal: rateLimit('Registrations of all actors together.'),
        registrationPerActor: rateLimit('Registrations of one actor.'),
        keyedRequests: rateLimit('Requests with one API key.'),
        keyIssuance: rateLimit('API keys issued to all callers together.'),
        actor: text('What an actor is.', 'A salted hash that changes daily.'),
        headers: textList('Headers that tell a key’s quota.', 'X-RateLimit-Limit'),
      },
    },
    security: {
      type: 'object',
      description: 'How answers are signed and what is never kept.',
      required: ['signing', 'privacy', 'isolation'],
      properties: {
        signing: {
          type: 'object',
          description: 'The response signature.',
          required: [
            'algorithm',
            'signedText',
            'revalidationText',
            'contentDigest',
            'maxAgeSeconds',
            'keyDocument',
            'pinning',
          ],
          properties: {
            algorithm: text('Signature algorithm.', 'Ed25519'),
            signedText: textList('Lines of a response’s signed text.', 'svc-response-v1'),
            revalidationText: textList('Lines of a 304’s signed text.', 'svc-revalidation-v1'),
            contentDigest: text('Form of Content-Digest.', 'sha-256=:<base64>:'),
            maxAgeSeconds: whole(
              'Age at which a verifier refuses a signature, in seconds.',
              LIMITS.signatureMaxAgeSeconds,
            ),
            keyDocument: text('Where the public key stands.', READ_PATHS.signingKey),
            pinning: text(
              'What protects a client from a copy of this origin.',
              'Accept one key id alone.',
            ),
          },
        },
        privacy: textList('What is never kept.', 'No IP address is stored.'),
        isolation: textList('What cannot be reached from here.', 'No live wallet is queried.'),
      },
    },
    errors: {
      type: 'object',
      description: 'The error catalog.',
      required: ['schema', 'cacheControl', 'catalog'],
      properties: {
        schema: text('Name of the error envelope’s schema.', SCHEMA_IDS.error),
        cacheControl: text('Cache-Control of every error.', 'no-store'),
        catalog: list('Every code.', {
          type: 'object',
          description: 'One code.',
          required: ['code', 'status', 'retryable', 'meaning'],
          properties: {
            code: text('The code.', 'NOT_FOUND'),
            status: whole('HTTP status.', 404),
            retryable: flag('Whether the same request may succeed later.', false),
            retryAfterSeconds: whole(
              'Longest wait, in seconds; only where one is known.',
              ERRORS.RATE_LIMITED.retryAfterSeconds,
            ),
            meaning: text('What it means.', 'There is no such route.'),
          },
        }),
      },
    },
    apiVersion: text('The major version.', 'v1'),
    basePath: text('Where every endpoint lives.', BASE_PATH),
    registryVersion: text('Semantic version of the endpoint registry.', '1.0.0'),
    links,
    summary: {
      type: 'object',
      description: 'The registry in numbers.',
      required: ['endpoints', 'byStability', 'byStatus', 'byCachePolicy'],
      properties: {
        endpoints: whole('How many endpoints there are.', 26),
        byStability: counts('Endpoints by stability level.'),
        byStatus: counts('Endpoints by registry status.'),
        byCachePolicy: counts('Endpoints by cache class.'),
      },
    },
  },
} as const satisfies JsonSchema

const digest = {
  type: 'string',
  pattern: SHA256_BASE64URL_PATTERN,
  description:
    'base64url SHA-256 of the canonical JSON (RFC 8785) of the resource’s data; what stands between the quotes of its ETag.',
  example: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
} as const

const versionSummaryProperties = {
  snapshotId: snapshotId('Id of the version.'),
  sequence: whole('1 for the first version, then one more for each.', 1),
  createdAt: timestamp('When it was published.'),
  previousHash: hexHash('Hash of the version before; 64 zeros on the first.'),
  hash: hexHash('SHA-256 over a label line and the canonical JSON of this entry without its hash.'),
} as const

const publicKey = {
  type: 'object',
  description: 'One public key.',
  required: ['keyId', 'status', 'jwk', 'publicKeyPem', 'notBefore', 'notAfter'],
  properties: {
    keyId: text('RFC 7638 thumbprint of the key.', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'),
    status: {
      type: 'string',
      enum: ['current', 'next', 'retired'],
      description: 'Whether it signs now, will sign, or signed before.',
      example: 'current',
    },
    jwk: {
      type: 'object',
      description: 'The key as a JSON Web Key (RFC 8037; alg as in RFC 9864).',
      required: ['kty', 'crv', 'x', 'alg', 'use', 'kid'],
      properties: {
        kty: text('Key type.', 'OKP'),
        crv: text('Curve.', 'Ed25519'),
        x: text('The public key, base64url.', '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'),
        alg: text('Algorithm.', 'Ed25519'),
        use: text('What it is for.', 'sig'),
        kid: text('The key id.', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'),
      },
    },
    publicKeyPem: text(
      'The key as PEM (SubjectPublicKeyInfo), for openssl.',
      '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA…\n-----END PUBLIC KEY-----\n',
    ),
    notBefore: {
      ...timestamp('When it began or begins to sign; null when not stated.'),
      nullable: true,
    },
    notAfter: { ...timestamp('When it stops to sign; null when not stated.'), nullable: true },
  },
} as const

/** What an issuance and a later look at the key both tell of it. */
const activeKeyProperties = {
  keyId,
  scope,
  label: { ...label, nullable: true },
  status: {
    type: 'string',
    enum: ['active'],
    description: 'State of the key.',
    example: 'active',
  },
  createdAt: timestamp('When it was issued.'),
  expiresAt: timestamp('When it expires.'),
} as const

const quota = {
  type: 'object',
  description: 'What the key may still ask in this window.',
  required: ['limit', 'remaining', 'resetSeconds', 'windowSeconds'],
  properties: {
    limit: whole('Requests in one window.', LIMITS.keyedRequests.requests),
    remaining: whole('Requests left in this window.', LIMITS.keyedRequests.requests - 1),
    resetSeconds: whole('Seconds until the window ends.', 42),
    windowSeconds: whole('Length of the window, in seconds.', LIMITS.keyedRequests.windowSeconds),
  },
} as const

/** The schemas of the published snapshots, by the names that they have in the OpenAPI document. */
const SNAPSHOT_DATA_SCHEMAS = Object.fromEntries(
  SNAPSHOT_NAMES.map((name) => [snapshotSchemaName(name), SNAPSHOT_SCHEMAS[name]]),
) as {
  readonly [N in SnapshotName as SnapshotSchemaName<N>]: (typeof SNAPSHOT_SCHEMAS)[N]
}

/** `data` of each success (the whole body of the OpenAPI document), by name. Open: new optional fields may ship in v1. */
export const DATA_SCHEMAS = {
  ...SNAPSHOT_DATA_SCHEMAS,
  DiscoveryIndex: {
    type: 'object',
    description: 'The discovery index.',
    required: ['apiVersion', 'basePath', 'registryVersion', 'endpoints', 'links'],
    properties: {
      apiVersion: text('The major version.', 'v1'),
      basePath: text('Where every endpoint lives.', BASE_PATH),
      registryVersion: text('Semantic version of the endpoint registry.', '1.0.0'),
      endpoints: list('Every endpoint this runtime serves.', endpointRow),
      links,
    },
  },
  Time: {
    type: 'object',
    description: 'The server’s UTC time and its quality.',
    required: ['utc', 'epochMs', 'label', 'quality'],
    properties: {
      utc: timestamp('The time.'),
      epochMs: whole(
        'The same time in milliseconds since 1970-01-01T00:00:00Z.',
        1_795_251_600_000,
      ),
      label: {
        type: 'string',
        enum: ['SERVER_UTC'],
        description: 'Whose clock this is.',
        example: 'SERVER_UTC',
      },
      quality: {
        type: 'object',
        description: 'How far the time can be trusted.',
        required: ['state', 'source', 'offsetMs', 'maxErrorMs', 'checkedAt'],
        properties: {
          state: {
            type: 'string',
            enum: TIME_STATES,
            description: `SYNCHRONIZED: measured against the source, and offset and largest error together are at most ${LIMITS.maxTimeDistanceMs} ms. UNSYNCHRONIZED: they are more, or the source has given no good answer for ${LIMITS.timeSilenceSeconds} s. UNVERIFIED: not measured.`,
            example: 'UNVERIFIED',
          },
          source: {
            type: 'string',
            nullable: true,
            description: 'The time source it was measured against; null when none is configured.',
            example: 'time.example.org',
          },
          offsetMs: {
            type: 'integer',
            nullable: true,
            description:
              'How far this clock is ahead of the source, in milliseconds; null when not measured.',
            example: 0,
          },
          maxErrorMs: {
            type: 'integer',
            nullable: true,
            description: 'Largest error of that offset, in milliseconds; null when not measured.',
            example: 4,
          },
          checkedAt: {
            ...timestamp('When it was last measured; null when never.'),
            nullable: true,
          },
        },
      },
    },
  },
  EarlyAccess: {
    type: 'object',
    description: 'Whether the waitlist is open and how to join it.',
    required: ['state', 'note', 'registration', 'form', 'challenge', 'privacy'],
    properties: {
      state: {
        type: 'string',
        enum: ['open', 'unavailable'],
        description: 'Whether a registration can succeed now.',
        example: 'open',
      },
      note: text('The same for a person.', 'The waitlist is open.'),
      registration: {
        type: 'object',
        description: 'Where to register.',
        required: ['method', 'path', 'contentType', 'maxBodyBytes'],
        properties: {
          method: text('HTTP method.', 'POST'),
          path: text('Path.', '/api/v1/early-access/register'),
          contentType: text('Media type of the body.', 'application/json'),
          maxBodyBytes: whole('Largest body, in bytes.', LIMITS.maxBodyBytes),
        },
      },
      form: {
        type: 'object',
        description: 'What the fields accept.',
        required: [
          'required',
          'optional',
          'locales',
          'interests',
          'maxInterests',
          'maxUseCaseLength',
        ],
        properties: {
          required: textList('Fields that must be sent.', 'email'),
          optional: textList('Fields that may be sent.', 'useCase'),
          locales: textList('Accepted locales.', 'en'),
          interests: textList('Accepted interests.', 'api'),
          maxInterests: whole('Most interests.', LIMITS.maxInterests),
          maxUseCaseLength: whole(
            'Longest use case, in Unicode code points.',
            LIMITS.maxUseCaseCodePoints,
          ),
        },
      },
      challenge: {
        type: 'object',
        description: 'The human-verification challenge.',
        required: ['provider', 'path', 'siteKey'],
        properties: {
          provider: {
            type: 'string',
            enum: CHALLENGE_PROVIDERS,
            description: 'Who sets the challenge.',
            example: 'altcha',
          },
          path: {
            type: 'string',
            nullable: true,
            description:
              'Where this service hands out the challenge; null for a hosted one, and while registration is unavailable.',
            example: '/challenge',
          },
          siteKey: {
            type: 'string',
            nullable: true,
            description: 'Public site key of a hosted challenge; null otherwise.',
            example: '0x4AAAAAAA',
          },
        },
      },
      privacy: textList('What is kept of a registration.', 'No IP address is stored.'),
    },
  },
  RegistrationResult: {
    type: 'object',
    description: 'An accepted registration.',
    required: ['ticket', 'status', 'message'],
    properties: {
      ticket: {
        type: 'string',
        pattern: TICKET_PATTERN,
        description: 'A random receipt; it says nothing of the address.',
        example: 'EA-9F86D081884C7D65',
      },
      status: {
        type: 'string',
        enum: ['WAITING'],
        description: 'State of the registration.',
        example: 'WAITING',
      },
      message: text('The same for a person.', 'The address is on the waitlist.'),
    },
  },
  Policy: policy,
  OpenApiDocument: {
    type: 'object',
    description: `An OpenAPI ${OPENAPI_VERSION} document.`,
    required: ['openapi', 'info', 'paths'],
    properties: {
      openapi: text('Version of the OpenAPI specification.', OPENAPI_VERSION),
      info: { type: 'object', description: 'Title, version and description.' },
      paths: { type: 'object', description: 'Operations by path and method.' },
    },
  },
  VersionSnapshot: {
    type: 'object',
    description: 'One entry of the version history.',
    required: [
      'snapshotId',
      'sequence',
      'createdAt',
      'apiVersion',
      'registryVersion',
      'resources',
      'changes',
      'note',
      'previousHash',
      'hash',
    ],
    properties: {
      ...versionSummaryProperties,
      apiVersion: text('Major version of the API at the time.', 'v1'),
      registryVersion: text('Registry version at the time.', '1.0.0'),
      resources: {
        type: 'object',
        description: 'Digest of each published resource, by its path below the base path.',
        example: { status: digest.example },
        additionalProperties: digest,
      },
      changes: list('How it differs from the version before.', {
        type: 'object',
        description: 'One change.',
        required: ['resource', 'kind'],
        properties: {
          resource: text('The resource, by its path below the base path.', 'status'),
          kind: {
            type: 'string',
            enum: CHANGE_KINDS,
            description: 'What happened to it.',
            example: 'changed',
          },
        },
      }),
      note: text('What the operator wrote about it.', 'Opens the waitlist.'),
    },
  },
  VersionHistory: {
    type: 'object',
    description: 'The hash-chained index of all versions.',
    required: ['algorithm', 'count', 'head', 'entries'],
    properties: {
      algorithm: text('How the hashes are made.', 'SHA-256 over svc-version-v1 and RFC 8785 JSON'),
      count: whole('How many versions there are.', 1),
      head: {
        type: 'object',
        description: 'The newest version.',
        required: ['snapshotId', 'hash'],
        properties: {
          snapshotId: snapshotId('Its id.'),
          hash: hexHash('Its hash.'),
        },
      },
      entries: list('Every version, newest first.', {
        type: 'object',
        description: 'One version.',
        required: ['snapshotId', 'sequence', 'createdAt', 'previousHash', 'hash'],
        properties: versionSummaryProperties,
      }),
    },
  },
  IssuedKey: {
    type: 'object',
    description: 'A new API key. The key itself is shown this once.',
    required: ['key', 'keyId', 'scope', 'label', 'status', 'createdAt', 'expiresAt'],
    properties: {
      key: text('The whole key; never shown again.', API_KEY_FORMAT),
      ...activeKeyProperties,
    },
  },
  KeyMetadata: {
    type: 'object',
    description: 'What is known of an API key; never the secret.',
    required: ['keyId', 'scope', 'label', 'status', 'createdAt', 'expiresAt', 'quota'],
    properties: {
      ...activeKeyProperties,
      quota,
    },
  },
  RevokedKey: {
    type: 'object',
    description: 'A revocation.',
    required: ['keyId', 'status', 'revokedAt'],
    properties: {
      keyId,
      status: {
        type: 'string',
        enum: ['revoked'],
        description: 'State of the key.',
        example: 'revoked',
      },
      revokedAt: timestamp('When it was revoked.'),
    },
  },
  SigningKeys: {
    type: 'object',
    description: 'The public keys of the response signature, and the texts that are signed.',
    required: [
      'keyId',
      'algorithm',
      'keys',
      'signedText',
      'revalidationText',
      'headers',
      'maxAgeSeconds',
    ],
    properties: {
      keyId: text('Id of the key that signs now.', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'),
      algorithm: {
        type: 'string',
        enum: ['Ed25519'],
        description: 'Signature algorithm.',
        example: 'Ed25519',
      },
      keys: list('Every published key, the current one first.', publicKey),
      signedText: textList(
        'Lines of a response’s signed text, joined by a newline; the parts in braces are filled in.',
        'svc-response-v1',
      ),
      revalidationText: textList(
        'Lines of a 304’s signed text, joined by a newline; the parts in braces are filled in.',
        'svc-revalidation-v1',
      ),
      headers: {
        type: 'object',
        description: 'Header fields that carry the proof.',
        required: ['contentDigest', 'signedAt', 'signature', 'revalidated'],
        properties: {
          contentDigest: text('Digest of the body (RFC 9530).', 'Content-Digest'),
          signedAt: text('When it was signed.', 'X-SVC-Signed-At'),
          signature: text('The signature, base64.', 'X-SVC-Signature'),
          revalidated: text('Time and signature of a 304.', 'X-SVC-Revalidated'),
        },
      },
      maxAgeSeconds: whole(
        'Age at which a verifier refuses a signature, in seconds.',
        LIMITS.signatureMaxAgeSeconds,
      ),
    },
  },
} as const satisfies { readonly [name: string]: JsonSchema }

export type DataSchemaName = keyof typeof DATA_SCHEMAS

/** The TypeScript type of the `data` with this schema name. */
export type DataOf<Name extends DataSchemaName> = SchemaType<(typeof DATA_SCHEMAS)[Name]>

/** The `error` member of the error envelope. */
export const ERROR_SCHEMA = {
  type: 'object',
  description: 'What went wrong and what can be done about it.',
  required: ['code', 'status', 'message', 'retryable'],
  properties: {
    code: {
      type: 'string',
      enum: keysOf(ERRORS),
      description: 'A code of the error catalog.',
      example: 'NOT_FOUND',
    },
    status: whole('The HTTP status.', 404),
    message: text(
      'What a person can do about it; never holds any part of the request.',
      'Try again.',
    ),
    retryable: flag('Whether the same request may succeed later.', false),
    retryAfterSeconds: {
      ...whole('Seconds until a retry may succeed; equals Retry-After.', 42),
      minimum: 1,
    },
  },
} as const satisfies JsonSchema
