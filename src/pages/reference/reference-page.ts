import { LINKS } from '@public-api/contract/registry/endpoints'
import { TAGS } from '@public-api/contract/terms/endpoint-terms'
import { groupPath, pathOfPage } from '../addresses.ts'
import { link, pageSection } from '../markup/elements.ts'
import { html, type Html } from '../markup/html.ts'
import { plainText, richText } from '../markup/rich-text.ts'
import { type Page, type PageContext } from '../page.ts'
import { contractText } from '../texts/contract-texts.ts'
import { aboutSections } from './reference-about.ts'
import { endpointEntry, firstRequest } from './reference-endpoint.ts'
import {
  endpointLink,
  endpointsOf,
  REFERENCE_TAGS,
  referenceRail,
  type Tag,
} from './reference-rail.ts'
import { tryForm, tryOpener } from './reference-try.ts'

function groupCard(context: PageContext, tag: Tag): Html | undefined {
  const { locale, texts, facts } = context
  const endpoints = endpointsOf(facts.registry, tag)
  if (endpoints.length === 0 || facts.isLeftOut(groupPath(tag))) return undefined
  return html`<section class="group" aria-labelledby="tag-${tag}">
    <h3 id="tag-${tag}">${link(pathOfPage(locale, groupPath(tag)), texts.reference.tags[tag])}</h3>
    <p>${contractText(locale, TAGS[tag])}</p>
    <ul class="plain-list endpoint-list full">
      ${endpoints.map(
        ([name, row]) =>
          html`<li id="${name}">
            ${endpointLink(context, name, row)}
            <span class="muted small">${contractText(locale, row.summary)}</span>
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
  scripts: () => ['reference-page.js'],
  body(context) {
    const { reference: t } = context.texts
    const { status } = context.facts.registry
    const cards = REFERENCE_TAGS.map((tag) => groupCard(context, tag))
    return {
      rail: referenceRail(context, 'reference'),
      main: html`<h1>${t.title}</h1>
        <p class="lead">${t.intro}</p>
        ${status !== undefined && firstRequest(context, 'status', status)}
        <p>
          ${richText(t.forPrograms, {
            openapi: link(LINKS.openapi, t.openapiDocument),
            policy: link(LINKS.policy, t.policyDocument),
          })}
        </p>
        ${pageSection('endpoints', t.endpoints, cards)} ${aboutSections(context)}
        ${tryForm(context)} ${status !== undefined && tryOpener(context)}`,
    }
  },
}

/** The endpoints of the reference, one page per tag: a single page would be too large for phones. */
export const REFERENCE_GROUP_PAGES: readonly Page[] = REFERENCE_TAGS.map((tag) => ({
  path: groupPath(tag),
  parent: 'reference',
  title: ({ reference }) => `${reference.tags[tag]} · API`,
  description: ({ reference: t }) => plainText(t.groupDescription, { group: t.tags[tag] }),
  scripts: () => ['reference-page.js'],
  isListed: ({ registry }) => endpointsOf(registry, tag).length > 0,
  body(context) {
    const { locale, texts, facts } = context
    const t = texts.reference
    return {
      rail: referenceRail(context, groupPath(tag)),
      main: html`<p class="eyebrow">${link(pathOfPage(locale, 'reference'), t.title)}</p>
        <h1>${t.tags[tag]}</h1>
        <p class="lead">${contractText(locale, TAGS[tag])}</p>
        ${endpointsOf(facts.registry, tag).map(([name, row]) => endpointEntry(context, name, row))}
        ${tryOpener(context)}`,
    }
  },
}))
