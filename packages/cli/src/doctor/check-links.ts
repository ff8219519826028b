import { ENDPOINTS, LINKS } from '@public-api/contract/registry/endpoints'
import { HEADERS } from '@public-api/contract/terms/headers'
import type { Check } from './check.ts'

/** Relations on the base path with their targets (RFC 8631). */
const RELATIONS: { readonly [relation: string]: string } = {
  'service-desc': LINKS.openapi,
  'service-doc': LINKS.docs,
  'service-meta': LINKS.policy,
  status: ENDPOINTS.status.path,
}
const PAGES: readonly string[] = [LINKS.docs]

/** Targets by relation in a Link field (RFC 8288 3). */
function parseLinks(value: string): ReadonlyMap<string, string> {
  const links = new Map<string, string>()
  for (const [, target = '', parameters = ''] of value.matchAll(/<([^>]*)>([^<]*)/g)) {
    const relations = /;\s*rel="?([^";,]+)"?/.exec(parameters)?.[1] ?? ''
    for (const relation of relations.split(' ')) links.set(relation, target)
  }
  return links
}

/** Checks the links of the index and that linked pages exist. */
export const checkLinks: Check = async ({ of, probe }, report) => {
  const where = `GET ${ENDPOINTS.index.path}`
  const index = of(ENDPOINTS.index.path)
  if (index?.isAsPromised === true) {
    const links = parseLinks(index.response.field(HEADERS.link) ?? '')
    const missing = Object.entries(RELATIONS)
      .filter(([relation, target]) => links.get(relation) !== target)
      .map(([relation]) => relation)
    if (missing.length > 0) report('link-missing', where, `no ${missing.join(', no ')}`)
  }
  for (const target of PAGES) {
    const { status, field } = await probe.ask({ method: 'GET', target })
    const type = field(HEADERS.contentType) ?? 'no type'
    if (status !== 200 || !type.startsWith('text/html')) {
      report('link-broken', `GET ${target}`, `status ${status}, ${type}`)
    }
  }
  return undefined
}
