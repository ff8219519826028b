import { READ_PATHS } from '../contract/read-paths.ts'
import { SIGNED_TEXT_LINES } from '../contract/signature.ts'
import { scriptTexts } from './elements.ts'
import { html, type Html } from './html.ts'
import { type PageContext, pathOfPage } from './page.ts'

/** Shown until the response arrives. */
const UNKNOWN = '…'

/** The steps of a check before it starts. The script replaces them with a list of the same height. */
export function pendingSteps(labels: readonly string[], pending: string): Html {
  return html`<ol class="steps">
    ${labels.map(
      (label) =>
        html`<li class="step" data-state="pending">
          <span class="step-label">${label}</span>
          <span class="step-state state state-idle">${pending}</span>
          <div class="step-detail"></div>
        </li> `,
    )}
  </ol>`
}

/** The panel in which the browser verifies a real response. The script of the page fills it in. */
export function livePanel({ locale, texts, facts }: PageContext): Html {
  const { proof } = texts
  const t = texts.overview.panel
  const known = [SIGNED_TEXT_LINES[0], 'GET', READ_PATHS.status, UNKNOWN, UNKNOWN, UNKNOWN]
  const labels = Object.values(proof.steps).map(({ label }) => label)
  return html`<section class="panel live" id="live" aria-labelledby="live-title">
    <h2 id="live-title">${t.title}</h2>
    <p class="muted small">${t.lead}</p>
    <p class="call"><span class="method">GET</span> <code>${READ_PATHS.status}</code></p>
    ${
      facts.keyId === undefined
        ? html`<p class="note note-warn">${texts.overview.unsigned}</p>`
        : html`<noscript><p class="note">${t.noScript}</p></noscript>
            <h3>${t.lines}</h3>
            <ol class="signed-lines">
              ${known.map((line) => html`<li><code>${line}</code></li> `)}
            </ol>
            <h3>${t.signature}</h3>
            <p class="signature-line"><code id="live-signature">${UNKNOWN}</code></p>
            <h3>${t.checks}</h3>
            <div id="live-steps" class="compact-steps">
              ${pendingSteps(labels, proof.states.pending)}
            </div>
            <p class="verdict" id="live-verdict" role="status"></p>
            <p class="actions">
              <button type="button" id="live-again">${t.again}</button>
              <a href="${pathOfPage(locale, 'verify')}">${texts.overview.checkMoreLink}</a>
            </p>
            ${scriptTexts('proof', proof)} ${scriptTexts('verify', texts.verify.script)}`
    }
  </section>`
}
