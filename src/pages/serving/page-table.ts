import { EARLY_ACCESS_PAGE } from '../early-access/early-access-page.ts'
import { PRIVACY_PAGE } from '../early-access/privacy-page.ts'
import { CHANGELOG_PAGE } from '../history/changelog-page.ts'
import { HISTORY_PAGE } from '../history/history-page.ts'
import type { Page, PageGroups } from '../page.ts'
import { ERRORS_PAGE } from '../reference/errors-page.ts'
import { REFERENCE_GROUP_PAGES, REFERENCE_PAGE } from '../reference/reference-page.ts'
import { ARCHITECTURE_PAGE } from '../snapshots/architecture-page.ts'
import { OVERVIEW_PAGE } from '../snapshots/overview-page.ts'
import { ROADMAP_PAGE } from '../snapshots/roadmap-page.ts'
import { STATUS_PAGE } from '../snapshots/status-page.ts'
import { WALLET_PAGE } from '../snapshots/wallet-page.ts'
import { VERIFY_PAGE } from '../verify/verify-page.ts'

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
