import { API_KEY_ID_LENGTH, API_KEY_PREFIX } from '@public-api/contract/keys/api-key'

/** A key anywhere in a text, even if truncated or in another case. */
const WHOLE_KEY = new RegExp(`${API_KEY_PREFIX}[0-9a-f]{${API_KEY_ID_LENGTH}}_.`, 'iu')

/** Whether a text contains the secret part of an API key. */
export function looksLikeApiKey(text: string): boolean {
  return WHOLE_KEY.test(text)
}
