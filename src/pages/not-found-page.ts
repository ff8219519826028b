import { html } from './html.ts'
import type { Page } from './page.ts'

/** What stands at an address below a locale that is no page. It is in no list and no index. */
export const NOT_FOUND_PAGE: Page = {
  path: '404',
  isUnlisted: true,
  title: (texts) => texts.notFound.title,
  description: (texts) => texts.notFound.text,
  body: ({ texts }) => ({
    main: html`<h1>${texts.notFound.title}</h1>
      <p>${texts.notFound.text}</p>`,
  }),
}
