import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { LIMITS } from '@public-api/contract/terms/limits'
import { TEST_TOKEN } from '../../service/challenge/challenge.ts'
import { html, type Html } from '../markup/html.ts'
import { plainText, richText } from '../markup/rich-text.ts'
import { type PageContext, siteName } from '../page.ts'

/** Origins of scripts and frames of providers that host their challenge, as they document them for CSP. */
export const HOSTED_ORIGINS = {
  turnstile: ['https://challenges.cloudflare.com'],
  hcaptcha: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
} as const

/** Whether a third party issues the challenge. */
export function isHosted(provider: string): provider is keyof typeof HOSTED_ORIGINS {
  return Object.hasOwn(HOSTED_ORIGINS, provider)
}

/** The form of a text that fits the provider of the challenge; that of a third party names it. */
export function providerText(
  { texts, facts }: PageContext,
  forms: { readonly [_ in 'hosted' | 'altcha' | 'test']: string },
): Html {
  const { provider } = facts.challenge
  return isHosted(provider)
    ? richText(forms.hosted, { provider: texts.privacy.providers[provider] })
    : html`${forms[provider]}`
}

/** The element of the provider's challenge. The script reads `data-provider`. */
function challengeBox({ locale, texts, facts }: PageContext): Html {
  const { provider, path, siteKey } = facts.challenge
  if (isHosted(provider)) {
    return html`<div
      class="challenge-box"
      data-provider="${provider}"
      data-site-key="${siteKey ?? ''}"
    ></div>`
  }
  if (provider === 'test') {
    return html`<label class="choice" data-provider="test"
      ><input type="checkbox" id="test-challenge" value="${TEST_TOKEN}" />
      <span>${texts.earlyAccess.form.testChallenge}</span></label
    >`
  }
  // No tracking of movement or typing, and no link that leaves a half-filled form.
  const configuration = { hideFooter: true, hideLogo: true, humanInteractionSignature: false }
  return html`<link rel="stylesheet" href="${facts.assetPath('altcha.css')}" />
    <altcha-widget
      class="challenge-box"
      data-provider="altcha"
      data-worker="${facts.assetPath('altcha-worker.js')}"
      challenge="${path ?? ''}?for=register"
      type="native"
      language="${locale.toLowerCase()}"
      configuration="${JSON.stringify(configuration)}"
    ></altcha-widget>
    <script type="module" src="${facts.assetPath('altcha.js')}"></script>`
}

/**
 * The form. It is rendered with the page, so nothing shifts later. Its button works once the script runs; without scripts
 * the style sheet hides the form. The script fills the `field-error` of each field.
 */
export function registrationForm(context: PageContext): Html {
  const { locale, texts, facts } = context
  const { form, mistakes } = texts.earlyAccess
  const count = new Intl.NumberFormat(locale).format(LIMITS.maxUseCaseCodePoints)
  const errorSlot = (field: string): Html => html`<p class="field-error" id="${field}-error"></p>`
  const hint = (field: string, text: Html | string): Html =>
    html`<p class="hint" id="${field}-hint">${text}</p>
      ${errorSlot(field)}`
  return html`<form
    data-browser
    id="registration"
    class="registration needs-script"
    method="post"
    data-path="${ENDPOINTS.register.path}"
    novalidate
    aria-label="${form.label}"
  >
    <div class="error-summary" id="mistakes" tabindex="-1" hidden>
      <div role="alert">
        <h2>${mistakes.title}</h2>
        <ul class="plain-list stacked"></ul>
      </div>
    </div>
    <div class="field">
      <label for="email">${form.email}</label>
      ${hint('email', plainText(form.emailHint, { name: siteName(context) }))}
      <input
        id="email"
        name="email"
        type="email"
        inputmode="email"
        autocomplete="email"
        spellcheck="false"
        aria-describedby="email-hint email-error"
      />
    </div>
    <fieldset class="choices" id="interests" aria-describedby="interests-hint interests-error">
      <legend>${plainText(form.optional, { label: form.interests })}</legend>
      ${hint('interests', form.interestsHint)}
      <div class="choice-columns">
        ${facts.interests.map(
          (interest) =>
            html`<label
              ><input type="checkbox" name="interests" value="${interest}" />
              <span>${form.interestNames[interest]}</span></label
            > `,
        )}
      </div>
    </fieldset>
    <div class="field">
      <label for="useCase">${plainText(form.optional, { label: form.useCase })}</label>
      ${hint('useCase', plainText(form.useCaseHint, { count }))}
      <textarea
        id="useCase"
        name="useCase"
        rows="5"
        aria-describedby="useCase-hint useCase-error"
      ></textarea>
      <p class="hint counter" id="useCase-count" aria-hidden="true"></p>
      <p class="hidden-text" id="useCase-status" role="status"></p>
    </div>
    <fieldset class="choices">
      <legend>${form.consentGroup}</legend>
      ${errorSlot('consent')}
      <label
        ><input type="checkbox" id="consent" name="consent" aria-describedby="consent-error" />
        <span>${form.consent}</span></label
      >
    </fieldset>
    <fieldset
      class="field"
      id="challenge"
      tabindex="-1"
      aria-describedby="challenge-hint challenge-error"
    >
      <legend>${form.challenge}</legend>
      ${hint('challenge', providerText(context, form.challengeHint))} ${challengeBox(context)}
    </fieldset>
    <button type="submit" class="button" id="send" disabled>${form.submit}</button>
    <p class="hint progress" id="progress" role="status"></p>
  </form>`
}
