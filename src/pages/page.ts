import type { VersionEntry } from '@public-api/contract/history/version-chain'
import type { Locale } from '@public-api/contract/terms/locales'
import { type FeedName, pathOfPage } from './addresses.ts'
import { link } from './markup/elements.ts'
import type { Html, HtmlValue } from './markup/html.ts'
import type { createSiteFacts } from './site-facts.ts'
import type { Texts } from './texts/texts.ts'

export type SiteFacts = ReturnType<typeof createSiteFacts>

export interface PageContext {
  readonly locale: Locale
  readonly texts: Texts
  readonly facts: SiteFacts
  readonly content: ReturnType<SiteFacts['content']>
}

/** A section of a page. The id is that of its heading, and the fragment of links to it. */
export type PageSection = readonly [id: string, title: string, content: HtmlValue]

/** The content of a page between header and footer. */
export interface PageBody {
  /** The `h1` and everything after it, up to the sections. */
  readonly main: Html
  /** Sections that the contents rail lists, without those that are undefined or false; short pages have none. */
  readonly sections?: readonly (PageSection | undefined | false)[] | undefined
  readonly after?: HtmlValue
  /** A rail of its own instead of the list of sections, and what it lists. */
  readonly rail?: { readonly title: string; readonly content: Html }
}

/** A page that exists in every locale. `PAGES` in page-table.ts lists them. */
export interface Page {
  /** Path below the locale without slashes at its ends; empty for the overview. */
  readonly path: string
  /** Title in the navigation, in `<title>` and as `h1`. */
  title(texts: Texts): string
  /** Meta description: one sentence. */
  description(texts: Texts, facts: Pick<SiteFacts, 'keyId'>): string
  body(context: PageContext): PageBody
  /** The page for unknown paths: its status is 404, and search engines exclude it. */
  readonly noIndex?: true
  /** An unindexed page of something that was removed: its status is 410, and every language has it. */
  readonly isGone?: true
  /** Whether it shows the status: while an incident is open it is made again each minute, because it states ages. */
  readonly isOfStatus?: true
  /** Whether it shows incidents and maintenances alone: in a copy, it names the version that last changed any. */
  readonly isOfEvents?: true
  /** Whether it says what other pages say, as a comparison of versions does: search engines leave it out. */
  readonly isDerived?: true
  /** Path of the page that the navigation marks as current, for a page that is not in the navigation. */
  readonly parent?: string
  /** Whether navigation and sitemap may list the page. Default: always. */
  isListed?(facts: SiteFacts): boolean
  /** Third-party origins that CSP allows for scripts and frames; a hosted challenge needs one. */
  foreignOrigins?(facts: SiteFacts): readonly string[]
  /** The feeds of what this page shows, besides the one of every page. */
  readonly feeds?: readonly FeedName[]
  /** The version that the page is about, if it is about one. */
  readonly version?: VersionEntry
  /** Scripts of `assets/` besides the one of every page. */
  scripts?(context: PageContext): readonly string[]
}

/** Pages as the navigation groups them. A page with a parent is not in the navigation. */
export type PageGroups = readonly {
  readonly name: keyof Texts['site']['groups']
  readonly pages: readonly Page[]
}[]

/** Name of the site: that of the organization, or of the software in a demonstration. */
export function siteName({ texts, content }: Pick<PageContext, 'texts' | 'content'>): string {
  return content.organization?.name ?? texts.site.name
}

/** Whether navigation and sitemap list a page. */
export function isListed(page: Page, facts: SiteFacts): boolean {
  return !facts.isLeftOut(page.path) && page.isListed?.(facts) !== false
}

/** A link to what only the service has: a copy names the host that the link leads to. */
export function linkToService({ copy, origin }: SiteFacts, path: string, text: string): Html {
  return copy === undefined ? link(path, text) : link(path, `${text} (${new URL(origin).host})`)
}

/** The media type of Markdown (RFC 7763). */
export const MARKDOWN_TYPE = 'text/markdown'

/** Paths of a page by language for search engines: each offered language, and the default. */
export function alternatesOf(
  { languages, defaultLocale }: SiteFacts,
  path: string,
): readonly (readonly [language: string, path: string])[] {
  const alternates = languages.map((locale) => [locale, pathOfPage(locale, path)] as const)
  return [...alternates, ['x-default', pathOfPage(defaultLocale, path)]]
}

/** Where a visitor verifies what a page shows: the responses with its resources, or the history. */
export function verifyPath(locale: Locale, resources: readonly string[]): string {
  if (resources.length === 0) return `${pathOfPage(locale, 'history')}#audit`
  return `${pathOfPage(locale, 'verify')}#of=${resources.join('+')}`
}
