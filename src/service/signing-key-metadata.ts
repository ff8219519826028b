import type { KeyObject } from 'node:crypto'
import { parseInstant } from '../contract/instant.ts'
import { publicSigningKeyOf, SigningKeyError } from '../crypto/signing-keys.ts'
import type { PublishedSigningKey } from './signing-key-document.ts'

/** One entry of `signing-keys.json`. Times are ISO 8601 UTC, or null if the operator states no time. */
export type KeyMetadata = Pick<
  PublishedSigningKey,
  'publicKeyPem' | 'status' | 'notBefore' | 'notAfter'
>

function isInstantOrNull(value: unknown): boolean {
  return value === null || (typeof value === 'string' && parseInstant(value) !== undefined)
}

function isKeyMetadata(value: unknown): value is KeyMetadata {
  if (typeof value !== 'object' || value === null) return false
  const { publicKeyPem, status, notBefore, notAfter } = value as Partial<KeyMetadata>
  return (
    typeof publicKeyPem === 'string' &&
    (status === 'current' || status === 'next' || status === 'retired') &&
    isInstantOrNull(notBefore) &&
    isInstantOrNull(notAfter)
  )
}

function parseEntries(text: string): readonly KeyMetadata[] {
  let entries: unknown
  try {
    entries = (JSON.parse(text) as { keys?: unknown } | null)?.keys
  } catch {
    entries = undefined
  }
  if (!Array.isArray(entries) || !entries.every(isKeyMetadata)) {
    throw new SigningKeyError(
      'expected JSON of the form {"keys":[{"publicKeyPem","status":"current|next|retired","notBefore","notAfter"}]} with times such as 2026-01-31T00:00:00Z or null',
    )
  }
  return entries
}

/**
 * Parses `signing-keys.json`: the period of the current key, and the public halves of the next key and of retired keys.
 * Throws SigningKeyError if the text is malformed, lists a key twice, or has a period that ends before it begins.
 */
export function parseKeyMetadata(text: string): readonly PublishedSigningKey[] {
  const keys = parseEntries(text).map(({ publicKeyPem, status, notBefore, notAfter }) => ({
    ...publicSigningKeyOf(publicKeyPem),
    status,
    notBefore,
    notAfter,
  }))
  if (new Set(keys.map(({ keyId }) => keyId)).size < keys.length) {
    throw new SigningKeyError('expected each public key once, found one twice')
  }
  for (const { notBefore, notAfter } of keys) {
    if (notBefore === null || notAfter === null) continue
    if (Date.parse(notBefore) < Date.parse(notAfter)) continue
    throw new SigningKeyError(
      `expected notBefore to be earlier than notAfter, found ${notBefore} and ${notAfter}`,
    )
  }
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

/**
 * The keys to publish, the signing key first. Throws SigningKeyError if the metadata marks another key as current, or the
 * signing key as anything else.
 */
export function publishKeys(
  signingKey: KeyObject,
  metadata: readonly PublishedSigningKey[],
): readonly PublishedSigningKey[] {
  const current = publicSigningKeyOf(signingKey)
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
