import { UsageError } from '@public-api/cli-kit/command'
import { looksLikeApiKey } from '@public-api/cli-kit/whole-key'
import {
  API_KEY_ID_LENGTH,
  API_KEY_ID_PATTERN,
  API_KEY_PREFIX,
} from '@public-api/contract/keys/api-key'

const KEY_ID = new RegExp(API_KEY_ID_PATTERN)
const EXPECTED = `${API_KEY_ID_LENGTH} hexadecimal digits, those between "${API_KEY_PREFIX}" and the next "_"`

/** The message for a whole key in place of its ID. It contains nothing of the key. */
export const WHOLE_KEY_REFUSED: string = `found a whole key with its secret; expected only its ID: ${EXPECTED}`

/** Parses a key ID. Throws a UsageError that does not repeat the text, which may be a secret. */
export function parseKeyId(text: string): string {
  if (looksLikeApiKey(text)) throw new UsageError(WHOLE_KEY_REFUSED)
  const keyId = text.trim().toLowerCase()
  if (KEY_ID.test(keyId)) return keyId
  throw new UsageError(`expected a key ID: ${EXPECTED}`)
}
