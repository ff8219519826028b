import { HEADERS } from '../contract/headers.ts'
import { LIMITS } from '../contract/limits.ts'
import { READ_PATHS } from '../contract/read-paths.ts'
import { REVALIDATION_TEXT_LINES, SIGNED_TEXT_LINES } from '../contract/signature.ts'
import { anatomyPicture } from './anatomy-picture.ts'
import { bulletList, codeBox, codeLink, copyButton, dataTable, scriptTexts } from './elements.ts'
import { code, html, type Html, type HtmlValue } from './html.ts'
import { type Page, type PageBody, type PageContext, pathOfPage } from './page.ts'
import { richText } from './rich-text.ts'
import { commandRecipe, curlRecipe, packageRecipe } from './verify-recipe.ts'

/** Placeholder for the key id of a deployment without a key. */
const NO_KEY_ID = 'KEYID'

/** The six lines of the sample response with their meaning. The script replaces them with those of a live response. */
function signedLines({ texts, facts }: PageContext): Html {
  const { verify } = texts
  const { sampleResponse: sample } = facts
  const { lines } = verify
  const rows: readonly (readonly [name: string, content: HtmlValue, meaning: HtmlValue])[] = [
    ['label', code(SIGNED_TEXT_LINES[0]), lines.label],
    ['method', code('GET'), lines.method],
    ['target', code(READ_PATHS.status), lines.target],
    ['status', code('200'), lines.status],
    [
      'signedAt',
      sample === undefined ? verify.fromResponse : code(sample.signedAt),
      richText(lines.signedAt, { header: code(HEADERS.signedAt) }),
    ],
    [
      'digest',
      sample === undefined ? verify.fromResponse : code(sample.contentDigest),
      richText(lines.digest, { header: code(HEADERS.contentDigest) }),
    ],
  ]
  return dataTable([...rows.entries()], {
    className: 'signed-lines',
    caption: verify.signedTable,
    columns: [
      { title: verify.line, isHeader: true, cell: ([index]) => index + 1 },
      {
        title: verify.content,
        cell: ([, [name, content]]) => html`<p id="line-${name.toLowerCase()}">${content}</p>`,
      },
      { title: verify.meaning, cell: ([, [, , meaning]]) => html`<p>${meaning}</p>` },
    ],
  })
}

function signedSection(context: PageContext): Html {
  const { verify } = context.texts
  const { sampleResponse: sample } = context.facts
  return html`<p>${verify.signedLead}</p>
    ${sample && anatomyPicture(context, sample)} ${signedLines(context)}
    ${
      sample !== undefined &&
      html`<p>${verify.signatureValue} <code id="sample-signature">${sample.signature}</code></p>`
    }
    <p>
      ${richText(verify.signedHeader, {
        header: code(HEADERS.signature),
        seconds: LIMITS.signatureMaxAgeSeconds,
      })}
    </p>
    <p>
      ${richText(verify.notModified, {
        header: code(HEADERS.revalidated),
        label: code(REVALIDATION_TEXT_LINES[0]),
      })}
    </p>
    <p>${verify.errorsToo}</p>`
}

function keySection({ texts, facts }: PageContext): Html {
  const { verify } = texts
  const own =
    facts.keyId !== undefined &&
    html`<p class="copied-value">
      <span class="muted small">${verify.keyId}</span>
      <code id="key-id">${facts.keyId}</code>
      ${copyButton(texts, 'key-id', verify.keyId)}
    </p>`
  return html`${own}
    <p>${verify.keyWhy}</p>
    <p>${richText(verify.keyComputed, { link: codeLink(READ_PATHS.signingKey) })}</p>
    <p>${verify.keyNext}</p>`
}

function browserSection({ locale, texts }: PageContext): Html {
  const { verify, reference, history } = texts
  const linkTo = (path: string, title: string): Html =>
    html`<a href="${pathOfPage(locale, path)}">${title}</a>`
  return html`<p>${verify.browserLead}</p>
    <noscript><p class="note">${verify.browserNeedsScript}</p></noscript>
    <p class="check-start">
      <button class="button" type="button" id="check-start">${verify.start}</button>
    </p>
    <div id="check-steps"></div>
    <div id="check-result" role="status"></div>
    <p>
      ${richText(verify.browserMore, {
        reference: linkTo('reference', reference.title),
        history: linkTo('history', history.title),
      })}
    </p>`
}

function codeSections({ texts, facts }: PageContext) {
  const { verify } = texts
  const recipe = [facts.origin, facts.keyId ?? NO_KEY_ID] as const
  const box = (name: string, label: string, source: string): Html =>
    codeBox(texts, `${name}-code`, label, source)
  return {
    curl: html`<p>${verify.curlLead}</p>
      ${box('curl', verify.curlLabel, curlRecipe(...recipe))}
      <p>
        ${richText(verify.curlAfter, {
          header: code(HEADERS.signedAt),
          folder: code('docs/verifying'),
        })}
      </p>`,
    package: html`<p>${richText(verify.packageLead, { name: code('@public-api/client') })}</p>
      ${box('package', verify.packageLabel, packageRecipe(...recipe))}`,
    command: html`<p>${richText(verify.commandLead, { name: code('svc') })}</p>
      ${box('command', verify.commandLabel, commandRecipe(...recipe))}
      <p>${richText(verify.commandAudit, { option: code('--state') })}</p>`,
  }
}

function body(context: PageContext): PageBody {
  const { texts, facts } = context
  const { verify } = texts
  const { curl, package: client, command } = codeSections(context)
  const limits = verify.limits.map((limit) =>
    richText(limit, { seconds: LIMITS.signatureMaxAgeSeconds }),
  )
  return {
    main: html`<h1>${verify.title}</h1>
      ${
        facts.keyId === undefined
          ? html`<p class="note note-warn">${verify.unsigned}</p>`
          : html`<p class="lead">${verify.lead}</p>`
      }`,
    sections: [
      ['signed', verify.signedTitle, signedSection(context)],
      ['key', verify.keyTitle, keySection(context)],
      ['browser', verify.browserTitle, browserSection(context)],
      ['curl', verify.curlTitle, curl],
      ['package', verify.packageTitle, client],
      ['command', verify.commandTitle, command],
      ['vectors', verify.vectorsTitle, html`<p>${verify.vectorsText}</p>`],
      ['limits', verify.limitsTitle, bulletList(limits)],
    ],
    after: [scriptTexts('verify', verify.script), scriptTexts('proof', texts.proof)],
  }
}

/** How to verify a response: by hand, in the browser, from a program, on the command line. */
export const VERIFY_PAGE: Page = {
  path: 'verify',
  title: (texts) => texts.verify.title,
  description: (texts) => texts.verify.description,
  scripts: ['verify-page.js'],
  body,
}
