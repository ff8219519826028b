import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { badgePath, calendarPath, componentFeed, feedPath, pathOfPage } from '../addresses.ts'
import { badgeLayout } from '../files/status-badge.ts'
import { codeBox, factList, link, pageSection } from '../markup/elements.ts'
import { code, html, type Html } from '../markup/html.ts'
import { codesHtml, operatorText, richText } from '../markup/rich-text.ts'
import { type PageContext } from '../page.ts'

/** Names that are the same in every language. */
const SLACK = 'Slack'
const TEAMS = 'Microsoft Teams'
const DISCORD = 'Discord'
const ATOM = 'Atom'
const JSON_FEED = 'JSON Feed'

/** The feeds of the status, its calendar and its badge, and how chat channels and mail readers take them. */
export function subscribeSection(
  context: PageContext,
  { components }: SnapshotData<'status'>,
): Html {
  const { locale, texts, content } = context
  const { ownOrigin } = context.facts
  const t = texts.status.subscribe
  const atom = feedPath(locale, 'atom', 'status')
  const json = feedPath(locale, 'json', 'status')
  const calendar = calendarPath(locale)
  const badge = badgePath(locale)
  const { width, height } = badgeLayout(context)
  const address = code(ownOrigin + atom)
  const image = `<a href="${ownOrigin}${pathOfPage(locale, 'status')}"><img src="${ownOrigin}${badge}" alt="${texts.status.title}"></a>`
  return pageSection(
    'subscribe',
    t.heading,
    html`<p>${t.text} ${t.noMail}</p>
      ${factList([
        [
          t.feeds,
          html`<p>${link(atom, ATOM)} · ${link(json, JSON_FEED)}</p>
            <details>
              <summary>${t.componentFeeds}</summary>
              <ul class="plain-list">
                ${components.map(({ id, name }) => {
                  const feed = componentFeed(id)
                  return html`<li>
                    ${operatorText(content, name)}: ${link(feedPath(locale, 'atom', feed), ATOM)} ·
                    ${link(feedPath(locale, 'json', feed), JSON_FEED)} ·
                    ${link(calendarPath(locale, id), t.calendar)}
                  </li> `
                })}
              </ul>
            </details>`,
        ],
        [
          t.calendar,
          html`<p>${link(calendar, code(ownOrigin + calendar))}</p>
            <p>${t.calendarHow}</p>`,
        ],
      ])}
      <details>
        <summary>${codesHtml(locale, [SLACK, TEAMS, DISCORD, t.mail])}</summary>
        ${factList([
          [SLACK, html`${t.slackHow} ${code(`/feed subscribe ${ownOrigin}${atom}`)}`],
          [TEAMS, richText(t.teamsHow, { address })],
          [DISCORD, richText(t.discordHow, { address })],
          [t.mail, richText(t.mailHow, { address })],
        ])}
      </details>
      <details>
        <summary>${t.badge}</summary>
        <p>
          <img src="${badge}" alt="${texts.status.title}" width="${width}" height="${height}" />
        </p>
        ${codeBox(texts, 'badge-code', t.badge, image)}
      </details>`,
  )
}
