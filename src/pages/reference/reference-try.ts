import { pathOfPage } from '../addresses.ts'
import { link, scriptTexts } from '../markup/elements.ts'
import { code, html, type Html } from '../markup/html.ts'
import { plainText, richText } from '../markup/rich-text.ts'
import { type PageContext } from '../page.ts'

/**
 * What opens the form for trying an endpoint, with the expected key. The page's script fetches the form from the page of
 * `tryForm`, and the script that sends and verifies.
 */
export function tryOpener({ locale, texts, facts }: PageContext): Html {
  const { open, notLoaded } = texts.reference.try
  const page = pathOfPage(locale, 'reference')
  const key = html`data-key-id="${facts.keyId ?? ''}"`
  const script = facts.assetPath('try-form.js')
  return html`<template
    id="try"
    data-form="${page}"
    data-script="${script}"
    ${key}
    data-failed="${notLoaded}"
  >
    <details class="try full">
      <summary>${open}</summary>
    </details>
  </template>`
}

/**
 * The form for trying an endpoint, which scripts of other pages fetch and clone: its fields and the place of the
 * response. In Thai, these texts would make a page of endpoints too large, as would those of the verify page.
 */
export function tryForm({ locale, texts, facts: { keyId } }: PageContext): Html {
  const { try: t } = texts.reference
  const { parameter, missing, badPath, badKey, waiting, answered, notReached, emptyBody } = t
  const ownTexts = { parameter, missing, badPath, badKey, waiting, answered, notReached, emptyBody }
  const verifyPath = pathOfPage(locale, 'verify')
  const output = (part: string, label: string, isOpen: boolean): Html =>
    html`<details data-part="${part}" ${isOpen && html` open`}>
      <summary>${label}</summary>
      <pre class="code" tabindex="0"></pre>
    </details>`
  return html`<template id="try-form" data-proof="${verifyPath}">
      <form novalidate>
        <div class="field" data-part="parameter">
          <label for="try-parameter">${plainText(parameter, { name: '' })}</label>
          <input id="try-parameter" type="text" autocomplete="off" spellcheck="false" />
        </div>
        <details class="try-key">
          <summary>${t.optionalKey}</summary>
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
        </details>
        <button class="button" type="submit">${t.send}</button>
      </form>
      <p class="try-status" role="status"></p>
      <div class="try-response" hidden>
        ${output('body', t.body, true)} ${output('headers', t.headers, true)}
        <h3>${t.check}</h3>
        <div data-part="steps"></div>
        <p class="verdict" data-part="verdict" role="status"></p>
        <p class="hint">
          ${keyId === undefined ? t.noKey : richText(t.trustedKey, { keyId: code(keyId) })}
          ${link(verifyPath, t.howToVerify)}
        </p>
        ${output('lines', t.signedLines, false)}
      </div>
    </template>
    ${scriptTexts('reference', {
      ...ownTexts,
      notChecked: texts.verify.script.failed,
    })}`
}
