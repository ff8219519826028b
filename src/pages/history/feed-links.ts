import { type FeedName, feedPath } from '../delivery/feeds.ts'
import { link } from '../markup/elements.ts'
import { html, type Html } from '../markup/html.ts'
import type { PageContext } from '../page.ts'

/** Where to subscribe to what the page shows. */
export function feedLinks({ locale, texts }: PageContext, name: FeedName): Html {
  return html`<p class="small">
    ${texts.status.subscribe.feeds}: ${link(feedPath(locale, 'atom', name), 'Atom')} ·
    ${link(feedPath(locale, 'json', name), 'JSON Feed')}
  </p>`
}
