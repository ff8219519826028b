import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import type { Locale } from '@public-api/contract/terms/locales'
import { formatAgo } from '@public-api/contract/text/elapsed'
import { archivePath, feedPath, markdownPath, pathOfPage, searchIndexPath } from './addresses.ts'
import { CARD_SIZE, cardName, cardOf, cardPath } from './card.ts'
import { FEED_FORMATS } from './files/feed-formats.ts'
import { feedTexts } from './files/feeds.ts'
import { bulletList, link, pageLink, pageSection, scriptTexts } from './markup/elements.ts'
import { code, html, type Html } from './markup/html.ts'
import { operatorText, plainText, richText } from './markup/rich-text.ts'
import { ACCENT_FILE, ICON_FILE, iconOf, logoFile } from './markup/site-assets.ts'
import { ownTurn, writeInTurns } from './markup/turns.ts'
import {
  alternatesOf,
  isListed,
  MARKDOWN_TYPE,
  type Page,
  type PageBody,
  type PageContext,
  type PageGroups,
  type SiteFacts,
  siteName,
  verifyPath,
} from './page.ts'
import { momentHtml } from './texts/moments.ts'
import { TEXTS, type Texts } from './texts/texts.ts'

const SHOWN_HASH_CHARACTERS = 12

const LICENSE_URL = 'https://www.apache.org/licenses/LICENSE-2.0'

const THEMES = ['system', 'light', 'dark'] as const

const OPEN_GRAPH_LOCALES: { readonly [Each in Locale]: string } = {
  en: 'en_US',
  th: 'th_TH',
  'zh-CN': 'zh_CN',
}

/** The picture for links to a page: the card of the page or of its parent, else the logo. */
function socialImage(context: PageContext, page: Page, groups: PageGroups): Html {
  const { facts, content } = context
  const pages = groups.flatMap((group) => group.pages)
  const card = cardOf(context, pages.find(({ path }) => path === page.parent) ?? page)
  const name = cardName(card)
  if (page.noIndex !== true && facts.hasCard(name)) {
    const { width, height } = CARD_SIZE
    return html`<meta property="og:image" content="${facts.ownOrigin}${cardPath(name)}" />
      <meta property="og:image:type" content="image/png" />
      <meta property="og:image:width" content="${width}" />
      <meta property="og:image:height" content="${height}" />
      <meta property="og:image:alt" content="${card.title}. ${card.heading}" />
      <meta name="twitter:card" content="summary_large_image" />`
  }
  const logo = content.organization?.logo
  const address = logo && facts.ownOrigin + facts.assetPath(logoFile(logo))
  return html`${address && html`<meta property="og:image" content="${address}" /> `}<meta
      name="twitter:card"
      content="summary"
    />`
}

function head(context: PageContext, page: Page, groups: PageGroups): Html {
  const { locale, texts, facts, content } = context
  const { origin } = facts
  const { accentColor } = content.organization ?? {}
  const name = siteName(context)
  const title = page.path === '' ? name : `${page.title(texts)} · ${name}`
  const description = page.description(texts, facts)
  const address = origin + pathOfPage(locale, page.path)
  const feeds = [...(page.feeds ?? []), 'feed' as const]
  const styles = ['style.css', ...(accentColor === undefined ? [] : [ACCENT_FILE])]
  const scripts = [
    'site.js',
    ...(facts.copy ? ['copy-page.js'] : []),
    ...(page.scripts?.(context) ?? []),
  ]
  const icon = iconOf(content.organization)
  const isIndexed = page.noIndex !== true && facts.languages.includes(locale)
  return html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <meta name="description" content="${description}" />
    <meta name="color-scheme" content="light dark" />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content="${name}" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${description}" />
    <meta property="og:locale" content="${OPEN_GRAPH_LOCALES[locale]}" />
    ${page.noIndex !== true && html`<meta property="og:url" content="${address}" />`}
    ${socialImage(context, page, groups)}
    <link rel="icon" href="${facts.assetPath(icon.file)}" type="${icon.mediaType}" />
    ${
      isIndexed
        ? html`<link rel="canonical" href="${address}" /> ${alternatesOf(facts, page.path).map(
              ([language, path]) =>
                html`<link rel="alternate" hreflang="${language}" href="${origin}${path}" /> `,
            )}`
        : html`<meta name="robots" content="noindex" /> `
    }${
      page.noIndex !== true &&
      html`<link
        rel="alternate"
        type="${MARKDOWN_TYPE}"
        href="${markdownPath(pathOfPage(locale, page.path))}"
      /> `
    }${feeds.map((feed) =>
      FEED_FORMATS.map(({ format, mediaType }) => {
        const path = feedPath(locale, format, feed)
        const { title: of } = feedTexts(context, feed)
        return html`<link rel="alternate" type="${mediaType}" title="${of}" href="${path}" /> `
      }),
    )}
    <script src="${facts.assetPath('theme.js')}"></script>
    ${styles.map(
      (file) => html`<link rel="stylesheet" href="${facts.assetPath(file)}" /> `,
    )}${scripts.map(
      (file) => html`<script type="module" src="${facts.assetPath(file)}"></script> `,
    )}
  </head>`
}

function languageSwitch({ locale: current, texts, facts }: PageContext, page: Page) {
  const { languages } = facts
  if (languages.every((locale) => locale === current)) return undefined
  // An unindexed page has no counterpart in other locales.
  const path = page.noIndex === true && page.isGone !== true ? '' : page.path
  return html`<nav class="languages small" aria-label="${texts.site.languages}">
    <ul class="row">
      ${languages.map((locale) => {
        const name = TEXTS[locale].site.language
        const address = pathOfPage(locale, path)
        return locale === current
          ? html`<li><span lang="${locale}" aria-current="true">${name}</span></li> `
          : html`<li><a href="${address}" lang="${locale}" hreflang="${locale}">${name}</a></li> `
      })}
    </ul>
  </nav>`
}

/** Ids of the popovers that replace navigation and contents on narrow screens. They need no script. */
const PAGES_ID = 'pages-menu'
const CONTENTS_ID = 'contents-menu'

function closeButton(texts: Texts, id: string): Html {
  return html`<button type="button" class="close" popovertarget="${id}" popovertargetaction="hide">
    ${texts.site.close}
  </button>`
}

const shared = new WeakMap<SiteFacts, Map<string, Html>>()

/** Markup that pages of a site share, made for the first of them. */
function sharedPart(
  context: PageContext,
  name: string,
  make: (context: PageContext) => Html,
): Html {
  const { facts, locale } = context
  const parts = shared.get(facts) ?? new Map<string, Html>()
  shared.set(facts, parts)
  const part = parts.get(locale + name) ?? make(context)
  parts.set(locale + name, part)
  return part
}

function navigation(
  { locale, texts, facts }: PageContext,
  { path: currentPath, mark }: { readonly path: string; readonly mark: 'page' | 'true' },
  groups: PageGroups,
): Html {
  const listed = ({ path, title }: Page): Html =>
    pageLink(pathOfPage(locale, path), title(texts), path === currentPath && mark)
  return html`<button type="button" class="menu" popovertarget="${PAGES_ID}">
      ${texts.site.pages}
    </button>
    <nav class="pages" id="${PAGES_ID}" aria-label="${texts.site.pages}" popover>
      ${groups.map(
        ({ name, pages }) =>
          html`<div class="group">
            <p class="group-name" id="pages-${name}">${texts.site.groups[name]}</p>
            <ul class="row" aria-labelledby="pages-${name}">
              ${pages
                .filter((page) => page.parent === undefined && isListed(page, facts))
                .map((page) => html`<li>${listed(page)}</li> `)}
            </ul>
          </div> `,
      )}
      ${closeButton(texts, PAGES_ID)}
    </nav>`
}

function brand(context: PageContext): Html {
  const { locale, content, facts } = context
  const logo = content.organization?.logo
  const width = logo && Math.round((logo.width / logo.height) * 32)
  // The name follows the logo: a screen reader would read it twice.
  const name = siteName(context)
  const image =
    logo === undefined
      ? html`<img src="${facts.assetPath(ICON_FILE)}" alt="" width="28" height="28" />`
      : html`<img
          src="${facts.assetPath(logoFile(logo))}"
          alt="${logo.alt === name ? '' : logo.alt}"
          width="${width}"
          height="32"
        />`
  return html`<p class="name">
    <a href="${pathOfPage(locale, '')}">${image} <bdi>${name}</bdi></a>
  </p>`
}

/** Opens the search. Without scripts it is hidden; the navigation names every page. */
function searchButton({ texts, facts }: PageContext): Html {
  const script = facts.assetPath('search.js')
  return html`<button
    type="button"
    class="search-open"
    data-search="${script}"
    aria-keyshortcuts="Control+K Meta+K"
  >
    ${texts.search.open}
  </button>`
}

function searchDialog({ locale, texts }: PageContext): Html {
  const { label, loading, found, none, failed } = texts.search
  return html`<dialog
    class="search"
    id="search"
    aria-labelledby="search-label"
    data-index="${searchIndexPath(locale)}"
    data-events="${searchIndexPath(locale, 'events')}"
    data-found="${found}"
    data-none="${none}"
    data-failed="${failed}"
    data-loading="${loading}"
  >
    <div class="search-form" role="search">
      <p class="field">
        <label for="search-input" id="search-label">${label}</label>
        <input
          id="search-input"
          type="text"
          enterkeyhint="search"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          maxlength="100"
        />
      </p>
      <button type="button" class="close">${texts.site.close}</button>
    </div>
    <p class="muted small" role="status"></p>
    <ol class="plain-list entries stacked"></ol>
  </dialog>`
}

/** The choice of light or dark. The script theme.js remembers it; without scripts it is hidden, and the system decides. */
function themeChoice({ site: { theme } }: Texts): Html {
  return html`<p class="theme small">
    <label for="theme">${theme.label}</label>
    <select id="theme">
      ${THEMES.map((each) => html`<option value="${each}">${theme[each]}</option>`)}
    </select>
  </p>`
}

/**
 * The version that a page was built from. In a copy, the page of a version says nothing newer, so that it never changes, and
 * a page of events names the version that last changed any.
 */
export function builtFrom({ facts }: PageContext, page: Page) {
  return (facts.copy && (page.version ?? (page.isOfEvents && facts.eventsHead))) || facts.head
}

/** What a page of a copy is a copy of, and as of when. */
export function copySentence(context: PageContext, page: Page): Html {
  const { locale, texts, facts } = context
  const { origin } = facts
  const service = link(origin + pathOfPage(locale, page.path), origin)
  const { createdAt } = builtFrom(context, page)
  const values = { origin: service, time: momentHtml(locale, createdAt) }
  return richText(texts.site.staticCopy.notice, values)
}

/** About the longest of what the script usually writes into the notice: its lines are kept free. */
function longestNotice({ locale, texts: { site }, facts }: PageContext): Html {
  const { short, proven, notPinned, current, unreachable } = site.staticCopy
  const age = formatAgo(locale, 59 * 60_000)
  const [origin = ''] = [current, unreachable].toSorted((a, b) => b.length - a.length)
  const parts = [short, proven, ...(facts.keyId === undefined ? [notPinned] : []), origin]
  // As wide as any version: the newest one would change the page of each older version.
  return html`${plainText(parts.join(' '), { origin: facts.origin, age, version: 'VS-0000' })}`
}

/** Says above a page of a copy what it is, and as of when; the script writes what `now.json` proves of it instead. */
function copyNotice(context: PageContext, page: Page): Html {
  const { texts, facts } = context
  const { origin, keyId } = facts
  const { notice: _, ...ofScript } = texts.site.staticCopy
  const { snapshotId } = builtFrom(context, page)
  const longest = sharedPart(context, 'longest', longestNotice)
  return html`<aside
    class="copy"
    id="copy"
    data-origin="${origin}"
    data-key-id="${keyId ?? ''}"
    data-version="${snapshotId}"
    ${page.version !== undefined && html`data-of-version`}
    ${page.isOfEvents && html`data-of-events`}
  >
    <p class="reserved" role="status" data-longest="${longest}">
      <span>${copySentence(context, page)}</span>
    </p>
    ${sharedPart(context, 'copy', () => scriptTexts('copy', ofScript))}
  </aside>`
}

/** Makes links to what a copy does not have lead to the service. */
function linkedToService(markup: string, { copy, origin }: PageContext['facts']): string {
  if (copy === undefined) return markup
  return markup.replaceAll(/ (href|src|action)="(\/[^"/][^"]*)"/g, (whole, name, path: string) =>
    copy.isMissing(path) ? ` ${name}="${origin}${path}"` : whole,
  )
}

/** The resources that the page shows, each with the digest that a verified response of the API must have. */
function shownResources({ facts, content }: PageContext): Html | false {
  const { copy } = facts
  const { resources } = facts.head
  const shown = [...content.shown].flatMap((name) => {
    const digest = resources[name]
    return digest === undefined ? [] : [{ name, digest }]
  })
  return (
    shown.length > 0 &&
    html`${shown.map(({ name, digest }) => {
      // A copy has the data and not the response.
      const path = copy === undefined ? `${BASE_PATH}/${name}` : archivePath(name, digest)
      return html`<a href="${path}" data-resource="${name}" data-digest="${digest}"
        >${code(name)}</a
      > `
    })}`
  )
}

/** The version that the page was built from and where to verify it, and links. */
function footer(context: PageContext, page: Page): Html {
  const { locale, texts, facts, content } = context
  const shown = shownResources(context)
  const { checkThis, footer: t } = texts.site
  const { keyId } = facts
  const { snapshotId, hash, createdAt } = builtFrom(context, page)
  const { organization } = content
  const { email, url } = organization?.contact ?? {}
  const contact = url ?? (email === undefined ? facts.contact : `mailto:${email}`)
  return html`<footer class="site muted small">
    <section class="provenance" aria-labelledby="provenance-title">
      <h2 id="provenance-title" class="small">${t.provenance}</h2>
      <dl class="row">
        <div>
          <dt>${t.version}</dt>
          <dd>${link(pathOfPage(locale, `history/${snapshotId}`), code(snapshotId))}</dd>
        </div>
        ${
          // The script replaces it above the page.
          facts.copy &&
          html`<div>
            <dt>${texts.history.published}</dt>
            <dd>${momentHtml(locale, createdAt)}</dd>
          </div>`
        }
        <div>
          <dt>${t.hash}</dt>
          <dd><code>${hash.slice(0, SHOWN_HASH_CHARACTERS)}</code></dd>
        </div>
        ${
          shown &&
          html`<div>
            <dt>${t.shown}</dt>
            <dd>${shown}</dd>
          </div>`
        }
        <div>
          <dt>${t.key}</dt>
          <dd>${keyId === undefined ? t.unsigned : code(keyId)}</dd>
        </div>
      </dl>
      <p>${link(verifyPath(locale, [...content.shown]), checkThis)}</p>
    </section>
    <nav aria-label="${t.links}">
      <ul class="row">
        ${organization && html`<li>${link(organization.url, organization.name)}</li> `}${(
          organization?.links ?? []
        ).map((each) => html`<li>${link(each.url, operatorText(content, each.title))}</li> `)}${
          contact !== undefined && html`<li>${link(contact, t.contact)}</li> `
        }
        <li>${link(feedPath(locale, 'atom'), t.feed)}</li>
        <li>${link(READ_PATHS.index, t.api)}</li>
        <li>${link(pathOfPage(locale, 'privacy'), texts.privacy.title)}</li>
        ${organization === undefined && html`<li>${link(LICENSE_URL, t.license)}</li>`}
      </ul>
    </nav>
    ${themeChoice(texts)}
  </footer>`
}

/** The content of a page without its header, rail and footer. Its late parts are not made yet. */
export function pageContent({ main, sections = [], after }: PageBody): Html {
  return html`${main}${sections.map((section) => section && pageSection(...section))}${after}`
}

/** A page in turns of the event loop. The footer is its last part, because it names what the others showed. */
export async function renderPage(
  context: PageContext,
  page: Page,
  groups: PageGroups,
): Promise<string> {
  const { locale, texts, content } = context
  const { site } = texts
  await ownTurn()
  const body = page.body(context)
  const { rail: ownRail } = body
  const sections = (body.sections ?? []).filter(
    (section) => section !== undefined && section !== false,
  )
  const listed = bulletList(sections.map(([id, title]) => link(`#${id}`, title)))
  const open =
    page.parent === undefined
      ? { path: page.path, mark: 'page' as const }
      : { path: page.parent, mark: 'true' as const }
  const rail = ownRail ?? (sections.length > 0 && { title: site.contents, content: listed })
  const markup = html`<html lang="${locale}">
    ${() => head(context, page, groups)}
    <body data-not-copied="${site.notCopied}" data-link-copied="${site.linkCopied}">
      <a class="skip" href="#main">${site.skip}</a>
      <header class="site">
        ${() => [brand(context), ' ', languageSwitch(context, page), ' ', searchButton(context)]}
        ${() => sharedPart(context, `${open.mark} ${open.path}`, () => navigation(context, open, groups))}
      </header>
      ${context.facts.copy && copyNotice(context, page)}
      ${
        content.organization === undefined &&
        html`<aside class="demonstration muted small">${site.demonstration}</aside>`
      }
      <div class="columns">
        ${
          rail &&
          html`<nav class="contents" id="${CONTENTS_ID}" aria-label="${rail.title}" popover>
            ${rail.content} ${closeButton(texts, CONTENTS_ID)}
          </nav>`
        }
        <main id="main">
          ${
            rail &&
            html`<button type="button" class="contents-button" popovertarget="${CONTENTS_ID}">
              ${rail.title}
            </button>`
          }${pageContent(body)}
        </main>
      </div>
      ${() => footer(context, page)} ${() => sharedPart(context, 'search', searchDialog)}
      <p class="announcement small" role="status" id="announcement"></p>
    </body>
  </html> `
  let text = '<!DOCTYPE html>\n'
  await writeInTurns(markup, (piece) => {
    text += piece
  })
  return linkedToService(text, context.facts)
}
