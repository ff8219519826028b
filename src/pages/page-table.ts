import { ARCHITECTURE_PAGE } from './architecture-page.ts'
import { CHANGELOG_PAGE } from './changelog-page.ts'
import { EARLY_ACCESS_PAGE } from './early-access-page.ts'
import { ERRORS_PAGE } from './errors-page.ts'
import { HISTORY_PAGE } from './history-page.ts'
import { OVERVIEW_PAGE } from './overview-page.ts'
import type { Page, PageGroups } from './page.ts'
import { PRIVACY_PAGE } from './privacy-page.ts'
import { REFERENCE_GROUP_PAGES, REFERENCE_PAGE } from './reference-page.ts'
import { ROADMAP_PAGE } from './roadmap-page.ts'
import { STATUS_PAGE } from './status-page.ts'
import { VERIFY_PAGE } from './verify-page.ts'
import { WALLET_PAGE } from './wallet-page.ts'

/** Every page, in the order of the navigation. */
export const PAGE_GROUPS = [
  {
    name: 'record',
    pages: [
      OVERVIEW_PAGE,
      STATUS_PAGE,
      ROADMAP_PAGE,
      CHANGELOG_PAGE,
      ARCHITECTURE_PAGE,
      WALLET_PAGE,
      HISTORY_PAGE,
    ],
  },
  { name: 'api', pages: [REFERENCE_PAGE, ...REFERENCE_GROUP_PAGES, ERRORS_PAGE, VERIFY_PAGE] },
  { name: 'takePart', pages: [EARLY_ACCESS_PAGE, PRIVACY_PAGE] },
] as const satisfies PageGroups

/** The same pages as a list. Routing, the language switch, the sitemap and the tests read it. */
export const PAGES: readonly Page[] = PAGE_GROUPS.flatMap(({ pages }) => pages)
