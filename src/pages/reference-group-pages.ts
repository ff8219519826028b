import { TAGS } from '../contract/endpoint-terms.ts'
import { contractText } from './contract-texts.ts'
import { html } from './html.ts'
import { type Page, pathOfPage } from './page.ts'
import { endpointEntry } from './reference-endpoint.ts'
import { groupPath } from './reference-path.ts'
import { endpointsOf, REFERENCE_TAGS, referenceRail, type Tag } from './reference-rail.ts'
import { tryTemplates } from './reference-try.ts'
import { plainText } from './rich-text.ts'

function groupPage(tag: Tag): Page {
  return {
    path: groupPath(tag),
    parent: 'reference',
    title: ({ reference }) => `${reference.tags[tag]} · API`,
    description: ({ reference }) =>
      plainText(reference.groupDescription, { group: reference.tags[tag] }),
    scripts: ['reference-page.js'],
    isListed: ({ registry }) => endpointsOf(registry, tag).length > 0,
    body(context) {
      const { locale, texts, facts } = context
      const t = texts.reference
      return {
        rail: referenceRail(context, groupPath(tag)),
        main: html`<p class="eyebrow">
            <a href="${pathOfPage(locale, 'reference')}">${t.title}</a>
          </p>
          <h1>${t.tags[tag]}</h1>
          <p class="lead">${contractText(locale, TAGS[tag])}</p>
          ${endpointsOf(facts.registry, tag).map(([name, row]) => endpointEntry(context, name, row))}
          ${tryTemplates(context)}`,
      }
    },
  }
}

/** The endpoints of the reference, one page per tag: a single page would be too large for phones. */
export const REFERENCE_GROUP_PAGES: readonly Page[] = REFERENCE_TAGS.map(groupPage)
