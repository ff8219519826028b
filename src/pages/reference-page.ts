import { TAGS } from '../contract/endpoint-terms.ts'
import { LINKS } from '../contract/endpoints.ts'
import { contractText } from './contract-texts.ts'
import { pageSection } from './elements.ts'
import { html, type Html } from './html.ts'
import { type Page, type PageContext, pathOfPage } from './page.ts'
import { aboutSections } from './reference-about.ts'
import { groupPath } from './reference-path.ts'
import {
  endpointLink,
  endpointsOf,
  REFERENCE_TAGS,
  referenceRail,
  type Tag,
} from './reference-rail.ts'
import { richText } from './rich-text.ts'

function groupCard(context: PageContext, tag: Tag): Html | undefined {
  const { locale, texts, facts } = context
  const endpoints = endpointsOf(facts.registry, tag)
  if (endpoints.length === 0) return undefined
  return html`<section class="group" aria-labelledby="tag-${tag}">
    <h3 id="tag-${tag}">
      <a href="${pathOfPage(locale, groupPath(tag))}">${texts.reference.tags[tag]}</a>
    </h3>
    <p>${contractText(locale, TAGS[tag])}</p>
    <ul class="plain-list endpoint-list">
      ${endpoints.map(
        ([name, row]) =>
          html`<li id="${name}">
            ${endpointLink(context, name, row)}
            <span>${contractText(locale, row.summary)}</span>
          </li> `,
      )}
    </ul>
  </section> `
}

/** Sections that apply to all endpoints, and links to each endpoint. */
export const REFERENCE_PAGE: Page = {
  path: 'reference',
  title: (texts) => texts.reference.title,
  description: (texts) => texts.reference.description,
  body(context) {
    const { reference: t } = context.texts
    const link = (path: string, text: string): Html => html`<a href="${path}">${text}</a>`
    return {
      rail: referenceRail(context, 'reference'),
      main: html`<h1>${t.title}</h1>
        <p class="lead">${t.intro}</p>
        <p>
          ${richText(t.forPrograms, {
            openapi: link(LINKS.openapi, t.openapiDocument),
            policy: link(LINKS.policy, t.policyDocument),
          })}
        </p>
        ${pageSection(
          'endpoints',
          t.endpoints,
          REFERENCE_TAGS.map((tag) => groupCard(context, tag)),
        )}
        ${aboutSections(context)}`,
    }
  },
}
