import { REVALIDATION_TEXT_LINES, SIGNED_TEXT_LINES } from '@public-api/contract/http/signature'
import type { DataOf } from '@public-api/contract/registry/schemas'
import { HEADERS } from '@public-api/contract/terms/headers'
import { LIMITS } from '@public-api/contract/terms/limits'
import { type PublicSigningKey, SigningKeyError } from '../../crypto/signing-keys.ts'
import type { TlogFiles } from '../../tlog/tlog-files.ts'

/** A public key with its status in the rotation. */
export interface PublishedSigningKey extends PublicSigningKey {
  readonly status: 'current' | 'next' | 'retired'
  /** ISO 8601 UTC, or null if the operator states no time. */
  readonly notBefore: string | null
  readonly notAfter: string | null
}

/** `data` of the signing-key document (contract decisions section 6); `keys` must contain exactly one current key. */
export function describeSigningKeys(
  keys: readonly PublishedSigningKey[],
  log?: DataOf<'SigningKeys'>['log'],
): DataOf<'SigningKeys'> {
  const current = keys.find(({ status }) => status === 'current')
  if (current === undefined) throw new Error('Expected one current signing key')
  const others = keys.filter((key) => key !== current)
  return {
    keyId: current.keyId,
    algorithm: 'Ed25519',
    keys: [current, ...others].map(({ keyId, status, jwk, publicKeyPem, notBefore, notAfter }) => ({
      keyId,
      status,
      jwk,
      publicKeyPem,
      notBefore,
      notAfter,
    })),
    signedText: SIGNED_TEXT_LINES,
    revalidationText: REVALIDATION_TEXT_LINES,
    headers: {
      contentDigest: HEADERS.contentDigest,
      signedAt: HEADERS.signedAt,
      signature: HEADERS.signature,
      revalidated: HEADERS.revalidated,
    },
    ...(log === undefined ? {} : { log }),
    maxAgeSeconds: LIMITS.signatureMaxAgeSeconds,
  }
}

const LOG_LINE = /^[ \t]*log[ \t]+(\S+)/gm

/**
 * The log's part of the document. Its policy names the keys, the current one first. Undefined if it names no key of this
 * origin, whose file may then contain anything.
 */
export function describeLog(
  { origin, policy }: TlogFiles,
  baseUrl: string,
): DataOf<'SigningKeys'>['log'] {
  const vkeys = Array.from(policy.matchAll(LOG_LINE), ([, vkey = '']) => vkey)
  const own = vkeys.filter((vkey) => vkey.startsWith(`${origin}+`))
  const keys = own.map((vkey, index) => ({
    vkey,
    status: index === 0 ? ('current' as const) : ('retiring' as const),
  }))
  return keys.length === 0 ? undefined : { origin, url: `${baseUrl}/log`, keys }
}

/** The period in which a key's signatures are valid. Times are ISO 8601 UTC, or null if the operator states no time. */
export type KeyPeriod = Pick<PublishedSigningKey, 'notBefore' | 'notAfter'>

/** Throws SigningKeyError for a period that ends before it begins. */
export function requireOrder({ notBefore, notAfter }: KeyPeriod): void {
  if (notBefore === null || notAfter === null) return
  if (Date.parse(notBefore) < Date.parse(notAfter)) return
  throw new SigningKeyError(
    `expected notBefore to be earlier than notAfter, found ${notBefore} and ${notAfter}`,
  )
}

/** Position of a time (Unix milliseconds) in a key's period, ends included. Verifiers refuse signatures outside it. */
export function periodStateOf(
  { notBefore, notAfter }: KeyPeriod,
  atMs: number,
): 'before' | 'within' | 'after' {
  if (notBefore !== null && atMs < Date.parse(notBefore)) return 'before'
  return notAfter !== null && atMs > Date.parse(notAfter) ? 'after' : 'within'
}

/** Throws SigningKeyError for the period of a key, named for the message, that begins after a time (Unix milliseconds). */
export function requireBegun(name: string, period: KeyPeriod, atMs: number): void {
  if (periodStateOf(period, atMs) !== 'before') return
  throw new SigningKeyError(
    `expected notBefore of ${name} to be in the past, found ${period.notBefore}; verifiers would refuse its signatures until then`,
  )
}
