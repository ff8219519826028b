/** A key wherever it stands, also one that lost its end or its case. */
const WHOLE_KEY = /svk_[0-9a-f]{16}_./iu

/** Whether a text has an API key's secret part in it. */
export function holdsWholeKey(text: string): boolean {
  return WHOLE_KEY.test(text)
}
