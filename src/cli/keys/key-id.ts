import { API_KEY_ID_LENGTH, API_KEY_ID_PATTERN, API_KEY_PREFIX } from '../../contract/api-key.ts'
import { UsageError } from '../../../packages/cli/src/command/command.ts'
import { looksLikeApiKey } from '../../../packages/cli/src/command/whole-key.ts'

const KEY_ID = new RegExp(API_KEY_ID_PATTERN)
const EXPECTED = `${API_KEY_ID_LENGTH} hexadecimal digits, those between "${API_KEY_PREFIX}" and the next "_"`

/** What a person hears who gave a key where its id belongs. It holds nothing of the key. */
export const WHOLE_KEY_REFUSED: string = `a whole key was given, and with it its secret; give only its id: ${EXPECTED}`

/** The key id that a person gave. Throws a UsageError that does not repeat the text: it may be a secret. */
export function parseKeyId(text: string): string {
  if (looksLikeApiKey(text)) throw new UsageError(WHOLE_KEY_REFUSED)
  const keyId = text.trim().toLowerCase()
  if (KEY_ID.test(keyId)) return keyId
  throw new UsageError(`expected a key id: ${EXPECTED}`)
}
