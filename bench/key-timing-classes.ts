import { randomBytes, randomInt } from 'node:crypto'
import { formatApiKey, keyIdOf } from '../src/contract/api-key.ts'
import type { KeyStoreFile } from './made-keys.ts'

/** The ways in which a key is not accepted that nobody may tell apart (spec 5.4). */
export const KEY_CLASSES = ['unknown', 'wrong', 'revoked', 'malformed'] as const
export type KeyClass = (typeof KEY_CLASSES)[number]

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** A key that was never made. */
export function unknownKey(): string {
  return formatApiKey(randomBytes(8).toString('hex'), newSecret())
}

/** With the id of a key that there is, and another secret. */
function withWrongSecret(key: string): string {
  const keyId = keyIdOf(key)
  if (keyId === undefined) throw new Error('expected a key to take the id of')
  return formatApiKey(keyId, newSecret())
}

/** None of them may stand anywhere in a key. */
const SPOILERS = ['.', '~', '+', '/']

/** One character of it, wherever it is, is replaced by one that no key has. As long as it was. */
export function spoil(key: string, position: number = randomInt(key.length)): string {
  const spoiler = SPOILERS[randomInt(SPOILERS.length)] ?? '.'
  return key.slice(0, position) + spoiler + key.slice(position + 1)
}

/**
 * Keys of each class, all of one length. Every class has as many key ids, from all over the store, so that for none of
 * them more of it is at hand in the caches of the machine.
 */
export function keysOfClasses({
  activeKeys,
  revokedKeys,
}: Pick<KeyStoreFile, 'activeKeys' | 'revokedKeys'>): {
  readonly [Class in KeyClass]: readonly string[]
} {
  if (revokedKeys.length !== activeKeys.length) {
    throw new Error('expected as many revoked keys as active ones')
  }
  return {
    unknown: activeKeys.map(() => unknownKey()),
    wrong: activeKeys.map(withWrongSecret),
    revoked: revokedKeys,
    malformed: activeKeys.map(() => spoil(unknownKey())),
  }
}

/** Class numbers, each so many times, in an order in which each is as likely as another at any place. */
export function randomOrder(classes: number, ofEach: number): readonly number[] {
  const order = Array.from({ length: classes * ofEach }, (_, index) => index % classes)
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1)
    const kept = order[last] ?? 0
    order[last] = order[other] ?? 0
    order[other] = kept
  }
  return order
}
