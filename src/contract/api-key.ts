import { LIMITS } from './limits.ts'

/** Characters of a key's two parts (spec 2.5). */
const LENGTHS = { keyId: 16, secret: 43 } as const

/** The form of an API key (spec 2.5). */
export const API_KEY_FORMAT = 'svk_<keyId>_<secret>'

/** What a key id looks like: the public part of a key (contract decisions section 5). */
export const API_KEY_ID_PATTERN: string = `^[0-9a-f]{${LENGTHS.keyId}}$`

/** What a key's label may be (spec 2.5). */
export const API_KEY_LABEL_PATTERN: string = `^[A-Za-z0-9 ._-]{1,${LIMITS.maxLabelLength}}$`

/** Taken apart by position, since the secret may hold `_` itself: 43 base64url characters are 256 bits and a padding. */
const API_KEY = new RegExp(`^svk_([0-9a-f]{${LENGTHS.keyId}})_[A-Za-z0-9_-]{${LENGTHS.secret}}$`)

/** The key id of a text that has the form of an API key; undefined for any other text. Says nothing of its secret. */
export function keyIdOf(key: string): string | undefined {
  return API_KEY.exec(key)?.[1]
}

/** The whole key, as its holder gets it once. */
export function formatApiKey(keyId: string, secret: string): string {
  return `svk_${keyId}_${secret}`
}
