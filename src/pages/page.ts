import type { Registry } from '../contract/endpoints.ts'
import type { Issuance } from '../contract/issuance.ts'
import type { Locale } from '../contract/locales.ts'
import type { Organization } from '../contract/organization.ts'
import type { SnapshotData, SnapshotName } from '../contract/snapshot-schemas.ts'
import type { VersionEntry, VersionSummary } from '../contract/version-chain.ts'
import type { Runtime } from '../contract/visible-endpoints.ts'
import type { OpenApiDocument } from '../documents/openapi.ts'
import type { ChallengeDescription } from '../service/challenge.ts'
import type { Html, HtmlValue } from './html.ts'
import type { SampleResponse } from './sample-response.ts'
import type { Texts } from './texts.ts'

/** Published content in the language of a page. */
export interface LocalizedContent {
  /** Data of a resource in the newest version, translated; undefined if missing or damaged. */
  snapshot<Name extends SnapshotName>(name: Name): SnapshotData<Name> | undefined
  /** The organization; undefined in a demonstration. */
  readonly organization: Organization | undefined
  /** Whether a text has no translation and is therefore in English. */
  isUntranslated(text: string): boolean
  /** Whether every text of these resources is in the language of the page. */
  isComplete(names: readonly SnapshotName[]): boolean
}

/** Facts that are fixed for one release of one deployment. */
export interface SiteFacts {
  /** The deployment's origin: scheme and authority, without a trailing slash. */
  readonly origin: string
  /** The registry rows that this runtime serves. */
  readonly registry: Registry
  readonly runtime: Runtime
  readonly registryVersion: string
  readonly issuance: Issuance
  /** The served version. */
  readonly head: VersionEntry
  readonly versionCount: number
  /** The summaries of all versions, newest first. */
  readonly versionSummaries: readonly VersionSummary[]
  /** The newest versions, at most `count`, newest first. */
  newestVersions(count: number): readonly VersionEntry[]
  /** One version; undefined for an unknown id. */
  version(snapshotId: string): VersionEntry | undefined
  /** Data of a resource of any version, read when called; undefined if missing, damaged or redacted. */
  archived(name: string, digest: string): unknown
  /** Data of a resource in the newest version, in its original language. */
  snapshot<Name extends SnapshotName>(name: Name): SnapshotData<Name> | undefined
  /** The published content in a language. */
  content(locale: Locale): LocalizedContent
  /** Whether the operator publishes wallet views. If not, the wallet page is not in the navigation. */
  readonly hasWallet: boolean
  /** Id of the signing key; undefined if responses are unsigned. */
  readonly keyId: string | undefined
  /** A response of this service, created when first needed; undefined if it is unsigned. */
  readonly sampleResponse: SampleResponse | undefined
  /** The OpenAPI document of this service, read when called; undefined if it is not served. */
  readonly openApi: OpenApiDocument | undefined
  readonly challenge: ChallengeDescription
  /** URI of the security contact; undefined if unknown. */
  readonly contact: string | undefined
  /** URL path of the logo, and of the style sheet with the accent color; undefined if missing. */
  readonly logoPath: string | undefined
  readonly accentPath: string | undefined
  /** URL path of a file of `assets/` (or of the style sheet), with its digest in the name. */
  assetPath(file: string): string
}

/** Context of one page in one language. */
export interface PageContext {
  readonly locale: Locale
  readonly texts: Texts
  readonly facts: SiteFacts
  readonly content: LocalizedContent
}

/** A section of a page. The id is that of its heading, and the fragment of links to it. */
export type PageSection = readonly [id: string, title: string, content: HtmlValue]

/** The content of a page between header and footer. */
export interface PageBody {
  /** The `h1` and everything after it, up to the sections. */
  readonly main: Html
  /** Sections that the contents rail lists; short pages have none. */
  readonly sections?: readonly PageSection[] | undefined
  /** What follows the sections. */
  readonly after?: HtmlValue
  /** A rail of its own instead of the list of sections. */
  readonly rail?: Html
}

/** A page that exists in every locale. `PAGES` in page-table.ts lists them. */
export interface Page {
  /** Path below the locale without slashes at its ends; empty for the overview. */
  readonly path: string
  /** Title in the navigation, in `<title>` and as `h1`. */
  title(texts: Texts): string
  /** Meta description: one sentence. */
  description(texts: Texts, facts: SiteFacts): string
  body(context: PageContext): PageBody
  /** Excluded from navigation, sitemap and search engines. */
  readonly noIndex?: true
  /** Path of the page that the navigation marks as current, for a page that is not in the navigation. */
  readonly parent?: string
  /** Whether the page is in the navigation and the sitemap. Default: always. */
  isListed?(facts: SiteFacts): boolean
  /** Third-party origins that CSP allows for scripts and frames; a hosted challenge needs one. */
  foreignOrigins?(facts: SiteFacts): readonly string[]
  /** Scripts of `assets/` besides the one of every page. */
  readonly scripts?: readonly string[]
  /** Style sheets besides the one of every page. */
  readonly styles?: readonly string[]
}

/** Path of a page in a locale: `/en`, `/th/reference`. */
export function pathOfPage(locale: Locale, path: string): string {
  return path === '' ? `/${locale}` : `/${locale}/${path}`
}
