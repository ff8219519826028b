import type { KeyObject } from 'node:crypto'
import { parseJson } from '@public-api/contract/json/parse-json'
import { schemaMistake } from '@public-api/contract/schemas/schema-mistake'
import type { SchemaType } from '@public-api/contract/terms/schema-type'
import { derivePublicSigningKey, SigningKeyError } from '../../crypto/signing-keys.ts'
import { type PublishedSigningKey, requireBegun, requireOrder } from './signing-key-document.ts'

/** Members of a key in `signing-keys.json`. Times are ISO 8601 UTC, or null if the operator states no time. */
const MEMBERS = ['publicKeyPem', 'status', 'notBefore', 'notAfter'] as const

const INSTANT_OR_NULL = { type: 'string', format: 'date-time', nullable: true } as const

const METADATA_SCHEMA = {
  type: 'object',
  required: ['keys'],
  properties: {
    keys: {
      type: 'array',
      items: {
        type: 'object',
        required: MEMBERS,
        properties: {
          publicKeyPem: { type: 'string' },
          status: { enum: ['current', 'next', 'retired'] },
          notBefore: INSTANT_OR_NULL,
          notAfter: INSTANT_OR_NULL,
        },
      },
    },
  },
} as const

/**
 * Parses `signing-keys.json`: the period of the current key, and the public halves of the next key and of retired keys.
 * Throws SigningKeyError if the text is malformed, lists a key twice, or has a period that ends before it begins.
 */
export function parseKeyMetadata(text: string): readonly PublishedSigningKey[] {
  const metadata = parseJson(text)
  const mistake = schemaMistake(METADATA_SCHEMA, metadata)
  if (mistake !== undefined) {
    throw new SigningKeyError(
      `expected JSON of the form {"keys":[{"publicKeyPem","status":"current|next|retired","notBefore","notAfter"}]} with times such as 2026-01-31T00:00:00Z or null; document${mistake}`,
    )
  }
  const entries = (metadata as SchemaType<typeof METADATA_SCHEMA>).keys
  const keys = entries.map(({ publicKeyPem, status, notBefore, notAfter }) => ({
    ...derivePublicSigningKey(publicKeyPem),
    status,
    notBefore,
    notAfter,
  }))
  if (new Set(keys.map(({ keyId }) => keyId)).size < keys.length) {
    throw new SigningKeyError('expected each public key once, found one twice')
  }
  for (const key of keys) requireOrder(key)
  return keys
}

/** The text of `signing-keys.json`. */
export function formatKeyMetadata(
  keys: readonly Pick<PublishedSigningKey, (typeof MEMBERS)[number]>[],
): string {
  return `${JSON.stringify({ keys }, ['keys', ...MEMBERS], 2)}\n`
}

/**
 * The keys to publish at a time (Unix milliseconds), the signing key first. Throws SigningKeyError unless the metadata
 * marks it alone as current, and its period has begun.
 */
export function publishKeys(
  signingKey: KeyObject,
  metadata: readonly PublishedSigningKey[],
  nowMs: number,
): readonly PublishedSigningKey[] {
  const current = derivePublicSigningKey(signingKey)
  const own = metadata.find(({ keyId }) => keyId === current.keyId)
  const others = metadata.filter(({ keyId }) => keyId !== current.keyId)
  if (others.some(({ status }) => status === 'current')) {
    throw new SigningKeyError(
      'expected the key marked current to be the one of the private signing key',
    )
  }
  if (own === undefined) {
    return [{ ...current, status: 'current', notBefore: null, notAfter: null }, ...others]
  }
  if (own.status !== 'current') {
    throw new SigningKeyError(
      `expected the key of the private signing key to be marked current, found it marked ${own.status}`,
    )
  }
  requireBegun('the current key', own, nowMs)
  return [own, ...others]
}
