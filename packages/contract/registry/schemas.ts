import { ERRORS } from '../errors/errors.ts'
import { CHANGE_KINDS, GENESIS_PREVIOUS_HASH } from '../history/version-chain.ts'
import { API_KEY_FORMAT, API_KEY_ID_PATTERN, API_KEY_LABEL_PATTERN } from '../keys/api-key.ts'
import {
  EXAMPLE_EPOCH_MS,
  enumField,
  bool,
  hexHash,
  keysOf,
  list,
  matching,
  named,
  nullable,
  record,
  snapshotId,
  text,
  textList,
  timestamp,
  whole,
} from '../schemas/fields.ts'
import { SNAPSHOT_SCHEMAS } from '../snapshots/snapshot-schemas.ts'
import { BASE_PATH, OPENAPI_VERSION, REGISTRY_VERSION } from '../terms/api-version.ts'
import {
  AUTHENTICATIONS,
  ENDPOINT_STATUSES,
  RUNTIMES,
  STABILITY_LEVELS,
} from '../terms/endpoint-terms.ts'
import { CACHE_CLASSES } from '../terms/headers.ts'
import { SHA256_BASE64URL_PATTERN } from '../terms/identifier-patterns.ts'
import { LIMITS } from '../terms/limits.ts'
import type { JsonSchema, SchemaType } from '../terms/schema-type.ts'
import {
  CHALLENGE_PROVIDERS,
  CHALLENGE_TOKEN,
  REGISTRATION_SCHEMA,
} from '../waitlist/registration-schema.ts'
import { TICKET_PATTERN } from '../waitlist/ticket.ts'
import { POLICY_SCHEMA, links, scope } from './policy-schema.ts'
import { READ_PATHS } from './read-paths.ts'

/** States of the time quality (contract decisions section 6). */
export const TIME_STATES = ['SYNCHRONIZED', 'UNSYNCHRONIZED', 'UNVERIFIED'] as const

const endpointRow = named('EndpointEntry', 'One endpoint.', {
  name: text('Name of the endpoint; also its `operationId` in the OpenAPI document.', 'status'),
  method: text('HTTP method. A `GET` endpoint also supports `HEAD` and `OPTIONS`.', 'GET'),
  path: text('Path template.', READ_PATHS.status),
  summary: text('What it does.', 'Get the status'),
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

const publicKey = named('SigningKey', 'One public key.', {
  keyId: text('RFC 7638 thumbprint of the key.', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'),
  status: enumField(
    ['current', 'next', 'retired'],
    '`current`: signs now. `next`: will sign later. `retired`: no longer signs.',
    'current',
  ),
  jwk: named('JsonWebKey', 'The key as a JSON Web Key (RFC 8037; `alg` as in RFC 9864).', {
    kty: text('Key type.', 'OKP'),
    crv: text('Curve.', 'Ed25519'),
    x: text('The public key, base64url.', '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'),
    alg: text('Algorithm.', 'Ed25519'),
    use: text('Purpose of the key: `sig`, for signatures.', 'sig'),
    kid: text('The key ID.', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'),
  }),
  publicKeyPem: text(
    'The key as PEM (SubjectPublicKeyInfo), for openssl.',
    '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n',
  ),
  notBefore: nullable(timestamp('Start of its signing period; `null` if not stated.')),
  notAfter: nullable(timestamp('End of its signing period; `null` if not stated.', 365)),
})

const label = matching(API_KEY_LABEL_PATTERN, 'A name that its holder gives the key.', 'ci-mirror')
const keyId = matching(API_KEY_ID_PATTERN, 'The public part of the key.', '0123456789abcdef')

const activeKeyProperties = {
  keyId,
  scope,
  label: nullable(label),
  status: enumField(['active'], 'State of the key.', 'active'),
  createdAt: timestamp('When it was issued.'),
  expiresAt: timestamp('When it expires.', LIMITS.defaultTtlDays),
} as const

const digest = matching(
  SHA256_BASE64URL_PATTERN,
  'base64url SHA-256 of the canonical JSON (RFC 8785) of the `data` of the resource; the value between the quotes of its `ETag`.',
  '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
)

const versionSummaryProperties = {
  snapshotId: snapshotId('ID of the version.'),
  sequence: whole('Position in the history, starting with 1.', 1),
  createdAt: timestamp('When it was published.'),
  previousHash: hexHash(
    'Hash of the previous version; 64 zeros for the first.',
    GENESIS_PREVIOUS_HASH,
  ),
  hash: hexHash(
    'SHA-256 over a label line and the canonical JSON of this entry without its `hash`.',
  ),
} as const

/** Request bodies, by name. Closed: any other field is refused. */
export const REQUEST_SCHEMAS = {
  Registration: { ...REGISTRATION_SCHEMA, additionalProperties: false },
  KeyRequest: {
    ...record('A request for an API key.', {
      challengeToken: CHALLENGE_TOKEN,
      'label?': label,
      'ttlDays?': {
        type: 'integer',
        minimum: LIMITS.minTtlDays,
        maximum: LIMITS.maxTtlDays,
        default: LIMITS.defaultTtlDays,
        description: 'Days until the key expires.',
        example: LIMITS.defaultTtlDays,
      },
    }),
    additionalProperties: false,
  },
} as const satisfies { readonly [name: string]: JsonSchema }

export type RequestSchemaName = keyof typeof REQUEST_SCHEMAS

/** `data` of each success (the whole body of the OpenAPI document), by name. Open: new optional fields may ship in v1. */
export const DATA_SCHEMAS = {
  ...SNAPSHOT_SCHEMAS,
  DiscoveryIndex: record('The discovery index.', {
    apiVersion: text('The major version.', 'v1'),
    basePath: text('Base path of every endpoint.', BASE_PATH),
    registryVersion: text('Semantic version of the endpoint registry.', REGISTRY_VERSION),
    endpoints: list('Every endpoint this runtime serves.', endpointRow),
    links,
  }),
  Time: record('The UTC time of the server and its quality.', {
    utc: timestamp('The time.'),
    epochMs: whole('The same time in milliseconds since 1970-01-01T00:00:00Z.', EXAMPLE_EPOCH_MS),
    label: enumField(
      ['SERVER_UTC'],
      'Name of the clock: that of the server, in UTC.',
      'SERVER_UTC',
    ),
    quality: named('TimeQuality', 'Quality of the time.', {
      state: enumField(
        TIME_STATES,
        `\`SYNCHRONIZED\`: measured, and the absolute offset plus maximum error is at most ${LIMITS.maxTimeDistanceMs} ms. \`UNSYNCHRONIZED\`: the sum is larger, or the source has not responded correctly for ${LIMITS.timeSilenceSeconds} s. \`UNVERIFIED\`: not measured.`,
        'SYNCHRONIZED',
      ),
      source: nullable(
        text(
          'The time source of the measurement; `null` if no source is configured.',
          'time.example.org',
        ),
      ),
      offsetMs: {
        type: 'integer',
        nullable: true,
        description:
          'Offset of this clock from the source, in milliseconds; `null` if not measured.',
        example: 0,
      },
      maxErrorMs: {
        type: 'integer',
        nullable: true,
        minimum: 0,
        description: 'Maximum error of the offset, in milliseconds; `null` if not measured.',
        example: 4,
      },
      checkedAt: nullable(timestamp('Time of the last measurement; `null` if never measured.')),
    }),
  }),
  EarlyAccess: record('Whether the waitlist is open and how to join it.', {
    state: enumField(
      ['open', 'unavailable'],
      'Whether the waitlist accepts registrations now.',
      'open',
    ),
    note: text('Explanation of the state, in English.', 'The waitlist is open.'),
    registration: named('RegistrationTarget', 'Where to register.', {
      method: text('HTTP method.', 'POST'),
      path: text('Path.', '/api/v1/early-access/register'),
      contentType: text('Media type of the body.', 'application/json'),
      maxBodyBytes: whole('Largest body, in bytes.', LIMITS.maxBodyBytes),
    }),
    form: named('RegistrationForm', 'Fields of a registration and their limits.', {
      required: textList('Required fields.', 'email'),
      optional: textList('Optional fields.', 'useCase'),
      locales: textList('Accepted values of `locale`.', 'en'),
      interests: textList('Accepted values of `interests`.', 'api'),
      maxInterests: whole('Maximum number of values in `interests`.', LIMITS.maxInterests),
      maxUseCaseLength: whole(
        'Longest `useCase`, in Unicode code points.',
        LIMITS.maxUseCaseCodePoints,
      ),
    }),
    challenge: named('Challenge', 'The human-verification challenge.', {
      provider: enumField(CHALLENGE_PROVIDERS, 'Provider of the challenge.', 'altcha'),
      path: nullable(
        text(
          'Path of the challenge on this service; `null` for a hosted challenge, and while registration is unavailable.',
          '/challenge',
        ),
      ),
      siteKey: nullable(
        text('Public site key of a hosted challenge; `null` otherwise.', '0x4AAAAAAA'),
      ),
    }),
    privacy: textList('What is stored about a registration.', 'No IP address is stored.'),
  }),
  RegistrationResult: record('An accepted registration.', {
    ticket: matching(
      TICKET_PATTERN,
      'A random receipt. It does not reveal the address.',
      'EA-9F86D081884C7D65',
    ),
    status: enumField(['WAITING'], 'State of the registration.', 'WAITING'),
    message: text('Confirmation, in English.', 'The address is on the waitlist.'),
  }),
  Policy: POLICY_SCHEMA,
  OpenApiDocument: record(`An OpenAPI ${OPENAPI_VERSION} document.`, {
    openapi: text('Version of the OpenAPI specification.', OPENAPI_VERSION),
    info: { type: 'object', description: 'Title, version and description.' },
    paths: { type: 'object', description: 'Operations by path and method.' },
  }),
  VersionSnapshot: record('One entry of the version history.', {
    ...versionSummaryProperties,
    apiVersion: text('Major version of the API at the time.', 'v1'),
    registryVersion: text('Registry version at the time.', REGISTRY_VERSION),
    resources: {
      type: 'object',
      description: 'Digest of each published resource, by path below the base path.',
      example: { status: digest.example },
      additionalProperties: digest,
    },
    changes: list(
      'Changes from the previous version.',
      named('ResourceChange', 'One change.', {
        resource: text('The resource, by its path below the base path.', 'status'),
        kind: enumField(CHANGE_KINDS, 'Kind of the change.', 'changed'),
      }),
    ),
    note: text('Release note of the operator.', 'Opens the waitlist.'),
  }),
  VersionHistory: record('The hash-chained index of all versions.', {
    algorithm: text(
      'How the hashes are computed.',
      'SHA-256 over svc-version-v1 and RFC 8785 JSON',
    ),
    count: whole('Number of versions in the whole history.', 1),
    head: named('VersionHead', 'The newest version.', {
      snapshotId: snapshotId('ID of the newest version.'),
      hash: hexHash('Hash of the newest version.'),
    }),
    entries: list(
      'Every version, or those of the requested page, newest first.',
      named('VersionEntry', 'One version.', versionSummaryProperties),
    ),
  }),
  IssuedKey: record('A new API key. The key is shown only in this response.', {
    key: text('The whole key. It is never shown again.', API_KEY_FORMAT),
    ...activeKeyProperties,
  }),
  KeyMetadata: record('Metadata of an API key. Never includes the secret.', {
    ...activeKeyProperties,
    quota: named('KeyQuota', 'Quota of the key in the current window.', {
      limit: whole('Requests in one window.', LIMITS.keyedRequests.requests),
      remaining: whole('Requests that remain in this window.', LIMITS.keyedRequests.requests - 1),
      resetSeconds: whole('Seconds until the window ends.', 42),
      windowSeconds: whole('Length of the window, in seconds.', LIMITS.keyedRequests.windowSeconds),
    }),
  }),
  RevokedKey: record('A revocation.', {
    keyId,
    status: enumField(['revoked'], 'State of the key.', 'revoked'),
    revokedAt: timestamp('When it was revoked.', 1),
  }),
  SigningKeys: record(
    'The public keys that verify response signatures, and the format of the signed texts.',
    {
      keyId: text('ID of the current signing key.', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'),
      algorithm: enumField(['Ed25519'], 'Signature algorithm.', 'Ed25519'),
      keys: list('Every published key, the current one first.', publicKey),
      signedText: textList(
        'Lines of the text that is signed for a response, joined by newlines. Parts in braces are placeholders.',
        'svc-response-v1',
      ),
      revalidationText: textList(
        'Lines of the text that is signed for a `304`, joined by newlines. Parts in braces are placeholders.',
        'svc-revalidation-v1',
      ),
      headers: record('Names of the response headers that carry the proof.', {
        contentDigest: text('Digest of the body (RFC 9530).', 'Content-Digest'),
        signedAt: text('Time of the signature.', 'X-SVC-Signed-At'),
        signature: text('The signature, base64.', 'X-SVC-Signature'),
        revalidated: text('Time and signature of a `304`.', 'X-SVC-Revalidated'),
      }),
      'log?': record('The transparency log of the versions. Missing if the service has none.', {
        origin: text('Identity of the log.', 'api.example.org/log'),
        url: text('Address of the log.', 'https://api.example.org/log'),
        keys: list(
          'The keys that sign the log, the current one first.',
          named('LogKey', 'A key of the log.', {
            vkey: text(
              'Verifier key (c2sp.org/signed-note).',
              'api.example.org/log+23e81afd+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c',
            ),
            status: enumField(
              ['current', 'retiring'],
              'Status in the rotation: `retiring` keys sign until they are removed.',
              'current',
            ),
          }),
        ),
      }),
      maxAgeSeconds: whole(
        'Age at which a verifier refuses a signature, in seconds.',
        LIMITS.signatureMaxAgeSeconds,
      ),
    },
  ),
} as const satisfies { readonly [name: string]: JsonSchema }

export type DataSchemaName = keyof typeof DATA_SCHEMAS

/** The TypeScript type of the `data` with this schema name. */
export type DataOf<Name extends DataSchemaName> = SchemaType<(typeof DATA_SCHEMAS)[Name]>

/** The `error` member of the error envelope. */
export const ERROR_SCHEMA = record('What went wrong and what to do about it.', {
  code: enumField(keysOf(ERRORS), 'A code of the error catalog.', 'NOT_FOUND'),
  status: whole('The HTTP status.', 404),
  message: text(
    'What to do about it, in English; code is between backticks. Never repeats any part of the request.',
    ERRORS.NOT_FOUND.message,
  ),
  retryable: bool('Whether the same request may succeed later.', false),
  'retryAfterSeconds?': {
    ...whole('Seconds until a retry may succeed; equals `Retry-After`.', 42),
    minimum: 1,
  },
})
