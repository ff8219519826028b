import { API_KEY_ID_LENGTH, API_KEY_PREFIX } from '../../../../src/contract/api-key.ts'

/** A key wherever it stands, also one that lost its end or its case. */
const WHOLE_KEY = new RegExp(`${API_KEY_PREFIX}[0-9a-f]{${API_KEY_ID_LENGTH}}_.`, 'iu')

/** Whether a text has an API key's secret part in it. */
export function looksLikeApiKey(text: string): boolean {
  return WHOLE_KEY.test(text)
}
