import type { FeedName } from '../delivery/feed-names.ts'
import { feedPath } from '../delivery/feeds.ts'
import { link } from '../markup/elements.ts'
import { html, type Html } from '../markup/html.ts'
import { richText } from '../markup/rich-text.ts'
import type { PageContext } from '../page.ts'

/** Where to subscribe to what the page shows. */
export function feedLinks({ locale, texts }: PageContext, name: FeedName): Html {
  const atom = link(feedPath(locale, 'atom', name), 'Atom')
  const json = link(feedPath(locale, 'json', name), 'JSON Feed')
  return html`<p class="small">${richText(texts.site.feeds, { atom, json })}</p>`
}
