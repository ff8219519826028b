import { CHANGELOG_KINDS } from '../contract/snapshot-changelog.ts'
import type { SnapshotData } from '../contract/snapshot-schemas.ts'
import { html, type Html } from './html.ts'
import { dayHtml } from './moments.ts'
import { pathOfPage, type ContentsEntry, type Page, type PageContext } from './page.ts'
import { inEnglish, phrase, plainPhrase } from './phrase.ts'
import { fromSnapshot, languageNote, snapshotHead } from './snapshot-parts.ts'
import { wordFor } from './words.ts'

type Changelog = SnapshotData<'changelog'>
type Change = Changelog['unreleased'][number]

const UNRELEASED_ID = 'unreleased'

const releaseId = (version: string): string => `v${version}`

/** Method and path of an endpoint, leading to the reference where this runtime serves it. */
function endpointLink({ locale, facts }: PageContext, endpoint: string): Html {
  const found = Object.entries(facts.registry).find(
    ([, { method, path }]) => `${method} ${path}` === endpoint,
  )
  const code = html`<code>${endpoint}</code>`
  return found === undefined
    ? code
    : html`<a href="${pathOfPage(locale, 'reference')}#${found[0]}">${code}</a>`
}

function changeItem(context: PageContext, change: Change): Html {
  const { locale, texts } = context
  const { text, endpoints, sunsetOn, replacement } = change
  const t = texts.changelog
  return html`<li>
    <p>${inEnglish(locale, text)}</p>
    ${
      sunsetOn !== undefined &&
      html`<p>${phrase(t.sunset, { date: dayHtml(locale, sunsetOn) })}</p>`
    }
    ${
      replacement !== undefined &&
      html`<p>${phrase(t.replacement, { endpoint: endpointLink(context, replacement) })}</p>`
    }
    ${
      endpoints !== undefined &&
      html`<ul class="plain-list links small" aria-label="${t.endpoints}">
        ${endpoints.map((endpoint) => html`<li>${endpointLink(context, endpoint)}</li> `)}
      </ul>`
    }
  </li> `
}

/** Changes by kind, the kinds in the order of the schema. */
function changesByKind(context: PageContext, changes: readonly Change[]): readonly Html[] {
  return CHANGELOG_KINDS.flatMap((kind) => {
    const shown = changes.filter((change) => change.kind === kind)
    if (shown.length === 0) return []
    return [
      html`<h3>${wordFor(context.texts, 'changelogKind', kind)}</h3>
        <ul class="entries">
          ${shown.map((change) => changeItem(context, change))}
        </ul> `,
    ]
  })
}

function changelogSections(context: PageContext, changelog: Changelog): Html {
  const { locale, texts } = context
  const t = texts.changelog
  const { unreleased, releases } = changelog
  return html`${snapshotHead(context, 'changelog', changelog)}
    <section>
      <h2 id="${UNRELEASED_ID}">${t.unreleased}</h2>
      ${
        unreleased.length === 0
          ? html`<p class="muted">${t.nothingUnreleased}</p>`
          : changesByKind(context, unreleased)
      }
    </section>
    ${releases.length === 0 && html`<p class="muted">${t.noReleases}</p>`}
    ${releases.map(
      ({ version, date, summary, changes }) =>
        html`<section>
          <h2 id="${releaseId(version)}">${plainPhrase(t.release, { version })}</h2>
          <p class="muted">${phrase(t.released, { date: dayHtml(locale, date) })}</p>
          ${summary !== undefined && html`<p>${inEnglish(locale, summary)}</p>`}
          ${changesByKind(context, changes)}
        </section> `,
    )}`
}

function contentsOf({ texts, facts }: PageContext): readonly ContentsEntry[] {
  const changelog = facts.snapshot('changelog')
  if (changelog === undefined) return []
  return [
    { id: UNRELEASED_ID, title: texts.changelog.unreleased },
    ...changelog.releases.map(({ version }) => ({
      id: releaseId(version),
      title: plainPhrase(texts.changelog.release, { version }),
    })),
  ]
}

/** What changed for callers of the API. */
export const CHANGELOG_PAGE: Page = {
  path: 'changelog',
  title: (texts) => texts.changelog.title,
  description: (texts) => texts.changelog.description,
  body(context) {
    return {
      main: html`<h1>${context.texts.changelog.title}</h1>
        ${languageNote(context)}
        ${fromSnapshot(context, 'changelog', (changelog) => changelogSections(context, changelog))}`,
      contents: contentsOf(context),
    }
  },
}
