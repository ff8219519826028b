import { LINKS } from '@public-api/contract/registry/endpoints'
import { HEADERS } from '@public-api/contract/terms/headers'
import type { Check } from './check.ts'

const ROBOTS = { method: 'GET', target: '/robots.txt' }
const WHERE = `${ROBOTS.method} ${ROBOTS.target}`

/** Whether a robots file disallows everything for every crawler (RFC 9309). */
function disallowsAll(text: string): boolean {
  const groups = text.toLowerCase().split(/^user-agent:/m)
  const forAll = groups.filter((group) => group.trimStart().startsWith('*'))
  return forAll.some((group) => /^disallow:[ \t]*\/[ \t]*$/m.test(group))
}

/** Checks what search engines receive. Without --deployment, robots.txt decides which deployment it is. */
export const checkIndexing: Check = async ({ observed, probe }, report, { deployment }) => {
  const robots = await probe.ask(ROBOTS)
  const isFile =
    robots.status === 200 && (robots.field(HEADERS.contentType) ?? '').startsWith('text/plain')
  if (!isFile) {
    const type = robots.field(HEADERS.contentType) ?? 'no type'
    report('robots-txt', WHERE, `status ${robots.status}, ${type}`)
  }
  const isClosed = disallowsAll(new TextDecoder().decode(robots.body))
  const expected = deployment ?? (isClosed ? 'preview' : 'primary')
  if (isFile && isClosed !== (expected === 'preview')) {
    report(
      'robots-txt',
      WHERE,
      isClosed ? 'everything is disallowed' : 'not everything is disallowed',
    )
  }
  const page = await probe.ask({ method: 'GET', target: LINKS.docs })
  const places = [
    { where: WHERE, response: robots },
    { where: `GET ${LINKS.docs}`, response: page },
    ...observed.filter(({ isAsPromised }) => isAsPromised),
  ]
  for (const { where, response } of places) {
    const tag = response.field(HEADERS.robotsTag)
    const isHidden = tag !== undefined && /\b(?:noindex|none)\b/i.test(tag)
    if (expected === 'preview' && !isHidden) {
      report('robots-tag-missing', where, tag ?? 'no header')
    }
    if (expected === 'primary' && isHidden) report('robots-tag-unwanted', where, tag)
  }
  return undefined
}
