import {
  SNAPSHOT_SCHEMAS,
  type SnapshotName,
} from '@public-api/contract/snapshots/snapshot-schemas'
import type { Locale } from '@public-api/contract/terms/locales'
import { contractText } from '../../src/pages/texts/contract-texts.ts'
import { unescapeHtml } from './page-markup.ts'

/** The title of a resource as the pages of a locale show it. */
export function titleIn(locale: Locale, name: SnapshotName): string {
  return unescapeHtml(contractText(locale, SNAPSHOT_SCHEMAS[name].title).text)
}
