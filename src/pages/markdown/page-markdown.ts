import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { markdownPath, pathOfPage } from '../addresses.ts'
import { builtFrom, copySentence } from '../layout.ts'
import { factList, link } from '../markup/elements.ts'
import { code, html, type Html, type HtmlValue } from '../markup/html.ts'
import { ownTurn } from '../markup/turns.ts'
import { type Page, type PageContext } from '../page.ts'
import { contentTree, parseMarkup } from './page-tree.ts'
import { type ResolveLink, writeMarkdown } from './write-markdown.ts'

/** How to verify what a page shows: a command for each of its resources, or the page with curl and openssl. */
function verification(context: PageContext, page: Page): readonly HtmlValue[] {
  const { locale, texts, facts, content } = context
  const { origin, keyId, commands } = facts
  if (keyId === undefined) return []
  if (commands === undefined) {
    return [link(`${pathOfPage(locale, 'verify')}#curl`, texts.verify.curlTitle)]
  }
  const names =
    content.shown.size > 0
      ? [...content.shown]
      : [`versions/${builtFrom(context, page).snapshotId}`]
  return names.map((name) =>
    code(`${commands} verify ${origin}${BASE_PATH}/${name} --pin ${keyId}`),
  )
}

/** The version that the page was made from, and how to verify it. */
function provenance(context: PageContext, page: Page, address: string): Html {
  const { locale, texts, facts } = context
  const { footer: t, checkThis } = texts.site
  const { snapshotId, hash } = builtFrom(context, page)
  return html`<h2>${t.provenance}</h2>
    ${factList([
      [t.version, link(pathOfPage(locale, `history/${snapshotId}`), code(snapshotId))],
      [t.hash, code(hash)],
      [t.key, facts.keyId === undefined ? t.unsigned : code(facts.keyId)],
      ...verification(context, page).map((how) => [checkThis, how] as const),
      ['HTML', link(address, address)],
    ])}`
}

/** A page in Markdown: the same content as its HTML, and at the end where it comes from. */
export async function renderMarkdown(
  context: PageContext,
  page: Page,
  isPagePath: (path: string) => boolean,
): Promise<string> {
  // The import of this module had a turn.
  await ownTurn()
  const { locale, facts } = context
  const { origin, ownOrigin, copy } = facts
  const path = pathOfPage(locale, page.path)
  const address = ownOrigin + path
  /** Links lead to Markdown. A place on the same page has no address there. */
  const resolve: ResolveLink = (href) => {
    if (href.startsWith('#')) return null
    const target = URL.parse(href, address)
    if (target?.origin !== ownOrigin) return target
    if (copy?.isMissing(target.pathname) === true) return URL.parse(href, origin)
    if (isPagePath(target.pathname)) target.pathname = markdownPath(target.pathname)
    return target
  }
  const notice = copy && html`<p>${copySentence(context, page)}</p>`.text
  const above = notice === undefined ? '' : `${writeMarkdown(parseMarkup(notice), resolve)}\n`
  const body = writeMarkdown(await contentTree(page.body(context)), resolve)
  const end = writeMarkdown(parseMarkup(provenance(context, page, address).text), (href) =>
    href === address ? new URL(href) : resolve(href),
  )
  return `${above}${body}\n${end}`
}
