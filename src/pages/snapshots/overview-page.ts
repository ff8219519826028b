import { HEADERS } from '@public-api/contract/http/headers'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { SIGNED_TEXT_LINES } from '@public-api/contract/http/signature'
import { CHANGE_KINDS } from '@public-api/contract/history/version-chain'
import { chainPicture } from '../pictures/chain-picture.ts'
import {
  codeBox,
  copyButton,
  type Fact,
  factList,
  link,
  pageSection,
  pendingSteps,
  scriptTexts,
} from '../markup/elements.ts'
import { labelFor, stateBadge } from '../texts/enum-labels.ts'
import { code, html, type Html } from '../markup/html.ts'
import { momentHtml } from '../texts/moments.ts'
import { type Page, type PageContext, pathOfPage } from '../page.ts'
import { countText, inEnglish, listHtml, operatorText, richText } from '../markup/rich-text.ts'
import {
  fromSnapshot,
  languageNote,
  notesLanguage,
  publishedState,
  resourceTitle,
} from './snapshot-sections.ts'

const HASH_ID = 'newest-hash'

const CHAIN_LENGTH = 4

/** Shown until the response arrives. */
const UNKNOWN = '…'

/** The panel in which the browser verifies a real response. The script of the page fills it in. */
function livePanel({ locale, texts, facts }: PageContext): Html {
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
            <div id="live-steps" class="compact-steps">${pendingSteps(labels, proof.states)}</div>
            <p class="verdict" id="live-verdict" role="status"></p>
            <p class="actions">
              <button type="button" id="live-again">${t.again}</button>
              <a href="${pathOfPage(locale, 'verify')}">${texts.overview.checkMoreLink}</a>
            </p>
            ${scriptTexts('proof', proof)} ${scriptTexts('verify', texts.verify.script)}`
    }
  </section>`
}

function statusNow(context: PageContext): Html {
  const { locale, texts, content } = context
  const t = texts.overview
  const state = fromSnapshot(
    context,
    'status',
    (status) =>
      html`${publishedState(context, status)}${languageNote(context, 'status')}
        <p>${operatorText(content, status.summary)}</p>
        ${factList(
          status.components.map(({ name, state: word }) => [
            operatorText(content, name),
            stateBadge(texts, 'componentState', word),
          ]),
        )}`,
  )
  return html`${state}
    <p>${link(pathOfPage(locale, 'status'), t.statusLink)}</p>`
}

function newestVersion(context: PageContext): Html {
  const { locale, texts, facts } = context
  const t = texts.overview
  const { snapshotId, createdAt, hash, note, changes } = facts.head
  const byKind = CHANGE_KINDS.map((kind): Fact => {
    const changed = changes.filter((change) => change.kind === kind)
    const titles = changed.map(({ resource }) => resourceTitle(context, resource))
    return [labelFor(texts, 'resourceChange', kind), titles.length > 0 && listHtml(locale, titles)]
  })
  return factList([
    [
      t.versionId,
      html`${link(READ_PATHS.version, code(snapshotId))}
        <span class="muted small">${countText(locale, t.versionCount, facts.versionCount)}</span>`,
    ],
    [t.publishedAt, momentHtml(locale, createdAt)],
    [t.hash, html`<code id="${HASH_ID}">${hash}</code> ${copyButton(texts, HASH_ID, t.hashWhat)}`],
    [t.note, note !== '' && [inEnglish(locale, note), notesLanguage(context)]],
    [t.changes, changes.length === 0 && t.noChanges],
    ...byKind,
  ])
}

/** Saves a response and shows its headers, then the digest of its body; both programs are on most systems. */
function checkingCommand(origin: string): string {
  const file = 'status.json'
  return `curl -sS -D - -o ${file} \\
  ${origin}${READ_PATHS.status}
openssl dgst -sha256 -binary ${file} | openssl base64`
}

/** Groups of readers with the paths of their pages, and a machine-readable document if there is one for them. */
const READERS = [
  { name: 'reader', paths: ['status', 'roadmap', 'changelog'] },
  { name: 'developer', paths: ['reference', 'errors'], document: 'openapi' },
  { name: 'auditor', paths: ['history', 'verify'] },
  { name: 'operator', paths: ['architecture', 'privacy'], document: 'policy' },
] as const

function readerCards({ locale, texts, facts }: PageContext): Html {
  const t = texts.overview
  const item = (path: string, text: string): Html => html`<li>${link(path, text)}</li> `
  const cards = READERS.map((reader) => {
    const { title, text } = t.readers[reader.name]
    const isUnsigned = reader.name === 'auditor' && facts.keyId === undefined
    return html`<li>
      <h3>${title}</h3>
      <p>${isUnsigned ? t.readers.auditor.textUnsigned : text}</p>
      <ul class="plain-list links">
        ${reader.paths.map((path) => {
          const name = path === 'errors' ? 'errorCatalog' : path
          return item(pathOfPage(locale, path), texts[name].title)
        })}
        ${'document' in reader && item(READ_PATHS[reader.document], t[`${reader.document}Link`])}
      </ul>
    </li> `
  })
  return html`<ul class="plain-list cards">
    ${cards}
  </ul>`
}

/** The publisher, a live verification, and links to the other pages. */
export const OVERVIEW_PAGE: Page = {
  path: '',
  title: (texts) => texts.overview.title,
  description: ({ overview }, { keyId }) =>
    keyId === undefined ? overview.descriptionUnsigned : overview.description,
  scripts: ['overview-page.js'],
  body(context) {
    const { locale, texts, facts, content } = context
    const t = texts.overview
    const organization = content.organization?.name
    const [named, unnamed] =
      facts.keyId === undefined ? [t.leadNamedUnsigned, t.leadUnsigned] : [t.leadNamed, t.lead]
    const verifyLink = link(pathOfPage(locale, 'verify'), t.checkMoreLink)
    const check = html`<p>${richText(t.checkText, { header: code(HEADERS.contentDigest) })}</p>
      ${codeBox(texts, 'check-command', t.checkLabel, checkingCommand(facts.origin))}
      ${
        facts.keyId === undefined
          ? html`<p class="note">${t.unsigned}</p>`
          : html`<p>${richText(t.checkMore, { link: verifyLink })}</p>`
      }`
    const reference = pathOfPage(locale, 'reference')
    const form = pathOfPage(locale, 'early-access')
    const chain = html`<p>${t.chainText}</p>
      ${chainPicture(context, CHAIN_LENGTH)}
      <p>${link(pathOfPage(locale, 'history'), t.historyLink)}</p>`
    return {
      main: html`<div class="hero">
          <div class="hero-text flow">
            ${organization !== undefined && html`<p class="eyebrow">${organization}</p>`}
            <h1 class="display">${t.heading}</h1>
            <p class="lead">
              ${organization === undefined ? unnamed : richText(named, { organization })}
            </p>
            <p class="actions">
              <a class="button" href="${reference}">${t.toReference}</a>
              <a class="button-quiet" href="${form}">${t.toEarlyAccess}</a>
            </p>
            ${pageSection('status', t.statusTitle, statusNow(context))}
          </div>
          ${livePanel(context)}
        </div>
        ${pageSection('chain', t.chainTitle, chain)}
        ${pageSection('readers', t.readersTitle, readerCards(context))}
        <div class="columns-2">
          ${pageSection('version', t.versionTitle, newestVersion(context))}
          ${pageSection('check', t.checkTitle, check)}
        </div>`,
    }
  },
}
