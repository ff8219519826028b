import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { bulletList, codeBox } from '../markup/elements.ts'
import { code, html, type Html } from '../markup/html.ts'
import { richText } from '../markup/rich-text.ts'
import type { PageContext } from '../page.ts'

/** What a page passes to fetch so that the browser verifies a response, too; empty where no public key is known. */
export const integrityOf = ({ publicKey }: PageContext['facts']): string =>
  publicKey === undefined ? '' : `ed25519-${publicKey}`

/** The request that Chromium verifies without any code of this service. Undefined where no public key is known. */
export function nativeCheck({ texts, facts }: PageContext): Html | undefined {
  const integrity = integrityOf(facts)
  if (integrity === '') return undefined
  const request = `await fetch('${facts.origin}${READ_PATHS.status}', {
  integrity: '${integrity}',
  cache: 'no-store',
})
`
  return codeBox(texts, 'native-code', texts.verify.nativeLabel, request)
}

/** What the browser checks, and where that is not enough. Undefined where no public key is known. */
export function nativeSection(context: PageContext): Html | undefined {
  const { verify } = context.texts
  const request = nativeCheck(context)
  if (request === undefined) return undefined
  const values = {
    integrity: code('integrity'),
    cache: code("cache: 'no-store'"),
    status: code('304'),
  }
  return html`<p>${verify.nativeLead}</p>
    ${request} ${bulletList(verify.nativeMore.map((each) => richText(each, values)))}`
}
