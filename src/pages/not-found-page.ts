import { nearestName } from '@public-api/contract/text/nearest-name'
import { pathOfPage } from './addresses.ts'
import { bulletList, link } from './markup/elements.ts'
import { html } from './markup/html.ts'
import { richText, sentencesHtml } from './markup/rich-text.ts'
import { type Page } from './page.ts'
import type { Texts } from './texts/texts.ts'

/** Longer paths are compared with the beginnings of pages only: comparing by letters takes time. */
const MAX_COMPARED = 24
/** The fewest letters that are the beginning of a page's name. */
const MIN_BEGINNING = 3

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/**
 * The page that an unknown path below a locale probably means, by the paths of the pages and their titles: the most
 * similar one, else one within which it lies or whose beginning it is; undefined without one.
 */
export function nearestPage(path: string, pages: readonly Page[], texts: Texts): Page | undefined {
  const wanted = decoded(path).toLowerCase()
  // Of two pages with one name, that with the path.
  const byName = new Map([
    ...pages.map((page) => [page.path.slice(page.path.lastIndexOf('/') + 1), page] as const),
    ...pages.map((page) => [page.title(texts).toLowerCase(), page] as const),
    ...pages.map((page) => [page.path, page] as const),
  ])
  byName.delete('')
  const names = [...byName.keys()].toSorted((a, b) => b.length - a.length)
  const name =
    (wanted.length > MAX_COMPARED ? undefined : nearestName(wanted, names)) ??
    names.find((each) => wanted.startsWith(each)) ??
    (wanted.length < MIN_BEGINNING ? undefined : names.find((each) => each.startsWith(wanted)))
  return name === undefined ? undefined : byName.get(name)
}

/**
 * The page for unknown paths below a locale, with a link to the page that was probably meant. It is not listed and not
 * indexed, and shows nothing of the request.
 */
export function notFoundPage(near: Page | undefined): Page {
  return {
    path: '404',
    noIndex: true,
    title: (texts) => texts.notFound.title,
    description: (texts) => texts.notFound.text,
    body: ({ locale, texts }) => ({
      main: html`<h1>${texts.notFound.title}</h1>
        ${
          near &&
          html`<p class="lead">
            ${richText(texts.notFound.near, { page: link(pathOfPage(locale, near.path), near.title(texts)) })}
          </p>`
        }
        <p>${sentencesHtml(locale, [texts.notFound.text, texts.notFound.help])}</p>
        ${bulletList([
          html`<button type="button" class="search-here needs-script" data-browser>
            ${texts.search.label}
          </button>`,
          link(pathOfPage(locale, ''), texts.overview.title),
          link(pathOfPage(locale, 'status'), texts.status.title),
          link(pathOfPage(locale, 'reference'), texts.reference.title),
          link(pathOfPage(locale, 'history'), texts.history.title),
        ])}`,
    }),
  }
}
