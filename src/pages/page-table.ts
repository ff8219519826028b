import { OVERVIEW_PAGE } from './overview-page.ts'
import type { Page } from './page.ts'

/** Every page, in the order of the navigation. Routing, the language switch, the sitemap and the tests read it. */
export const PAGES: readonly Page[] = [OVERVIEW_PAGE]
