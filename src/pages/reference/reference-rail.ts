import { BASE_PATH } from '@public-api/contract/registry/api-version'
import { TAGS } from '@public-api/contract/registry/endpoint-terms'
import type { Endpoint, Registry } from '@public-api/contract/registry/endpoints'
import { link, listFilter } from '../markup/elements.ts'
import { html, type Html } from '../markup/html.ts'
import { endpointPath, groupPath, type PageContext, pathOfPage } from '../page.ts'
import { referenceIndexPath } from './reference-index.ts'

export type Tag = keyof typeof TAGS

export const REFERENCE_TAGS = Object.keys(TAGS) as readonly Tag[]

/** The rows of a tag that this runtime serves. */
export function endpointsOf(
  registry: Registry,
  tag: Tag,
): readonly (readonly [name: string, row: Endpoint])[] {
  return Object.entries(registry).filter(([, row]) => row.tag === tag)
}

/** The method as a badge; its text and color distinguish reads from writes. */
export function methodBadge(method: string): Html {
  return html`<span class="method method-${method.toLowerCase()}">${method}</span>`
}

/** A link to the entry of an endpoint, with its path below the base path. */
export function endpointLink({ locale }: PageContext, name: string, row: Endpoint): Html {
  const path = row.path.slice(BASE_PATH.length) || '/'
  // A parameter is not broken.
  const [fixed, parameter] = path.split(/(?=\{)/)
  const shown =
    parameter === undefined ? fixed : html`${fixed}<wbr /><span class="whole">${parameter}</span>`
  return link(
    endpointPath(locale, name, row),
    html`${methodBadge(row.method)} <code>${shown}</code>`,
  )
}

/** Every endpoint by group, with a filter. The page with this path is marked. */
export function referenceRail(context: PageContext, currentPath: string) {
  const { locale, texts, facts } = context
  const { reference: t } = texts
  const pageLink = (path: string, title: string): Html => {
    const mark = path === currentPath && html` aria-current="page"`
    return html`<a href="${pathOfPage(locale, path)}" ${mark}>${title}</a>`
  }
  const listed = REFERENCE_TAGS.filter((tag) => !facts.isLeftOut(groupPath(tag)))
  const groups = listed.map((tag) => ({ tag, endpoints: endpointsOf(facts.registry, tag) }))
  const content = html`<div class="rail">
    ${listFilter(texts, 'rail-filter', t.filter, '.rail li', referenceIndexPath(locale))}
    <p>${pageLink('reference', t.basics)}</p>
    ${groups.map(
      ({ tag, endpoints }) =>
        endpoints.length > 0 &&
        html`<div class="rail-group">
          <p>${pageLink(groupPath(tag), t.tags[tag])}</p>
          <ul>
            ${endpoints.map(([name, row]) => html`<li>${endpointLink(context, name, row)}</li> `)}
          </ul>
        </div> `,
    )}
  </div>`
  return { title: t.endpoints, content }
}
