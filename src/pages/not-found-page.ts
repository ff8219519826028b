import { html } from './html.ts'
import { pathOfPage, type Page } from './page.ts'
import { sentencesHtml } from './rich-text.ts'

/** What stands at an address below a locale that is no page. It is in no list and no index. */
export const NOT_FOUND_PAGE: Page = {
  path: '404',
  noIndex: true,
  title: (texts) => texts.notFound.title,
  description: (texts) => texts.notFound.text,
  body: ({ locale, texts }) => ({
    main: html`<h1>${texts.notFound.title}</h1>
      <p>${sentencesHtml(locale, [texts.notFound.text, texts.notFound.help])}</p>
      <ul>
        <li><a href="${pathOfPage(locale, '')}">${texts.overview.title}</a></li>
        <li><a href="${pathOfPage(locale, 'reference')}">${texts.reference.title}</a></li>
        <li><a href="${pathOfPage(locale, 'history')}">${texts.history.title}</a></li>
      </ul>`,
  }),
}
