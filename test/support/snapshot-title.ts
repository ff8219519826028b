import type { Locale } from '../../src/contract/locales.ts'
import { SNAPSHOT_SCHEMAS, type SnapshotName } from '../../src/contract/snapshot-schemas.ts'
import { contractText } from '../../src/pages/contract-texts.ts'
import { unescapeHtml } from './page-markup.ts'

/** The title of a resource as the pages of a locale show it. */
export function titleIn(locale: Locale, name: SnapshotName): string {
  return unescapeHtml(contractText(locale, SNAPSHOT_SCHEMAS[name].title).text)
}
