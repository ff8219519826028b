import { CHANGELOG_KINDS, type SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { anchor, link } from '../markup/elements.ts'
import { code, html, type Html, type HtmlValue } from '../markup/html.ts'
import { newestShown, type ShownLimits } from '../markup/newest-shown.ts'
import { operatorText, plainText, richText } from '../markup/rich-text.ts'
import { endpointPath, type Page, type PageContext, type PageSection } from '../page.ts'
import { languageNote, notShown, snapshotContent } from '../snapshots/snapshot-sections.ts'
import { labelFor } from '../texts/enum-labels.ts'
import { dayHtml } from '../texts/moments.ts'
import { feedLinks } from './feed-links.ts'

type Change = SnapshotData<'changelog'>['unreleased'][number]

/** Number of releases on the page, and of changes in each. */
const SHOWN_RELEASES: ShownLimits = { items: 20, bytes: 40_000 }
const SHOWN_CHANGES: ShownLimits = { items: 50, bytes: 12_000 }

/** Method and path of an endpoint, linked to the reference if this runtime serves it. */
function endpointLink({ locale, facts }: PageContext, endpoint: string): Html {
  const found = Object.entries(facts.registry).find(
    ([, { method, path }]) => `${method} ${path}` === endpoint,
  )
  return found === undefined ? code(endpoint) : link(endpointPath(locale, ...found), code(endpoint))
}

function changeItem(context: PageContext, change: Change): Html {
  const { locale, texts, content } = context
  const { text, endpoints, sunsetOn, replacement } = change
  const t = texts.changelog
  return html`<li>
    <p>${operatorText(content, text)}</p>
    ${sunsetOn && html`<p>${richText(t.sunset, { date: dayHtml(locale, sunsetOn) })}</p>`}
    ${
      replacement &&
      html`<p>${richText(t.replacement, { endpoint: endpointLink(context, replacement) })}</p>`
    }
    ${
      endpoints &&
      html`<ul class="plain-list links small" aria-label="${t.endpoints}">
        ${endpoints.map((endpoint) => html`<li>${endpointLink(context, endpoint)}</li> `)}
      </ul>`
    }
  </li> `
}

const UNRELEASED_ID = 'unreleased'
const releaseId = (version: string): string => `v${version}`

/** Changes by kind, in the order of the schema. */
function changesByKind(
  context: PageContext,
  section: string,
  changes: readonly Change[],
): HtmlValue {
  const { texts } = context
  const byKind = CHANGELOG_KINDS.flatMap((kind) => changes.filter((change) => change.kind === kind))
  const { shown, left } = newestShown(byKind, SHOWN_CHANGES, (change) =>
    changeItem(context, change),
  )
  return [
    ...CHANGELOG_KINDS.map((kind) => {
      const ofKind = shown.filter((_, index) => byKind[index]?.kind === kind)
      if (ofKind.length === 0) return undefined
      const id = `${section}-${kind}`
      return html`<h3 id="${id}">${anchor(id, labelFor(texts, 'changelogKind', kind))}</h3>
        <ul class="entries">
          ${ofKind}
        </ul> `
    }),
    notShown(context, 'changelog', texts.changelog.moreChanges, left),
  ]
}

/** Changes of the API for its callers. */
export const CHANGELOG_PAGE: Page = {
  path: 'changelog',
  feed: 'changelog',
  title: (texts) => texts.changelog.title,
  description: (texts) => texts.changelog.description,
  body(context) {
    const { locale, texts, content } = context
    const t = texts.changelog
    const changelog = content.snapshot('changelog')
    const main = html`<h1>${t.title}</h1>
      ${feedLinks(context, 'changelog')}${languageNote(context, 'changelog')}
      ${snapshotContent(context, 'changelog', () => undefined)}`
    if (changelog === undefined) return { main }
    const { unreleased, releases } = changelog
    const { shown, left } = newestShown(
      releases,
      SHOWN_RELEASES,
      ({ version, date, summary, changes }) =>
        html`<p class="muted">${richText(t.released, { date: dayHtml(locale, date) })}</p>
          ${summary !== undefined && html`<p>${operatorText(content, summary)}</p>`}
          ${changesByKind(context, releaseId(version), changes)}`,
    )
    const newest =
      unreleased.length === 0
        ? html`<p class="muted">${t.nothingUnreleased}</p>`
        : changesByKind(context, UNRELEASED_ID, unreleased)
    return {
      main,
      sections: [
        [UNRELEASED_ID, t.unreleased, newest],
        ...shown.map((release, index): PageSection => {
          const version = releases[index]?.version ?? ''
          return [releaseId(version), plainText(t.release, { version }), release]
        }),
      ],
      after: [
        releases.length === 0 && html`<p class="muted">${t.noReleases}</p>`,
        notShown(context, 'changelog', t.older, left),
      ],
    }
  },
}
