import type { Endpoint, Registry } from '@public-api/contract/registry/endpoints'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { TAGS } from '@public-api/contract/terms/endpoint-terms'
import { endpointPath, groupPath, pathOfPage } from '../addresses.ts'
import { bulletList, link, listFilter, pageLink } from '../markup/elements.ts'
import { codeParts, html, type Html } from '../markup/html.ts'
import { type PageContext } from '../page.ts'
import { referenceIndexPath } from './reference-index.ts'

type Tag = keyof typeof TAGS

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
  const color = method === 'GET' ? '' : ` method-${method.toLowerCase()}`
  return html`<span class="method${color}">${method}</span>`
}

/** A link to the entry of an endpoint, with its path below the base path. */
function endpointLink({ locale }: PageContext, name: string, row: Endpoint): Html {
  const path = row.path.slice(BASE_PATH.length) || '/'
  return link(
    endpointPath(locale, name, row),
    html`${methodBadge(row.method)} <code>${codeParts(path)}</code>`,
  )
}

/** Every endpoint by group, with a filter. The page with this path is marked. */
export function referenceRail(context: PageContext, currentPath: string) {
  const { locale, texts, facts } = context
  const { reference: t } = texts
  const linkTo = (path: string, title: string): Html =>
    pageLink(pathOfPage(locale, path), title, path === currentPath && 'page')
  const listed = REFERENCE_TAGS.filter((tag) => !facts.isLeftOut(groupPath(tag)))
  const groups = listed.map((tag) => {
    const endpoints = endpointsOf(facts.registry, tag)
    if (endpoints.length === 0) return undefined
    const title = html`<p>${linkTo(groupPath(tag), t.tags[tag])}</p>`
    const links = endpoints.map(([name, row]) => endpointLink(context, name, row))
    return html`<div class="rail-group">${title}${bulletList(links)}</div> `
  })
  const content = html`<div class="rail small">
    ${listFilter(texts, 'rail-filter', t.filter, '.rail li', referenceIndexPath(locale))}
    <p>${linkTo('reference', t.basics)}</p>
    ${groups}
  </div>`
  return { title: t.endpoints, content }
}
