import { LINKS } from '@public-api/contract/registry/endpoints'
import { TAGS } from '@public-api/contract/terms/endpoint-terms'
import { groupPath, pathOfPage } from '../addresses.ts'
import { factList, link, pageSection } from '../markup/elements.ts'
import { code, html, type Html } from '../markup/html.ts'
import { plainText, richText } from '../markup/rich-text.ts'
import { type Page, type PageContext } from '../page.ts'
import { contractText } from '../texts/contract-texts.ts'
import { aboutSections } from './reference-about.ts'
import { endpointEntry, firstRequest } from './reference-endpoint.ts'
import { endpointsOf, REFERENCE_TAGS, referenceRail } from './reference-rail.ts'
import { tryForm, tryOpener } from './reference-try.ts'

/** The groups, each with its number of endpoints and what it is for. The rail lists the endpoints themselves. */
function groupList({ locale, texts, facts }: PageContext): Html {
  return factList(
    REFERENCE_TAGS.flatMap((tag) => {
      const { length } = endpointsOf(facts.registry, tag)
      if (length === 0 || facts.isLeftOut(groupPath(tag))) return []
      const group = link(pathOfPage(locale, groupPath(tag)), texts.reference.tags[tag])
      const count = html`<span class="muted"
        >(${new Intl.NumberFormat(locale).format(length)})</span
      >`
      return [[html`${group} ${count}`, contractText(locale, TAGS[tag])] as const]
    }),
  )
}

/** The first request, the groups of endpoints, and what applies to all of them. */
export const REFERENCE_PAGE: Page = {
  path: 'reference',
  title: (texts) => texts.reference.title,
  description: (texts) => texts.reference.description,
  scripts: () => ['reference-page.js'],
  body(context) {
    const { locale, texts, facts } = context
    const { reference: t } = texts
    const { status } = facts.registry
    return {
      rail: referenceRail(context, 'reference'),
      main: html`<h1>${t.title}</h1>
        <p class="lead">${t.intro}</p>
        ${status !== undefined && firstRequest(context, 'status', status)}
        <p>
          ${richText(t.first.clients, {
            javascript: code('packages/client'),
            python: code('clients/python'),
            go: code('clients/go'),
            verify: link(pathOfPage(locale, 'verify'), texts.verify.title),
          })}
        </p>
        <p>
          ${richText(t.forPrograms, {
            openapi: link(LINKS.openapi, t.openapiDocument),
            policy: link(LINKS.policy, t.policyDocument),
          })}
        </p>
        ${pageSection('endpoints', t.endpoints, groupList(context))} ${() => aboutSections(context)}
        ${() => tryForm(context)} ${status !== undefined && tryOpener(context)}`,
    }
  },
}

/** The endpoints of the reference, one page per tag: a single page would be too large for phones. */
export const REFERENCE_GROUP_PAGES: readonly Page[] = REFERENCE_TAGS.map((tag) => ({
  path: groupPath(tag),
  parent: 'reference',
  title: ({ reference }) => `${reference.tags[tag]} · API`,
  description: ({ reference: t }) => plainText(t.groupDescription, { group: t.tags[tag] }),
  scripts: ({ facts }) => [
    'reference-page.js',
    ...(endpointsOf(facts.registry, tag).some(([, { request }]) => request !== undefined)
      ? ['challenge-token.js']
      : []),
  ],
  isListed: ({ registry }) => endpointsOf(registry, tag).length > 0,
  body(context) {
    const { locale, texts, facts } = context
    const t = texts.reference
    return {
      rail: referenceRail(context, groupPath(tag)),
      main: html`<p class="eyebrow">${link(pathOfPage(locale, 'reference'), t.title)}</p>
        <h1>${t.tags[tag]}</h1>
        <p class="lead">${contractText(locale, TAGS[tag])}</p>
        ${endpointsOf(facts.registry, tag).map(
          ([name, row]) =>
            () =>
              endpointEntry(context, name, row),
        )}
        ${tryOpener(context)}`,
    }
  },
}))
