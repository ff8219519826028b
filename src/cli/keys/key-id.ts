import { API_KEY_ID_PATTERN } from '../../contract/api-key.ts'
import { UsageError } from '../command.ts'

/** A key wherever it stands, also one that lost its end or its case. */
const WHOLE_KEY = /svk_[0-9a-f]{16}_./iu
const KEY_ID = new RegExp(API_KEY_ID_PATTERN)
const EXPECTED = '16 hexadecimal digits, those between "svk_" and the next "_"'

/** What a person hears who gave a key where its id belongs. It holds nothing of the key. */
export const WHOLE_KEY_REFUSED: string = `a whole key was given, and with it its secret; give only its id: ${EXPECTED}`

/** Whether a text has a key's secret part in it. */
export function holdsWholeKey(text: string): boolean {
  return WHOLE_KEY.test(text)
}

/** The key id that a person gave. Throws a UsageError that does not repeat the text: it may be a secret. */
export function parseKeyId(text: string): string {
  if (holdsWholeKey(text)) throw new UsageError(WHOLE_KEY_REFUSED)
  const keyId = text.trim().toLowerCase()
  if (KEY_ID.test(keyId)) return keyId
  throw new UsageError(`expected a key id: ${EXPECTED}`)
}
