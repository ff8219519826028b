import { html } from './html.ts'
import type { Page } from './page.ts'

/** What this is, how it is doing and how to check it. */
export const OVERVIEW_PAGE: Page = {
  path: '',
  title: (texts) => texts.overview.title,
  description: (texts) => texts.overview.description,
  body: ({ texts }) => ({ main: html`<h1>${texts.overview.title}</h1>` }),
}
