import { formatInstant } from '@public-api/contract/text/instant'
import { SigningKeyError } from '../../crypto/signing-keys.ts'
import {
  type KeyPeriod,
  type PublishedSigningKey,
  requireBegun,
  requireOrder,
} from './signing-key-document.ts'

/** Maximum number of keys in a signing-key document. Clients refuse a longer one (`MAX_KEYS` of the client). */
export const MAX_PUBLISHED_KEYS = 64

type Keys = readonly PublishedSigningKey[]

function withStatus(keys: Keys, status: PublishedSigningKey['status']) {
  return keys.find((key) => key.status === status)
}

function checkPeriod(period: KeyPeriod, nowMs: number): void {
  if (period.notAfter !== null && Date.parse(period.notAfter) <= nowMs) {
    throw new SigningKeyError(`expected notAfter to be in the future, found ${period.notAfter}`)
  }
  requireOrder(period)
}

/**
 * Checks the period of a new key before it is created. Throws SigningKeyError if a next key exists, if the period is
 * over, if a first key is not valid yet, or if there is a gap after the period of the current key. In a gap verifiers
 * would refuse every response.
 */
export function checkNewKey(keys: Keys, period: KeyPeriod, nowMs: number): void {
  const announced = withStatus(keys, 'next')
  if (announced !== undefined) {
    throw new SigningKeyError(
      `expected no announced key, found ${announced.keyId}; promote or retire it first`,
    )
  }
  if (keys.length >= MAX_PUBLISHED_KEYS) {
    throw new SigningKeyError(
      `expected at most ${MAX_PUBLISHED_KEYS} published keys; remove the oldest retired ones from signing-keys.json first`,
    )
  }
  checkPeriod(period, nowMs)
  const current = withStatus(keys, 'current')
  if (current === undefined) return requireBegun('the first key', period, nowMs)
  const { notBefore } = period
  const end = current.notAfter
  if (notBefore !== null && end !== null && Date.parse(notBefore) > Date.parse(end)) {
    throw new SigningKeyError(
      `expected notBefore to be no later than ${end}, when the current key ends, found ${notBefore}`,
    )
  }
}

/**
 * Makes the next key the current one. The previous key stays valid for `overlapMs`, because a server that has not
 * reloaded yet still signs with it. Throws SigningKeyError if no key is announced or its period does not include now.
 */
export function promoteNextKey(keys: Keys, nowMs: number, overlapMs: number): Keys {
  const next = withStatus(keys, 'next')
  if (next === undefined) {
    throw new SigningKeyError('expected an announced key; run svc signing-key new first')
  }
  checkPeriod(next, nowMs)
  requireBegun(next.keyId, next, nowMs)
  const endMs = nowMs + overlapMs
  return keys.map((key) => {
    if (key === next) {
      return { ...key, status: 'current', notBefore: key.notBefore ?? formatInstant(nowMs) }
    }
    if (key.status !== 'current') return key
    const isEarlier = key.notAfter !== null && Date.parse(key.notAfter) <= endMs
    return { ...key, status: 'retired', notAfter: isEarlier ? key.notAfter : formatInstant(endMs) }
  })
}

/**
 * Withdraws an announced key, which has signed nothing, or ends the period of a retired one. Throws SigningKeyError for
 * the current key, and for an end that is later than the one already published or before the period begins.
 */
export function retireKey(keys: Keys, keyId: string, notAfter: string): Keys {
  const key = keys.find((each) => each.keyId === keyId)
  if (key === undefined) throw new SigningKeyError(`expected a published key, found ${keyId}`)
  if (key.status === 'current') {
    throw new SigningKeyError(
      `expected a key other than the current one, found ${keyId}; promote another key first`,
    )
  }
  if (key.status === 'next') return keys.filter((each) => each !== key)
  if (key.notAfter !== null && Date.parse(notAfter) > Date.parse(key.notAfter)) {
    throw new SigningKeyError(
      `expected notAfter to be no later than the published ${key.notAfter}, found ${notAfter}`,
    )
  }
  const retired = { ...key, notAfter }
  requireOrder(retired)
  return keys.map((each) => (each === key ? retired : each))
}
