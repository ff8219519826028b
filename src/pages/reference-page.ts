import { TAGS } from '../contract/endpoint-terms.ts'
import { LINKS } from '../contract/links.ts'
import { contractText } from './contract-texts.ts'
import { html, type Html } from './html.ts'
import type { ContentsEntry, Page, PageContext } from './page.ts'
import { richText } from './rich-text.ts'
import { aboutSections } from './reference-about.ts'
import { endpointEntry, endpointLink, type NamedEndpoint } from './reference-endpoint.ts'
import { tryTemplates } from './reference-try.ts'

/** Id of the list of all endpoints. */
const LIST_ID = 'endpoints'

/** Endpoints of one tag. */
interface Group {
  readonly id: string
  readonly title: string
  readonly meaning: string
  readonly endpoints: readonly NamedEndpoint[]
}

/** The rows that this runtime serves, by tag in the order of the tags; a tag without rows is left out. */
function groupsOf({ texts, facts }: PageContext): readonly Group[] {
  const endpoints = Object.entries(facts.registry).map(([name, row]) => ({ name, row }))
  const tags = Object.keys(TAGS) as (keyof typeof TAGS)[]
  return tags
    .map((tag) => ({
      id: `tag-${tag}`,
      title: texts.reference.tags[tag],
      meaning: TAGS[tag],
      endpoints: endpoints.filter(({ row }) => row.tag === tag),
    }))
    .filter((group) => group.endpoints.length > 0)
}

function listOf({ texts }: PageContext, groups: readonly Group[]): Html {
  return html`<section aria-labelledby="${LIST_ID}">
    <h2 id="${LIST_ID}">${texts.reference.endpoints}</h2>
    <ul class="endpoint-list">
      ${groups.flatMap(({ endpoints }) => endpoints.map(endpointLink))}
    </ul>
  </section>`
}

function groupSection(context: PageContext, { id, title, meaning, endpoints }: Group): Html {
  return html`<section class="group" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    <p class="lead">${contractText(context.locale, meaning)}</p>
    ${endpoints.map((each) => endpointEntry(context, each))}
  </section> `
}

/** Every endpoint that this deployment serves, with a form that asks it and checks the answer. */
export const REFERENCE_PAGE: Page = {
  path: 'reference',
  title: (texts) => texts.reference.title,
  description: (texts) => texts.reference.description,
  scripts: ['reference-page.js'],
  body(context) {
    const { reference: t } = context.texts
    const about = aboutSections(context)
    const groups = groupsOf(context)
    const link = (path: string, text: string): Html => html`<a href="${path}">${text}</a>`
    const contents: readonly ContentsEntry[] = [
      { id: LIST_ID, title: t.endpoints },
      ...about.contents,
      ...groups.map(({ id, title }) => ({ id, title })),
    ]
    return {
      contents,
      main: html`<h1>${t.title}</h1>
        <p class="lead">${t.intro}</p>
        <p>
          ${richText(t.forPrograms, {
            openapi: link(LINKS.openapi, t.openapiDocument),
            policy: link(LINKS.policy, t.policyDocument),
          })}
        </p>
        ${listOf(context, groups)} ${about.sections}
        ${groups.map((group) => groupSection(context, group))}${tryTemplates(context)}`,
    }
  },
}
