import { LOCALES, type Locale } from '../contract/locales.ts'
import { READ_PATHS } from '../contract/read-paths.ts'
import { pageSection } from './elements.ts'
import { FEED_TYPES, feedPath } from './feeds.ts'
import { code, html, type Html } from './html.ts'
import { type Page, type PageContext, type PageSection, pathOfPage } from './page.ts'
import { operatorText, plainText } from './rich-text.ts'
import { TEXTS, type Texts } from './texts.ts'

/** Number of hash characters in the footer. */
const SHOWN_HASH_CHARACTERS = 12

/** Script and style sheet of every page. */
const SITE_SCRIPT = 'site.js'
const SITE_STYLE = 'style.css'

const LICENSE_URL = 'https://www.apache.org/licenses/LICENSE-2.0'

/** Locales in Open Graph notation. */
const OPEN_GRAPH_LOCALES: { readonly [Each in Locale]: string } = {
  en: 'en_US',
  th: 'th_TH',
  'zh-CN': 'zh_CN',
}

/** Name of the site: that of the organization, or of the software in a demonstration. */
function siteName({ texts, content }: PageContext): string {
  return content.organization?.name ?? texts.site.name
}

function titleOf(context: PageContext, page: Page): string {
  const name = siteName(context)
  return page.path === '' ? name : `${page.title(context.texts)} · ${name}`
}

function alternateLinks({ locale: current, facts: { origin } }: PageContext, page: Page): Html {
  const { path, noIndex } = page
  if (noIndex === true) {
    return html`<meta name="robots" content="noindex" /> `
  }
  return html`<link rel="canonical" href="${origin}${pathOfPage(current, path)}" /> ${LOCALES.map(
      (locale) =>
        html`<link
          rel="alternate"
          hreflang="${locale}"
          href="${origin}${pathOfPage(locale, path)}"
        /> `,
    )}<link rel="alternate" hreflang="x-default" href="${origin}${pathOfPage('en', path)}" /> `
}

function feedLinks(context: PageContext): readonly Html[] {
  const { locale, texts } = context
  const title = plainText(texts.feed.title, { name: siteName(context) })
  return FEED_TYPES.map(
    ({ format, mediaType }) =>
      html`<link
        rel="alternate"
        type="${mediaType}"
        title="${title}"
        href="${feedPath(locale, format)}"
      /> `,
  )
}

function openGraph(context: PageContext, page: Page): Html {
  const { locale, texts, facts } = context
  return html`<meta property="og:type" content="website" />
    <meta property="og:site_name" content="${siteName(context)}" />
    <meta property="og:title" content="${titleOf(context, page)}" />
    <meta property="og:description" content="${page.description(texts, facts)}" />
    <meta property="og:locale" content="${OPEN_GRAPH_LOCALES[locale]}" />
    ${
      page.noIndex !== true &&
      html`<meta property="og:url" content="${facts.origin}${pathOfPage(locale, page.path)}" />`
    }
    ${
      facts.logoPath !== undefined &&
      html`<meta property="og:image" content="${facts.origin}${facts.logoPath}" />`
    }
    <meta name="twitter:card" content="summary" />`
}

function head(context: PageContext, page: Page): Html {
  const { texts, facts } = context
  return html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${titleOf(context, page)}</title>
    <meta name="description" content="${page.description(texts, facts)}" />
    <meta name="color-scheme" content="light dark" />
    ${openGraph(context, page)}
    <link rel="icon" href="${facts.assetPath('favicon.svg')}" type="image/svg+xml" />
    ${alternateLinks(context, page)}${feedLinks(context)}${[SITE_STYLE, ...(page.styles ?? [])].map(
      (file) => html`<link rel="stylesheet" href="${facts.assetPath(file)}" /> `,
    )}${
      facts.accentPath !== undefined && html`<link rel="stylesheet" href="${facts.accentPath}" /> `
    }${[SITE_SCRIPT, ...(page.scripts ?? [])].map(
      (file) => html`<script type="module" src="${facts.assetPath(file)}"></script> `,
    )}
  </head>`
}

function languageSwitch(current: Locale, texts: Texts, page: Page): Html {
  // An unindexed page has no counterpart in other locales.
  const path = page.noIndex === true ? '' : page.path
  return html`<nav class="languages" aria-label="${texts.site.languages}">
    <ul>
      ${LOCALES.map((locale) => {
        const name = TEXTS[locale].site.language
        return locale === current
          ? html`<li><span lang="${locale}" aria-current="true">${name}</span></li> `
          : html`<li>
              <a href="${pathOfPage(locale, path)}" lang="${locale}" hreflang="${locale}"
                >${name}</a
              >
            </li> `
      })}
    </ul>
  </nav>`
}

/** The groups of the navigation with their paths. Ungrouped pages are in the last group. */
const GROUPS = [
  {
    name: 'record',
    paths: ['', 'status', 'roadmap', 'changelog', 'architecture', 'wallet', 'history'],
  },
  { name: 'api', paths: ['reference', 'errors', 'verify'] },
  { name: 'takePart', paths: ['early-access', 'privacy'] },
] as const satisfies readonly { name: keyof Texts['site']['groups']; paths: readonly string[] }[]

/** Pages by group, in the order of the table. Empty groups are left out. */
function groupedPages(pages: readonly Page[]) {
  const groupOf = ({ path }: Page) =>
    GROUPS.find(({ paths }) => paths.some((each) => each === path))?.name ?? GROUPS.at(-1)?.name
  return GROUPS.map(({ name }) => ({
    name,
    pages: pages.filter((page) => groupOf(page) === name),
  })).filter((group) => group.pages.length > 0)
}

/** Ids of the popovers that replace navigation and contents on narrow screens. They need no script. */
const PAGES_ID = 'pages-menu'
const CONTENTS_ID = 'contents-menu'

function closeButton(texts: Texts, id: string): Html {
  return html`<button type="button" class="close" popovertarget="${id}" popovertargetaction="hide">
    ${texts.site.close}
  </button>`
}

function navigation(context: PageContext, current: Page, pages: readonly Page[]): Html {
  const { locale, texts, facts } = context
  const listed = pages.filter(
    ({ parent, isListed }) => parent === undefined && isListed?.(facts) !== false,
  )
  const currentPath = current.parent ?? current.path
  return html`<button type="button" class="menu" popovertarget="${PAGES_ID}">
      ${texts.site.pages}
    </button>
    <nav class="pages" id="${PAGES_ID}" aria-label="${texts.site.pages}" popover>
      ${groupedPages(listed).map(
        (group) =>
          html`<div class="group">
            <p class="group-name" id="pages-${group.name}">${texts.site.groups[group.name]}</p>
            <ul aria-labelledby="pages-${group.name}">
              ${group.pages.map((page) => {
                const mark =
                  page.path === currentPath
                    ? html` aria-current="${page.path === current.path ? 'page' : 'true'}"`
                    : undefined
                return html`<li>
                  <a href="${pathOfPage(locale, page.path)}" ${mark}>${page.title(texts)}</a>
                </li> `
              })}
            </ul>
          </div> `,
      )}
      ${closeButton(texts, PAGES_ID)}
    </nav>`
}

function contentsRail(texts: Texts, content: Html): Html {
  return html`<nav class="contents" id="${CONTENTS_ID}" aria-label="${texts.site.contents}" popover>
    ${content} ${closeButton(texts, CONTENTS_ID)}
  </nav>`
}

/** The list of the sections of a page; undefined for a page without any. */
function contentsList(sections: readonly PageSection[]): Html | undefined {
  if (sections.length === 0) return undefined
  return html`<ul>
    ${sections.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li> `)}
  </ul>`
}

function contentsButton(texts: Texts): Html {
  return html`<button type="button" class="contents-button" popovertarget="${CONTENTS_ID}">
    ${texts.site.contents}
  </button>`
}

function brand(context: PageContext): Html {
  const { locale, content, facts } = context
  const logo = content.organization?.logo
  const name = siteName(context)
  const image =
    logo === undefined || facts.logoPath === undefined
      ? html`<img src="${facts.assetPath('favicon.svg')}" alt="" width="28" height="28" />`
      : html`<img
          src="${facts.logoPath}"
          alt="${logo.alt}"
          width="${Math.round((logo.width / logo.height) * 32)}"
          height="32"
        />`
  return html`<p class="name">
    <a href="${pathOfPage(locale, '')}">${image} <span>${name}</span></a>
  </p>`
}

/** The version that the page was built from, and where to verify it. */
function provenance({ locale, texts, facts }: PageContext): Html {
  const { head: version, keyId } = facts
  const t = texts.site.footer
  return html`<section class="provenance" aria-labelledby="provenance-title">
    <h2 id="provenance-title">${t.provenance}</h2>
    <dl>
      <div>
        <dt>${t.version}</dt>
        <dd>
          <a href="${pathOfPage(locale, `history/${version.snapshotId}`)}"
            >${code(version.snapshotId)}</a
          >
        </dd>
      </div>
      <div>
        <dt>${t.hash}</dt>
        <dd><code>${version.hash.slice(0, SHOWN_HASH_CHARACTERS)}</code></dd>
      </div>
      <div>
        <dt>${t.key}</dt>
        <dd>${keyId === undefined ? t.unsigned : code(keyId)}</dd>
      </div>
    </dl>
    <p><a href="${pathOfPage(locale, 'history')}#audit">${texts.site.checkThis}</a></p>
  </section>`
}

/** A link to the contact of the organization, or of the deployment. */
function contactLink({ texts, facts, content }: PageContext): Html | undefined {
  const { email, url } = content.organization?.contact ?? {}
  const target = url ?? (email === undefined ? facts.contact : `mailto:${email}`)
  return target === undefined
    ? undefined
    : html`<li><a href="${target}">${texts.site.footer.contact}</a></li> `
}

function footer(context: PageContext): Html {
  const { locale, texts, content } = context
  const t = texts.site.footer
  const { organization } = content
  return html`<footer class="site">
    ${provenance(context)}
    <nav aria-label="${t.links}">
      <ul>
        ${
          organization !== undefined &&
          html`<li><a href="${organization.url}">${organization.name}</a></li> `
        }${(organization?.links ?? []).map(
          ({ url, title }) => html`<li><a href="${url}">${operatorText(content, title)}</a></li> `,
        )}${contactLink(context)}
        <li><a href="${feedPath(locale, 'atom')}">${t.feed}</a></li>
        <li><a href="${READ_PATHS.index}">${t.api}</a></li>
        <li><a href="${pathOfPage(locale, 'privacy')}">${texts.privacy.title}</a></li>
        <li><a href="${LICENSE_URL}">${t.license}</a></li>
      </ul>
    </nav>
  </footer>`
}

/** Marks every page of a service without an organization as a demonstration. */
function demonstrationNotice({ texts, content }: PageContext): Html | undefined {
  return content.organization === undefined
    ? html`<aside class="demonstration">${texts.site.demonstration}</aside>`
    : undefined
}

/** A whole page. */
export function renderPage(context: PageContext, page: Page, pages: readonly Page[]): string {
  const { locale, texts } = context
  const { main, sections = [], after, rail = contentsList(sections) } = page.body(context)
  const { text } = html`<html lang="${locale}">
    ${head(context, page)}
    <body
      data-own-time="${texts.site.ownTime}"
      data-not-copied="${texts.site.notCopied}"
      data-link-copied="${texts.site.linkCopied}"
    >
      <a class="skip" href="#main">${texts.site.skip}</a>
      <header class="site">
        ${brand(context)} ${languageSwitch(locale, texts, page)} ${navigation(context, page, pages)}
      </header>
      ${demonstrationNotice(context)}
      <div class="columns">
        ${rail && contentsRail(texts, rail)}
        <main id="main">
          ${rail && contentsButton(texts)}${main}${sections.map((section) => pageSection(...section))}${after}
        </main>
      </div>
      ${footer(context)}
      <p class="announcement" role="status" id="announcement"></p>
    </body>
  </html> `
  return `<!DOCTYPE html>\n${text}`
}
