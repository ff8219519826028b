import { anchor } from '../markup/elements.ts'
import { html, type Html } from '../markup/html.ts'
import { newestShown, type ShownLimits } from '../markup/newest-shown.ts'
import { linkedText } from '../markup/rich-text.ts'
import type { PageContext } from '../page.ts'
import { momentHtml } from '../texts/moments.ts'
import { notShown } from './snapshot-sections.ts'

/** The newest updates of an incident or a maintenance. */
export function eventUpdates<State extends string>(
  context: PageContext,
  updates: readonly { readonly at: string; readonly state: State; readonly text: string }[],
  limits: ShownLimits,
  badgeOf: (state: State) => Html,
): Html {
  const { locale, texts, content } = context
  const { shown, left } = newestShown(
    updates,
    limits,
    ({ at, state, text }) =>
      html`<dt>${momentHtml(locale, at)}</dt>
        <dd>
          ${badgeOf(state)}
          <p>${linkedText(content, text)}</p>
        </dd> `,
  )
  return html`<h2 id="updates">${anchor('updates', texts.status.updates)}</h2>
    <dl class="facts">${shown}</dl>
    ${notShown(context, 'status', texts.status.olderUpdates, left)}`
}
