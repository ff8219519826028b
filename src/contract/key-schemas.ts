import { enumField, named, record, text, timestamp, whole } from './fields.ts'
import { API_KEY_FORMAT, API_KEY_ID_PATTERN, API_KEY_LABEL_PATTERN } from './api-key.ts'
import { LIMITS } from './limits.ts'
import { CHALLENGE_TOKEN } from './registration-schema.ts'

const label = {
  type: 'string',
  pattern: API_KEY_LABEL_PATTERN,
  description: 'A name for the key, for the holder’s own use.',
  example: 'ci-mirror',
} as const
const keyId = {
  type: 'string',
  pattern: API_KEY_ID_PATTERN,
  description: 'The public part of the key.',
  example: '0123456789abcdef',
} as const
export const scope = enumField(['read'], 'What the key may do.', 'read')

/** Body of a request for an API key (spec 4.2). */
export const KEY_REQUEST_SCHEMA = record('A request for an API key.', {
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
})

/** Members of an issued key and of its metadata. */
const activeKeyProperties = {
  keyId,
  scope,
  label: { ...label, nullable: true },
  status: enumField(['active'], 'State of the key.', 'active'),
  createdAt: timestamp('When it was issued.'),
  expiresAt: timestamp('When it expires.', LIMITS.defaultTtlDays),
} as const

/** `data` of the key endpoints, by name. */
export const KEY_DATA_SCHEMAS = {
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
} as const
