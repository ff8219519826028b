import type { Registry } from '../contract/endpoints.ts'
import type { Issuance } from '../contract/issuance.ts'
import type { Locale } from '../contract/locales.ts'
import type { SnapshotData, SnapshotName } from '../contract/snapshot-schemas.ts'
import type { VersionEntry } from '../contract/version-chain.ts'
import type { Runtime } from '../contract/visible-endpoints.ts'
import type { ChallengeDescription } from '../service/challenge.ts'
import type { Html } from './html.ts'
import type { Texts } from './texts.ts'

/** What the pages tell of: everything that is fixed once the service has started. */
export interface SiteFacts {
  /** Own origin: scheme and authority, without a slash at the end. */
  readonly origin: string
  /** The rows that this runtime serves. */
  readonly registry: Registry
  readonly runtime: Runtime
  readonly registryVersion: string
  readonly issuance: Issuance
  /** The version that is served. */
  readonly head: VersionEntry
  readonly versionCount: number
  /** This many of the newest versions, newest first; fewer where there are no more. */
  newestVersions(count: number): readonly VersionEntry[]
  /** Data of a resource as the newest version has it, or undefined where it is damaged. */
  snapshot<Name extends SnapshotName>(name: Name): SnapshotData<Name> | undefined
  /** Id of the key that signs; undefined where answers are unsigned. */
  readonly keyId: string | undefined
  readonly challenge: ChallengeDescription
  /** URI at which the operator hears of security problems; undefined where none is known. */
  readonly contact: string | undefined
  /** Address of a file of `assets/` (or of the style sheet), with its digest in the name. */
  assetPath(file: string): string
}

/** What one page in one language is made from. */
export interface PageContext {
  readonly locale: Locale
  readonly texts: Texts
  readonly facts: SiteFacts
}

/** An entry of the rail of contents: an id on the page and its heading. */
export interface ContentsEntry {
  readonly id: string
  readonly title: string
}

/** What a page consists of between the header and the line of its making. */
export interface PageBody {
  /** One `h1` and what follows it. */
  readonly main: Html
  /** Sections for the rail beside the text; a short page has none. */
  readonly contents?: readonly ContentsEntry[]
}

/** A page that exists in every locale. Which there are says `PAGES` in page-table.ts. */
export interface Page {
  /** Path below the locale without slashes at its ends; the overview's is empty. */
  readonly path: string
  /** Title in the navigation, in `<title>` and as `h1`. */
  title(texts: Texts): string
  /** For search engines: one sentence. */
  description(texts: Texts, facts: SiteFacts): string
  body(context: PageContext): PageBody
  /** Whether it is left out of the navigation, the sitemap and the search engines: a page that is no place to go to. */
  readonly noIndex?: true
  /** Origins beyond its own that its policy lets it load scripts and frames from; a hosted challenge needs one. */
  foreignOrigins?(facts: SiteFacts): readonly string[]
  /** Scripts of `assets/` beyond the one that every page has. */
  readonly scripts?: readonly string[]
  /** Style sheets beyond the one that every page has. */
  readonly styles?: readonly string[]
}

/** Path of a page in a locale: `/en`, `/th/reference`. */
export function pathOfPage(locale: Locale, path: string): string {
  return path === '' ? `/${locale}` : `/${locale}/${path}`
}
