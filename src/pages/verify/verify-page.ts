import { REVALIDATION_TEXT_LINES, SIGNED_TEXT_LINES } from '@public-api/contract/http/signature'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { HEADERS } from '@public-api/contract/terms/headers'
import { LIMITS } from '@public-api/contract/terms/limits'
import { pathOfPage } from '../addresses.ts'
import {
  bulletList,
  codeBox,
  codeLink,
  copyButton,
  dataTable,
  link,
  proofTexts,
  scriptTexts,
} from '../markup/elements.ts'
import { code, html, type Html, type HtmlValue } from '../markup/html.ts'
import { richText } from '../markup/rich-text.ts'
import { type Page, type PageContext } from '../page.ts'
import { anatomyPicture } from './anatomy-picture.ts'
import { logWitnesses } from './log-witnesses.ts'
import { integrityOf, nativeSection } from './native-check.ts'
import type { SampleResponse } from './sample-response.ts'

/** Placeholder for the key ID of a deployment without a key. */
const NO_KEY_ID = 'KEYID'

/** The six lines of the sample response with their meaning. The script replaces them with those of a live response. */
function signedLines({ texts }: PageContext, sample: SampleResponse | undefined): Html {
  const { verify } = texts
  const { lines } = verify
  const { contentDigest, signedAt } = HEADERS
  const rows: readonly (readonly [name: string, content: HtmlValue, meaning: HtmlValue])[] = [
    ['label', code(SIGNED_TEXT_LINES[0]), lines.label],
    ['method', code('GET'), lines.method],
    ['target', code(READ_PATHS.status), lines.target],
    ['status', code('200'), lines.status],
    [
      'signedat',
      sample ? code(sample.signedAt) : verify.fromResponse,
      richText(lines.signedAt, { header: code(signedAt) }),
    ],
    [
      'digest',
      sample ? code(sample.contentDigest) : verify.fromResponse,
      richText(lines.digest, { header: code(contentDigest) }),
    ],
  ]
  return dataTable([...rows.entries()], {
    className: 'signed-lines',
    caption: verify.signedTable,
    columns: [
      { title: verify.line, isHeader: true, cell: ([index]) => index + 1 },
      {
        title: verify.content,
        cell: ([, [name, content]]) => html`<p id="line-${name}">${content}</p>`,
      },
      { title: verify.meaning, cell: ([, [, , meaning]]) => html`<p>${meaning}</p>` },
    ],
  })
}

/** Verification of one response with curl and openssl, as in the README, and of the key against the pinned id. */
function curlRecipe(origin: string, keyId: string): string {
  return `base=${origin}
pin=${keyId}
target=${READ_PATHS.status}
curl -sS -D headers.txt -o body.json "$base$target"
field() { grep -i "^$1:" headers.txt | cut -d ' ' -f 2- | tr -d '\\r\\n'; }

# 1. The digest in the header is the digest of the bytes that came.
digest="sha-256=:$(openssl dgst -sha256 -binary body.json | openssl base64 -A):"
test "$digest" = "$(field content-digest)" && echo 'digest: good'

# 2. The signature is over six lines, and the digest is the last of them.
printf 'svc-response-v1\\nGET\\n%s\\n200\\n%s\\n%s' \\
  "$target" "$(field x-svc-signed-at)" "$digest" > signed.txt
field x-svc-signature | openssl base64 -d -A > signature.bin

# 3. The key is the pinned one: its ID is computed from the key itself.
x=$(curl -sS "$base${READ_PATHS.signingKey}" |
  grep -o '"x":"[^"]*"' | head -n 1 | cut -d '"' -f 4)
id=$(printf '{"crv":"Ed25519","kty":"OKP","x":"%s"}' "$x" |
  openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
test "$id" = "$pin" && echo 'key: the pinned one'

# 4. That key made the signature. The letters before it say "Ed25519".
printf -- '-----BEGIN PUBLIC KEY-----\\nMCowBQYDK2VwAyEA%s=\\n-----END PUBLIC KEY-----\\n' \\
  "$(printf %s "$x" | tr '_-' '/+')" > key.pem
test "$id" = "$pin" &&
  openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in signed.txt -sigfile signature.bin
`
}

function packageRecipe(origin: string, keyId: string): string {
  return `import { createClient } from '@public-api/client'

const client = createClient({
  baseUrl: '${origin}',
  pinnedKeyIds: ['${keyId}'],
})
const { data, provedAtMs } = await client.status()
console.log(data.state, new Date(provedAtMs).toISOString())
`
}

function commandRecipe(commands: string, origin: string, keyId: string): string {
  const pin = `\\
  --pin ${keyId}`
  return `${commands} verify ${origin}${READ_PATHS.status} ${pin}
${commands} audit ${origin} ${pin} \\
  --state head.json
${commands} doctor ${origin} ${pin}
`
}

/** How to verify a response: by hand, in the browser, from a program, on the command line. */
export const VERIFY_PAGE: Page = {
  path: 'verify',
  title: (texts) => texts.verify.title,
  description: (texts) => texts.verify.description,
  scripts: () => ['verify-page.js'],
  body(context) {
    const { locale, texts, facts } = context
    const { verify, reference, history } = texts
    const { keyId, sampleResponse: sample, commands } = facts
    const seconds = LIMITS.signatureMaxAgeSeconds
    const signedHeader = { header: code(HEADERS.signature), seconds }
    const notModified = {
      header: code(HEADERS.revalidated),
      label: code(REVALIDATION_TEXT_LINES[0]),
    }
    const signed = html`<p>${verify.signedLead}</p>
      ${sample && anatomyPicture(context, sample)} ${signedLines(context, sample)}
      ${
        sample &&
        html`<p>${verify.signatureValue} <code id="sample-signature">${sample.signature}</code></p>`
      }
      <p>${richText(verify.signedHeader, signedHeader)}</p>
      <p>${richText(verify.notModified, notModified)}</p>
      <p>${verify.errorsToo}</p>`
    const key = html`${
        keyId !== undefined &&
        html`<p class="copied-value">
          <span class="muted small">${verify.keyId}</span>
          <code id="key-id">${keyId}</code>
          ${copyButton(texts, 'key-id', verify.keyId)}
        </p>`
      }
      <p>${verify.keyWhy}</p>
      <p>${richText(verify.keyComputed, { link: codeLink(READ_PATHS.signingKey) })}</p>
      <p>${verify.keyNext}</p>`
    const pages = {
      reference: link(pathOfPage(locale, 'reference'), reference.title),
      history: link(pathOfPage(locale, 'history'), history.title),
    }
    const browser = html`<p class="needs-script">${verify.browserLead}</p>
      <noscript><p class="note">${verify.browserNeedsScript}</p></noscript>
      <p class="needs-script">
        <button class="button" type="button" id="check-start">${verify.start}</button>
      </p>
      <div id="check-steps" data-integrity="${integrityOf(facts)}"></div>
      <div id="check-result" role="status"></div>
      <p>${richText(verify.browserMore, pages)}</p>`
    const recipe = [facts.origin, keyId ?? NO_KEY_ID] as const
    const curlAfter = richText(verify.curlAfter, {
      header: code(HEADERS.signedAt),
      folder: code('docs/verifying'),
    })
    const curl = html`<p>${verify.curlLead}</p>
      ${codeBox(texts, 'curl-code', verify.curlLabel, curlRecipe(...recipe))}
      <p>${curlAfter}</p>`
    const client = html`<p>${richText(verify.packageLead, { name: code('@public-api/client') })}</p>
      ${codeBox(texts, 'package-code', verify.packageLabel, packageRecipe(...recipe))}`
    const command =
      commands &&
      html`<p>${verify.commandLead}</p>
        ${codeBox(texts, 'command-code', verify.commandLabel, commandRecipe(commands, ...recipe))}
        <p>${richText(verify.commandAudit, { option: code('--state') })}</p>`
    const native = nativeSection(context)
    const log = logWitnesses(context, facts.head.sequence)
    const limits = verify.limits.map((limit) => richText(limit, { seconds }))
    return {
      main: html`<h1>${verify.title}</h1>
        ${
          keyId === undefined
            ? html`<p class="note note-warn">${verify.unsigned}</p>`
            : html`<p class="lead">${verify.lead}</p>`
        }`,
      sections: [
        ['signed', verify.signedTitle, signed],
        ['key', verify.keyTitle, key],
        ['browser', verify.browserTitle, browser],
        native && ['native', verify.nativeTitle, native],
        ['curl', verify.curlTitle, curl],
        commands !== undefined && ['package', verify.packageTitle, client],
        commands !== undefined && ['command', verify.commandTitle, command],
        log && ['log', texts.log.title, log],
        ['vectors', verify.vectorsTitle, html`<p>${verify.vectorsText}</p>`],
        ['limits', verify.limitsTitle, bulletList(limits)],
      ],
      after: [scriptTexts('verify', verify.script), proofTexts(texts)],
    }
  },
}
