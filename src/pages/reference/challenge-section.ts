import type { Endpoint } from '@public-api/contract/registry/endpoints'
import { REQUEST_SCHEMAS } from '@public-api/contract/registry/schemas'
import { type ChallengePurpose, TEST_TOKEN } from '../../service/challenge/challenge.ts'
import { pathOfPage } from '../addresses.ts'
import { isHosted } from '../early-access/early-access-form.ts'
import { copyButton, link, scriptTexts } from '../markup/elements.ts'
import { code, html, type Html } from '../markup/html.ts'
import { richText } from '../markup/rich-text.ts'
import { type PageContext } from '../page.ts'
import { TOKEN_PLACEHOLDER } from './request-samples.ts'

/** How to get the token that a request needs, and a button that gets one; undefined for other endpoints. */
export function challengeSection(
  context: PageContext,
  name: string,
  { request, issuesKeys }: Endpoint,
): Html | undefined {
  if (request === undefined || !('challengeToken' in REQUEST_SCHEMAS[request].properties))
    return undefined
  const { locale, texts, facts } = context
  const { challenge: t } = texts.reference
  const { provider, path } = facts.challenge
  const purpose: ChallengePurpose = issuesKeys ? 'issue-key' : 'register'
  const tokenId = `${name}-token`
  const placeholder = code(TOKEN_PLACEHOLDER)
  const section = (content: Html): Html =>
    html`<h3 id="${name}.token"><a class="anchor" href="#${name}.token">${t.title}</a></h3>
      ${content}`
  if (issuesKeys && !facts.issuance.enabled) return section(html`<p>${t.paused}</p>`)
  if (provider === 'test') {
    return section(html`<p>${richText(t.test, { token: code(TEST_TOKEN), placeholder })}</p>`)
  }
  if (isHosted(provider)) {
    const form = link(pathOfPage(locale, 'early-access'), texts.earlyAccess.title)
    const named = { provider: texts.privacy.providers[provider], form }
    return section(html`<p>${richText(t.hosted, named)}</p>`)
  }
  const address = `${path ?? ''}?for=${purpose}`
  return section(
    html`<p>${richText(t.solve, { path: code(address), placeholder })}</p>
      <div
        class="token needs-script"
        data-challenge="${address}"
        data-worker="${facts.assetPath('altcha-worker.js')}"
      >
        <button class="button" type="button">${t.title}</button>
        <p role="status"></p>
        <p class="copied-value" hidden>
          <code id="${tokenId}"></code> ${copyButton(texts, tokenId, t.token)}
        </p>
      </div>
      ${scriptTexts('token', t.script)}`,
  )
}
