import { LOCALES, type Locale } from '../contract/locales.ts'
import { READ_PATHS } from '../contract/read-paths.ts'
import { html, type Html } from './html.ts'
import { pathOfPage, type ContentsEntry, type Page, type PageContext } from './page.ts'
import { richText, sentencesHtml } from './rich-text.ts'
import { TEXTS, type Texts } from './texts.ts'

/** Characters of a version's hash that the line of its making shows. */
const SHOWN_HASH_CHARACTERS = 12

/** The script and the style sheet of every page. */
const SITE_SCRIPT = 'site.js'
const SITE_STYLE = 'style.css'

function placeLinks(origin: string, current: Locale, { path, noIndex }: Page): Html {
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

function head({ locale, texts, facts }: PageContext, page: Page): Html {
  const { origin } = facts
  const { name } = texts.site
  const title = page.path === '' ? name : `${page.title(texts)} · ${name}`
  return html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <meta name="description" content="${page.description(texts, facts)}" />
    <meta name="color-scheme" content="light dark" />
    <link rel="icon" href="${facts.assetPath('favicon.svg')}" type="image/svg+xml" />
    ${placeLinks(origin, locale, page)}${[SITE_STYLE, ...(page.styles ?? [])].map(
      (file) => html`<link rel="stylesheet" href="${facts.assetPath(file)}" /> `,
    )}${[SITE_SCRIPT, ...(page.scripts ?? [])].map(
      (file) => html`<script type="module" src="${facts.assetPath(file)}"></script> `,
    )}
  </head>`
}

function languageSwitch(current: Locale, texts: Texts, page: Page): Html {
  // A page that is no place has no counterpart to keep.
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

/** The groups of the navigation and the paths in each; a page that none of them names stands in the last. */
const GROUPS = [
  {
    name: 'record',
    paths: ['', 'status', 'roadmap', 'changelog', 'architecture', 'wallet', 'history'],
  },
  { name: 'api', paths: ['reference', 'errors', 'verify'] },
  { name: 'takePart', paths: ['early-access', 'privacy'] },
] as const satisfies readonly { name: keyof Texts['site']['groups']; paths: readonly string[] }[]

/** Pages by group, each group in the order of the table; a group without pages is left out. */
function groupedPages(pages: readonly Page[]) {
  const groupOf = ({ path }: Page) =>
    GROUPS.find(({ paths }) => paths.some((each) => each === path))?.name ?? GROUPS.at(-1)?.name
  return GROUPS.map(({ name }) => ({
    name,
    pages: pages.filter((page) => groupOf(page) === name),
  })).filter((group) => group.pages.length > 0)
}

/** Where a part of the page is a popover on narrow screens: the button that opens it needs no script. */
const PAGES_ID = 'pages-menu'
const CONTENTS_ID = 'contents-menu'

function closeButton(texts: Texts, id: string): Html {
  return html`<button type="button" class="close" popovertarget="${id}" popovertargetaction="hide">
    ${texts.site.close}
  </button>`
}

function navigation({ locale, texts }: PageContext, current: Page, pages: readonly Page[]): Html {
  return html`<button type="button" class="menu" popovertarget="${PAGES_ID}">
      ${texts.site.pages}
    </button>
    <nav class="pages" id="${PAGES_ID}" aria-label="${texts.site.pages}" popover>
      ${groupedPages(pages).map(
        (group) =>
          html`<div class="group">
            <p class="group-name" id="pages-${group.name}">${texts.site.groups[group.name]}</p>
            <ul aria-labelledby="pages-${group.name}">
              ${group.pages.map((page) => {
                const mark = page.path === current.path ? html` aria-current="page"` : undefined
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

function contentsRail(texts: Texts, contents: readonly ContentsEntry[]): Html {
  return html`<nav class="contents" id="${CONTENTS_ID}" aria-label="${texts.site.contents}" popover>
    <ul>
      ${contents.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li> `)}
    </ul>
    ${closeButton(texts, CONTENTS_ID)}
  </nav>`
}

function contentsButton(texts: Texts): Html {
  return html`<button type="button" class="contents-button" popovertarget="${CONTENTS_ID}">
    ${texts.site.contents}
  </button>`
}

/** The line every page ends with: what it was made from, and where that can be checked. */
function provenance({ locale, texts, facts }: PageContext): Html {
  const { head: version, keyId } = facts
  const text = keyId === undefined ? texts.site.provenanceUnsigned : texts.site.provenance
  return html`<p class="provenance">
    ${sentencesHtml(locale, [
      richText(text, {
        version: html`<a href="${READ_PATHS.version}"><code>${version.snapshotId}</code></a>`,
        hash: html`<code>${version.hash.slice(0, SHOWN_HASH_CHARACTERS)}</code>`,
        key: html`<code>${keyId ?? ''}</code>`,
      }),
      html`<a href="${pathOfPage(locale, 'history')}">${texts.site.checkThis}</a>`,
    ])}
  </p>`
}

/** A whole page as it is sent. */
export function renderPage(context: PageContext, page: Page, pages: readonly Page[]): string {
  const { locale, texts } = context
  const { main, contents: listed } = page.body(context)
  // A list of nothing is no list: of a damaged changelog there are no releases to lead to.
  const contents = listed?.length === 0 ? undefined : listed
  const { text } = html`<html lang="${locale}">
    ${head(context, page)}
    <body data-own-time="${texts.site.ownTime}" data-not-copied="${texts.site.notCopied}">
      <a class="skip" href="#main">${texts.site.skip}</a>
      <header class="site">
        <p class="name"><a href="${pathOfPage(locale, '')}">${texts.site.name}</a></p>
        ${languageSwitch(locale, texts, page)} ${navigation(context, page, pages)}
      </header>
      <div class="columns">
        ${contents === undefined ? undefined : contentsRail(texts, contents)}
        <main id="main">${contents === undefined ? undefined : contentsButton(texts)}${main}</main>
      </div>
      <footer class="site">${provenance(context)}</footer>
      <p class="announcement" role="status" id="announcement"></p>
    </body>
  </html> `
  return `<!DOCTYPE html>\n${text}`
}
