import { code, html, type Html } from './html.ts'
import { type PageContext, pathOfPage } from './page.ts'
import { richText } from './rich-text.ts'

/** Storage key of the last audit's head. */
export const SAVED_HEAD_NAME = 'svc-history-head'

/**
 * The audit before its script runs: what it does, its form, and the places that the script fills. Without scripts the
 * style sheet hides the form, and the equivalent command is shown.
 */
export function auditForm({ locale, texts, facts }: PageContext): Html {
  const { history } = texts
  const pinLink = html`<a href="${pathOfPage(locale, 'verify')}#key"
    >${history.auditOwnWordLink}</a
  >`
  const command = html`<code>svc audit ${facts.origin}</code>`
  return html`<p>${history.auditWhat}</p>
    <p>${richText(history.auditKeeps, { name: code(SAVED_HEAD_NAME) })}</p>
    <p>${richText(history.auditOwnWord, { link: pinLink })}</p>
    <noscript><p class="note">${richText(history.auditNeedsScript, { command })}</p></noscript>
    <form class="audit-form" id="audit-form" data-kept="${SAVED_HEAD_NAME}" novalidate>
      <div class="field">
        <label for="pin">${history.pin}</label>
        <p class="hint" id="pin-hint">${history.pinHint}</p>
        <p class="field-error" id="pin-error" hidden></p>
        <input
          id="pin"
          name="pin"
          type="text"
          maxlength="64"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          aria-describedby="pin-hint pin-error"
        />
      </div>
      <p class="field">
        <label><input id="every-version" type="checkbox" /> ${history.everyVersion}</label>
      </p>
      <p class="actions">
        <button class="button" type="submit" id="audit-start">${history.start}</button>
        <button type="button" id="audit-stop" hidden>${history.script.cancel}</button>
        <button type="button" id="audit-forget" hidden>${history.script.forget}</button>
      </p>
      <p class="muted kept-head" id="kept-head" role="status"></p>
    </form>
    <div id="audit-steps"></div>
    <div id="audit-result" role="status"></div>`
}
