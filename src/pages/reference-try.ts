import { scriptTexts } from './elements.ts'
import { code, html, type Html } from './html.ts'
import { type PageContext, pathOfPage } from './page.ts'
import { plainText, richText } from './rich-text.ts'

/** Id of the template that the page's script clones for each tried endpoint. */
const TEMPLATE_ID = 'try-form'

/**
 * The template for trying an endpoint, shared by all endpoints: the form, the place of the response, and the expected
 * key. The verification texts are fetched from the verify page when needed, because in Thai they would make this page
 * too large.
 */
export function tryTemplates({ locale, texts, facts }: PageContext): Html {
  const { try: t } = texts.reference
  const { keyId } = facts
  const verifyPath = pathOfPage(locale, 'verify')
  return html`<template id="${TEMPLATE_ID}" data-key-id="${keyId ?? ''}" data-proof="${verifyPath}">
      <form novalidate>
        <div class="field" data-part="parameter">
          <label for="try-parameter">${plainText(t.parameter, { name: '' })}</label>
          <input id="try-parameter" type="text" autocomplete="off" spellcheck="false" />
        </div>
        <div class="field" data-part="key">
          <label for="try-key">${t.key}</label>
          <p class="hint" id="try-key-hint">
            ${richText(t.keyHint, { header: code('Authorization') })}
          </p>
          <input
            id="try-key"
            type="password"
            autocomplete="new-password"
            aria-describedby="try-key-hint"
          />
        </div>
        <button class="button" type="submit">${t.send}</button>
      </form>
      <p class="try-status" role="status"></p>
      <div class="try-response" hidden>
        <h3>${t.check}</h3>
        <div data-part="steps"></div>
        <p class="verdict" data-part="verdict" role="status"></p>
        <p class="hint">
          ${keyId === undefined ? t.noKey : richText(t.trustedKey, { keyId: code(keyId) })}
          <a href="${verifyPath}">${t.howToVerify}</a>
        </p>
        <details data-part="lines">
          <summary>${t.signedLines}</summary>
          <pre class="code" tabindex="0"></pre>
        </details>
        <details data-part="headers" open>
          <summary>${t.headers}</summary>
          <pre class="code" tabindex="0"></pre>
        </details>
        <details data-part="body" open>
          <summary>${t.body}</summary>
          <pre class="code" tabindex="0"></pre>
        </details>
      </div>
    </template>
    <template id="try">
      <details class="try">
        <summary>${t.open}</summary>
      </details>
    </template>
    <template id="copy-request">
      <button type="button" class="copy">
        ${texts.site.copy}<span class="hidden-text"> ${texts.reference.request}</span>
      </button>
    </template>
    ${scriptTexts('reference', {
      parameter: t.parameter,
      missing: t.missing,
      badPath: t.badPath,
      badKey: t.badKey,
      waiting: t.waiting,
      answered: t.answered,
      notReached: t.notReached,
      notChecked: texts.verify.script.failed,
      emptyBody: t.emptyBody,
      copied: texts.site.copied,
      request: texts.reference.request,
    })}`
}
