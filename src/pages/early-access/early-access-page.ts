import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { JSON_MEDIA_TYPE } from '@public-api/contract/terms/headers'
import { TEST_TOKEN } from '../../service/challenge/challenge.ts'
import { endpointPath, pathOfPage } from '../addresses.ts'
import { bulletList, codeBox, copyButton, link, scriptTexts } from '../markup/elements.ts'
import { html, type Html } from '../markup/html.ts'
import { operatorText, richText } from '../markup/rich-text.ts'
import { type Page, type PageContext } from '../page.ts'
import { HOSTED_ORIGINS, isHosted, providerText, registrationForm } from './early-access-form.ts'

/** How to register from a command line, with a challenge that a program can solve. */
function formatCommand({ locale, facts: { origin, challenge } }: PageContext): string {
  const isTest = challenge.provider === 'test'
  const solve = isTest ? '' : `TOKEN="$(npm run -s svc -- waitlist join --token-only ${origin})"\n`
  // Closes the single quotes and opens double ones, so that the shell inserts the token.
  const token = isTest ? TEST_TOKEN : `'"$TOKEN"'`
  const body = `{"email":"you@example.org","locale":"${locale}","consent":true,"challengeToken":"${token}"}`
  return `${solve}curl ${origin}${ENDPOINTS.register.path} \\
  -H 'Content-Type: ${JSON_MEDIA_TYPE}' \\
  -d '${body}'`
}

/** What visitors without scripts can do instead. */
function withoutScripts(context: PageContext): Html {
  const { locale, texts, facts } = context
  const { noScript } = texts.earlyAccess
  const referencePath = endpointPath(locale, 'register', ENDPOINTS.register)
  return html`<noscript>
    <div class="flow">
      <h2>${noScript.title}</h2>
      <p>${noScript.text}</p>
      <p>${providerText(context, noScript)}</p>
      ${
        !isHosted(facts.challenge.provider) &&
        codeBox(texts, 'register-command', noScript.commandLabel, formatCommand(context))
      }
      <p>
        ${richText(noScript.reference, { reference: link(referencePath, noScript.referenceLink) })}
      </p>
    </div>
  </noscript>`
}

/** Replaces the form after it was sent: the ticket, or the notice about a known address. */
function results({ texts, facts: { keyId } }: PageContext): Html {
  const { result, duplicate } = texts.earlyAccess
  return html`<section
      id="registered"
      tabindex="-1"
      aria-labelledby="registered-title"
      ${keyId !== undefined && html`data-key-id="${keyId}"`}
      hidden
    >
      <h2 id="registered-title" class="hidden-text">${result.title}</h2>
      <p class="copied-value">
        <span class="muted small">${result.ticket}</span>
        <code id="ticket"></code>
        ${copyButton(texts, 'ticket', result.what)}
      </p>
      <p id="proof" role="status"></p>
      <h3>${result.nextTitle}</h3>
      ${bulletList(result.next)}
    </section>
    <section id="duplicate" tabindex="-1" aria-labelledby="duplicate-title" hidden>
      <h2 id="duplicate-title" class="hidden-text">${duplicate.title}</h2>
      <p>${duplicate.text}</p>
      <p><button type="button" id="again">${duplicate.again}</button></p>
    </section>`
}

/** What replaces the form; undefined where there is one. A copy takes no addresses: its host would see them. */
function whyNoForm({ locale, texts, content, facts }: PageContext): Html | undefined {
  const { state, text = '' } = content.earlyAccess ?? {}
  if (state === 'closed') return html`<p class="note note-warn">${operatorText(content, text)}</p>`
  if (facts.copy === undefined) return undefined
  const { host } = new URL(facts.origin)
  const service = link(`${facts.origin}${pathOfPage(locale, 'early-access')}`, host)
  return html`<p class="note">${richText(texts.earlyAccess.inCopy, { service })}</p>`
}

/** The form that puts an address on the waitlist. */
export const EARLY_ACCESS_PAGE: Page = {
  path: 'early-access',
  scripts: (context) => (whyNoForm(context) === undefined ? ['early-access-page.js'] : []),
  title: (texts) => texts.earlyAccess.title,
  description: (texts) => texts.earlyAccess.description,
  foreignOrigins: ({ challenge: { provider } }) =>
    isHosted(provider) ? HOSTED_ORIGINS[provider] : [],
  body(context) {
    const { locale, texts, facts } = context
    const { earlyAccess } = texts
    const { mistakes, progress, count, result, duplicate } = earlyAccess
    const privacy = link(pathOfPage(locale, 'privacy'), earlyAccess.privacyLink)
    const reason = whyNoForm(context)
    if (reason !== undefined) {
      return {
        main: html`<h1>${earlyAccess.title}</h1>
          ${reason}
          ${bulletList([
            link(pathOfPage(locale, 'status'), texts.status.title),
            link(`${pathOfPage(locale, 'status')}#subscribe`, texts.status.subscribe.heading),
            link(pathOfPage(locale, 'reference'), texts.reference.title),
            privacy,
          ])}`,
      }
    }
    return {
      main: html`<h1>${earlyAccess.title}</h1>
        <div class="columns-2">
          <div class="flow" id="invitation">
            <p class="lead">${earlyAccess.lead}</p>
            ${
              !facts.isLeftOut('roadmap') &&
              html`<p>
                ${richText(earlyAccess.plans, { roadmap: link(pathOfPage(locale, 'roadmap'), earlyAccess.plansLink) })}
              </p>`
            }
            <p>${richText(earlyAccess.kept, { privacy })}</p>
          </div>
          <div>
            <p class="note note-warn" id="closed" hidden>${earlyAccess.closed}</p>
            ${withoutScripts(context)} ${registrationForm(context)} ${results(context)}
          </div>
        </div>
        ${scriptTexts('earlyAccess', { mistakes, progress, count, result, duplicate })}`,
    }
  },
}
