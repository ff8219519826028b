import { LIMITS } from '../terms/limits.ts'

/** Prefix of every API key (spec 2.5). */
export const API_KEY_PREFIX = 'svk_'

/** Random bytes of a key's two parts: its ID is written in hexadecimal, its secret in base64url without padding. */
export const API_KEY_BYTES = { keyId: 8, secret: 32 } as const

/** Characters of a key ID. */
export const API_KEY_ID_LENGTH: number = 2 * API_KEY_BYTES.keyId

const SECRET_LENGTH = Math.ceil((API_KEY_BYTES.secret * 8) / 6)

/** The form of an API key (spec 2.5). */
export const API_KEY_FORMAT: string = formatApiKey('<keyId>', '<secret>')

/** Form of a key ID, the public part of a key (contract decisions section 5). */
export const API_KEY_ID_PATTERN: string = `^[0-9a-f]{${API_KEY_ID_LENGTH}}$`

/** Form of a key's label (spec 2.5). */
export const API_KEY_LABEL_PATTERN: string = `^[A-Za-z0-9 ._-]{1,${LIMITS.maxLabelLength}}$`

/** Split by position, because the secret may contain `_`: 43 base64url characters are 256 bits and padding. */
const API_KEY = new RegExp(
  `^${API_KEY_PREFIX}([0-9a-f]{${API_KEY_ID_LENGTH}})_[A-Za-z0-9_-]{${SECRET_LENGTH}}$`,
)

/** The key ID of a text that has the form of an API key; undefined for any other text. The secret is not checked. */
export function apiKeyIdOf(key: string): string | undefined {
  return API_KEY.exec(key)?.[1]
}

/** The characters at the position of the key ID, whether or not the text is a key. */
export function sliceKeyId(text: string): string {
  return text.slice(API_KEY_PREFIX.length, API_KEY_PREFIX.length + API_KEY_ID_LENGTH)
}

/** The whole key. Its holder sees it once. */
export function formatApiKey(keyId: string, secret: string): string {
  return `${API_KEY_PREFIX}${keyId}_${secret}`
}
