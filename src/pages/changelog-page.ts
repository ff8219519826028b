import { CHANGELOG_KINDS } from '../contract/snapshot-changelog.ts'
import type { SnapshotData } from '../contract/snapshot-schemas.ts'
import { code, html, type Html, type HtmlValue } from './html.ts'
import { pageSection } from './page-section.ts'
import { dayHtml } from './moments.ts'
import { newestShown, type ShownLimits, type ShownPart } from './newest-shown.ts'
import type { Page, PageContext } from './page.ts'
import { endpointPath } from './reference-path.ts'
import { operatorText, plainText, richText } from './rich-text.ts'
import { fromSnapshot, languageNote, notShown, snapshotHead } from './snapshot-sections.ts'
import { labelFor } from './enum-labels.ts'

type Changelog = SnapshotData<'changelog'>
type Change = Changelog['unreleased'][number]

type Release = Changelog['releases'][number]

/** Number of releases on the page, and of changes in each. */
const SHOWN_RELEASES: ShownLimits = { items: 20, bytes: 40_000 }
const SHOWN_CHANGES: ShownLimits = { items: 50, bytes: 12_000 }

const UNRELEASED_ID = 'unreleased'

const releaseId = (version: string): string => `v${version}`

/** Method and path of an endpoint, linked to the reference if this runtime serves it. */
function endpointLink({ locale, facts }: PageContext, endpoint: string): Html {
  const found = Object.entries(facts.registry).find(
    ([, { method, path }]) => `${method} ${path}` === endpoint,
  )
  return found === undefined
    ? code(endpoint)
    : html`<a href="${endpointPath(locale, ...found)}">${code(endpoint)}</a>`
}

function changeItem(context: PageContext, change: Change): Html {
  const { locale, texts, content } = context
  const { text, endpoints, sunsetOn, replacement } = change
  const t = texts.changelog
  return html`<li>
    <p>${operatorText(content, text)}</p>
    ${
      sunsetOn !== undefined &&
      html`<p>${richText(t.sunset, { date: dayHtml(locale, sunsetOn) })}</p>`
    }
    ${
      replacement !== undefined &&
      html`<p>${richText(t.replacement, { endpoint: endpointLink(context, replacement) })}</p>`
    }
    ${
      endpoints !== undefined &&
      html`<ul class="plain-list links small" aria-label="${t.endpoints}">
        ${endpoints.map((endpoint) => html`<li>${endpointLink(context, endpoint)}</li> `)}
      </ul>`
    }
  </li> `
}

/** Changes by kind, in the order of the schema. */
function changesByKind(context: PageContext, changes: readonly Change[]): HtmlValue {
  const { moreChanges } = context.texts.changelog
  const byKind = CHANGELOG_KINDS.flatMap((kind) => changes.filter((change) => change.kind === kind))
  const { shown, left } = newestShown(byKind, SHOWN_CHANGES, (change) =>
    changeItem(context, change),
  )
  return [
    ...CHANGELOG_KINDS.map((kind) => {
      const ofKind = shown.filter((_, index) => byKind[index]?.kind === kind)
      if (ofKind.length === 0) return undefined
      return html`<h3>${labelFor(context.texts, 'changelogKind', kind)}</h3>
        <ul class="entries">
          ${ofKind}
        </ul> `
    }),
    notShown(context, 'changelog', moreChanges, left),
  ]
}

function releaseSection(context: PageContext, release: Release): Html {
  const { locale, texts, content } = context
  const { version, date, summary, changes } = release
  const t = texts.changelog
  return pageSection(
    releaseId(version),
    plainText(t.release, { version }),
    html`<p class="muted">${richText(t.released, { date: dayHtml(locale, date) })}</p>
      ${summary !== undefined && html`<p>${operatorText(content, summary)}</p>`}
      ${changesByKind(context, changes)}`,
  )
}

function changelogSections(
  context: PageContext,
  changelog: Changelog,
  { shown, left }: ShownPart,
): Html {
  const t = context.texts.changelog
  const { unreleased, releases } = changelog
  return html`${snapshotHead(context, 'changelog', changelog)}
  ${pageSection(
    UNRELEASED_ID,
    t.unreleased,
    unreleased.length === 0
      ? html`<p class="muted">${t.nothingUnreleased}</p>`
      : changesByKind(context, unreleased),
  )}
  ${releases.length === 0 && html`<p class="muted">${t.noReleases}</p>`} ${shown}
  ${notShown(context, 'changelog', t.older, left)}`
}

function contentsOf({ texts }: PageContext, releases: readonly Release[]) {
  const { unreleased, release } = texts.changelog
  return [
    { id: UNRELEASED_ID, title: unreleased },
    ...releases.map(({ version }) => ({
      id: releaseId(version),
      title: plainText(release, { version }),
    })),
  ]
}

/** Changes of the API for its callers. */
export const CHANGELOG_PAGE: Page = {
  path: 'changelog',
  title: (texts) => texts.changelog.title,
  description: (texts) => texts.changelog.description,
  body(context) {
    const releases = context.content.snapshot('changelog')?.releases
    const part = newestShown(releases ?? [], SHOWN_RELEASES, (release) =>
      releaseSection(context, release),
    )
    return {
      main: html`<h1>${context.texts.changelog.title}</h1>
        ${languageNote(context, 'changelog')}
        ${fromSnapshot(context, 'changelog', (changelog) => changelogSections(context, changelog, part))}`,
      contents:
        releases === undefined ? [] : contentsOf(context, releases.slice(0, part.shown.length)),
    }
  },
}
