import { CHANGELOG_KINDS, type SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { endpointPath, pathOfPage } from '../addresses.ts'
import { feedLinks } from '../files/feeds.ts'
import { anchor, link } from '../markup/elements.ts'
import { code, html, type Html, type HtmlValue } from '../markup/html.ts'
import { newestShown, type ShownLimits } from '../markup/newest-shown.ts'
import { operatorText, plainText, richText } from '../markup/rich-text.ts'
import { type Page, type PageContext, type PageSection } from '../page.ts'
import { languageNote, notShown, snapshotContent } from '../snapshots/snapshot-sections.ts'
import { labelFor } from '../texts/enum-labels.ts'
import { dayHtml } from '../texts/moments.ts'

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
      return html`<div class="kind-changes">
        <h3 id="${id}">${anchor(id, labelFor(texts, 'changelogKind', kind))}</h3>
        <ul class="entries">
          ${ofKind}
        </ul>
      </div> `
    }),
    notShown(context, 'changelog', texts.changelog.moreChanges, left),
  ]
}

/** Number of versions in which the page looks for the first one with a release. */
const SEARCHED_VERSIONS = 50

/** The version that first published each release. Not of releases that are older than the searched versions. */
function versionsOfReleases({ facts }: PageContext): ReadonlyMap<string, string> {
  const versions = new Map<string, string>()
  let oldest: readonly string[] = []
  for (const { snapshotId, changes, resources } of facts.newestVersions(SEARCHED_VERSIONS)) {
    const digest = resources['changelog']
    if (digest === undefined || !changes.some(({ resource }) => resource === 'changelog')) continue
    const data = facts.archived('changelog', digest) as SnapshotData<'changelog'> | undefined
    oldest = data?.releases.map(({ version }) => version) ?? []
    for (const release of oldest) versions.set(release, snapshotId)
  }
  if (facts.versionCount > SEARCHED_VERSIONS) for (const each of oldest) versions.delete(each)
  return versions
}

/** Changes of the API for its callers. */
export const CHANGELOG_PAGE: Page = {
  path: 'changelog',
  feeds: ['changelog'],
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
    const versions = versionsOfReleases(context)
    const versionLink = (release: string): HtmlValue => {
      const id = versions.get(release)
      return id !== undefined && [' · ', link(pathOfPage(locale, `history/${id}`), code(id))]
    }
    const { shown, left } = newestShown(
      releases,
      SHOWN_RELEASES,
      ({ version, date, summary, changes }) =>
        html`<p class="muted">
            ${richText(t.released, { date: dayHtml(locale, date) })}${versionLink(version)}
          </p>
          ${summary !== undefined && html`<p>${operatorText(content, summary)}</p>`}
          ${changesByKind(context, releaseId(version), changes)}`,
    )
    return {
      main,
      sections: [
        unreleased.length > 0 && [
          UNRELEASED_ID,
          t.unreleased,
          changesByKind(context, UNRELEASED_ID, unreleased),
        ],
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
