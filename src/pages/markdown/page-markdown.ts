import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { pageContent } from '../layout.ts'
import { factList, link } from '../markup/elements.ts'
import { code, html, type Html } from '../markup/html.ts'
import { markdownPath, type Page, type PageContext, pathOfPage } from '../page.ts'
import { parseMarkup } from './page-tree.ts'
import { type ResolveLink, writeMarkdown } from './write-markdown.ts'

/** The command that checks that the service signed the version of a page. */
function verifyCommand({ facts }: PageContext): string | undefined {
  const { origin, keyId, head } = facts
  const address = `${origin}${READ_PATHS.versions}/${head.snapshotId}`
  return keyId && `npx @public-api/cli verify ${address} --pin ${keyId}`
}

/** The version that the page was made from, and how to verify it. */
function provenance(context: PageContext, address: string): Html {
  const { locale, texts, facts } = context
  const { footer: t, checkThis } = texts.site
  const { snapshotId, hash } = facts.head
  const command = verifyCommand(context)
  return html`<h2>${t.provenance}</h2>
    ${factList([
      [t.version, link(pathOfPage(locale, `history/${snapshotId}`), code(snapshotId))],
      [t.hash, code(hash)],
      [t.key, facts.keyId === undefined ? t.unsigned : code(facts.keyId)],
      [checkThis, command && code(command)],
      ['HTML', link(address, address)],
    ])}`
}

/** A page in Markdown: the same content as its HTML, and at the end where it comes from. */
export function renderMarkdown(
  context: PageContext,
  page: Page,
  isPagePath: (path: string) => boolean,
): string {
  const { locale, facts } = context
  const path = pathOfPage(locale, page.path)
  const address = facts.origin + path
  /** Links lead to Markdown. A place on the same page has no address there. */
  const resolve: ResolveLink = (href) => {
    if (href.startsWith('#')) return null
    const target = URL.parse(href, address)
    if (target?.origin === facts.origin && isPagePath(target.pathname)) {
      target.pathname = markdownPath(target.pathname)
    }
    return target
  }
  const body = writeMarkdown(parseMarkup(pageContent(page.body(context)).text), resolve)
  const end = writeMarkdown(parseMarkup(provenance(context, address).text), (href) =>
    href === address ? new URL(href) : resolve(href),
  )
  return `${body}\n${end}`
}
