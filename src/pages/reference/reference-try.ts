import { link, scriptTexts } from '../markup/elements.ts'
import { code, html, type Html } from '../markup/html.ts'
import { type PageContext, pathOfPage } from '../page.ts'
import { plainText, richText } from '../markup/rich-text.ts'

/**
 * The templates for trying an endpoint, which the page's script clones: the form, the place of the response, and the
 * expected key. The verification texts are fetched from the verify page when needed, because in Thai they would make this
 * page too large.
 */
export function tryTemplates({ locale, texts, facts: { keyId } }: PageContext): Html {
  const { try: t } = texts.reference
  const { parameter, missing, badPath, badKey, waiting, answered, notReached, emptyBody } = t
  const ownTexts = { parameter, missing, badPath, badKey, waiting, answered, notReached, emptyBody }
  const verifyPath = pathOfPage(locale, 'verify')
  const output = (part: string, label: string, isOpen: boolean): Html =>
    html`<details data-part="${part}" ${isOpen && html` open`}>
      <summary>${label}</summary>
      <pre class="code" tabindex="0"></pre>
    </details>`
  return html`<template id="try-form" data-key-id="${keyId ?? ''}" data-proof="${verifyPath}">
      <form novalidate>
        <div class="field" data-part="parameter">
          <label for="try-parameter">${plainText(parameter, { name: '' })}</label>
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
          ${link(verifyPath, t.howToVerify)}
        </p>
        ${output('lines', t.signedLines, false)} ${output('headers', t.headers, true)}
        ${output('body', t.body, true)}
      </div>
    </template>
    <template id="try">
      <details class="try">
        <summary>${t.open}</summary>
      </details>
    </template>
    ${scriptTexts('reference', {
      ...ownTexts,
      notChecked: texts.verify.script.failed,
    })}`
}
