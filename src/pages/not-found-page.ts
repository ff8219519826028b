import { bulletList, link } from './markup/elements.ts'
import { html } from './markup/html.ts'
import { sentencesHtml } from './markup/rich-text.ts'
import { type Page, pathOfPage } from './page.ts'

/** The page for unknown paths below a locale. It is not listed and not indexed. */
export const NOT_FOUND_PAGE: Page = {
  path: '404',
  noIndex: true,
  title: (texts) => texts.notFound.title,
  description: (texts) => texts.notFound.text,
  body: ({ locale, texts }) => ({
    main: html`<h1>${texts.notFound.title}</h1>
      <p>${sentencesHtml(locale, [texts.notFound.text, texts.notFound.help])}</p>
      ${bulletList([
        link(pathOfPage(locale, ''), texts.overview.title),
        link(pathOfPage(locale, 'reference'), texts.reference.title),
        link(pathOfPage(locale, 'history'), texts.history.title),
      ])}`,
  }),
}
