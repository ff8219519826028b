import type { KeyObject } from 'node:crypto'
import { parseJson } from '../contract/parse-json.ts'
import type { SchemaType } from '../contract/schema-type.ts'
import { schemaViolation } from '../contract/schema-violation.ts'
import { derivePublicSigningKey, SigningKeyError } from '../crypto/signing-keys.ts'
import { type PublishedSigningKey, requireOrder } from './signing-key-document.ts'

/** One entry of `signing-keys.json`. Times are ISO 8601 UTC, or null if the operator states no time. */
export type KeyMetadata = Pick<
  PublishedSigningKey,
  'publicKeyPem' | 'status' | 'notBefore' | 'notAfter'
>

const INSTANT_OR_NULL = { type: 'string', format: 'date-time', nullable: true } as const

const METADATA_SCHEMA = {
  type: 'object',
  required: ['keys'],
  properties: {
    keys: {
      type: 'array',
      items: {
        type: 'object',
        required: ['publicKeyPem', 'status', 'notBefore', 'notAfter'],
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
  const violation = schemaViolation(METADATA_SCHEMA, metadata)
  if (violation !== undefined) {
    throw new SigningKeyError(
      `expected JSON of the form {"keys":[{"publicKeyPem","status":"current|next|retired","notBefore","notAfter"}]} with times such as 2026-01-31T00:00:00Z or null; document${violation}`,
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
export function formatKeyMetadata(keys: readonly KeyMetadata[]): string {
  const entries = keys.map(({ publicKeyPem, status, notBefore, notAfter }) => ({
    publicKeyPem,
    status,
    notBefore,
    notAfter,
  }))
  return `${JSON.stringify({ keys: entries }, null, 2)}\n`
}

/** The keys to publish, the signing key first. Throws SigningKeyError unless the metadata marks it alone as current. */
export function publishKeys(
  signingKey: KeyObject,
  metadata: readonly PublishedSigningKey[],
): readonly PublishedSigningKey[] {
  const current = derivePublicSigningKey(signingKey)
  const own = metadata.find(({ keyId }) => keyId === current.keyId)
  const others = metadata.filter(({ keyId }) => keyId !== current.keyId)
  if (others.some(({ status }) => status === 'current')) {
    throw new SigningKeyError(
      'expected the key marked current to be the one of the private signing key',
    )
  }
  if (own !== undefined && own.status !== 'current') {
    throw new SigningKeyError(
      `expected the key of the private signing key to be marked current, found it marked ${own.status}`,
    )
  }
  return [own ?? { ...current, status: 'current', notBefore: null, notAfter: null }, ...others]
}
