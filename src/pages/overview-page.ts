import { READ_PATHS } from '../contract/read-paths.ts'
import { HEADERS } from '../contract/headers.ts'
import { CHANGE_KINDS } from '../contract/version-chain.ts'
import { chainPicture } from './chain-picture.ts'
import { codeBox, copyButton, type Fact, factList, pageSection } from './elements.ts'
import { labelFor, stateBadge } from './enum-labels.ts'
import { code, html, type Html, type HtmlValue } from './html.ts'
import { livePanel } from './live-panel.ts'
import { momentHtml } from './moments.ts'
import { type Page, type PageContext, pathOfPage } from './page.ts'
import { countText, inEnglish, listHtml, operatorText, richText } from './rich-text.ts'
import {
  fromSnapshot,
  languageNote,
  notesLanguage,
  publishedState,
  resourceTitle,
} from './snapshot-sections.ts'

const HASH_ID = 'newest-hash'

/** Changes of the newest version, one row for each kind. */
function changesOf(context: PageContext): readonly Fact[] {
  const { locale, texts, facts } = context
  const { changes } = facts.head
  if (changes.length === 0) return [[texts.overview.changes, texts.overview.noChanges]]
  return CHANGE_KINDS.map((kind) => {
    const changed = changes.filter((change) => change.kind === kind)
    const titles = changed.map(({ resource }) => resourceTitle(context, resource))
    return [labelFor(texts, 'resourceChange', kind), titles.length > 0 && listHtml(locale, titles)]
  })
}

function statusNow(context: PageContext): Html {
  const { locale, texts, content } = context
  const t = texts.overview
  return pageSection(
    'status',
    t.statusTitle,
    html`${fromSnapshot(
        context,
        'status',
        (status) =>
          html`${publishedState(context, status)}${languageNote(context, 'status')}
            <p>${operatorText(content, status.summary)}</p>
            ${factList(
              status.components.map(({ name, state }) => [
                operatorText(content, name),
                stateBadge(texts, 'componentState', state),
              ]),
            )}`,
      )}
      <p><a href="${pathOfPage(locale, 'status')}">${t.statusLink}</a></p>`,
  )
}

function newestVersion(context: PageContext): Html {
  const { locale, texts, facts } = context
  const t = texts.overview
  const { snapshotId, createdAt, hash, note } = facts.head
  return pageSection(
    'version',
    t.versionTitle,
    factList([
      [
        t.versionId,
        html`<a href="${READ_PATHS.version}">${code(snapshotId)}</a>
          <span class="muted small"
            >${countText(locale, t.versionCount, facts.versionCount)}</span
          >`,
      ],
      [t.publishedAt, momentHtml(locale, createdAt)],
      [
        t.hash,
        html`<code id="${HASH_ID}">${hash}</code> ${copyButton(texts, HASH_ID, t.hashWhat)}`,
      ],
      [t.note, note !== '' && [inEnglish(locale, note), notesLanguage(context)]],
      ...changesOf(context),
    ]),
  )
}

/** Saves a response and shows its headers, then the digest of its body; both programs are on most systems. */
function checkingCommand(origin: string): string {
  const file = 'status.json'
  return `curl -sS -D - -o ${file} \\
  ${origin}${READ_PATHS.status}
openssl dgst -sha256 -binary ${file} | openssl base64`
}

function checkYourself({ locale, texts, facts }: PageContext): Html {
  const t = texts.overview
  const verifyLink = html`<a href="${pathOfPage(locale, 'verify')}">${t.checkMoreLink}</a>`
  return pageSection(
    'check',
    t.checkTitle,
    html`<p>${richText(t.checkText, { header: code(HEADERS.contentDigest) })}</p>
      ${codeBox(texts, 'check-command', t.checkLabel, checkingCommand(facts.origin))}
      ${
        facts.keyId === undefined
          ? html`<p class="note">${t.unsigned}</p>`
          : html`<p>${richText(t.checkMore, { link: verifyLink })}</p>`
      }`,
  )
}

/** Groups of readers with the paths of their pages, and a machine-readable document if there is one for them. */
const READERS = [
  { name: 'reader', paths: ['status', 'roadmap', 'changelog'] },
  { name: 'developer', paths: ['reference', 'errors'], document: 'openapi' },
  { name: 'auditor', paths: ['history', 'verify'] },
  { name: 'operator', paths: ['architecture', 'privacy'], document: 'policy' },
] as const

function whereToGo({ locale, texts, facts }: PageContext): Html {
  const t = texts.overview
  const titleOf = (path: (typeof READERS)[number]['paths'][number]): string =>
    texts[path === 'errors' ? 'errorCatalog' : path].title
  const item = (path: string, text: string): Html => html`<li><a href="${path}">${text}</a></li> `
  const cards = READERS.map((reader) => {
    const { title, text } = t.readers[reader.name]
    const isUnsigned = reader.name === 'auditor' && facts.keyId === undefined
    return html`<li>
      <h3>${title}</h3>
      <p>${isUnsigned ? t.readers.auditor.textUnsigned : text}</p>
      <ul class="plain-list links">
        ${reader.paths.map((path) => item(pathOfPage(locale, path), titleOf(path)))}
        ${'document' in reader && item(READ_PATHS[reader.document], t[`${reader.document}Link`])}
      </ul>
    </li> `
  })
  return pageSection(
    'readers',
    t.readersTitle,
    html`<ul class="plain-list cards">
      ${cards}
    </ul>`,
  )
}

/** Number of versions in the drawn chain. */
const CHAIN_LENGTH = 4

function lead({ texts, facts, content }: PageContext): HtmlValue {
  const t = texts.overview
  const isSigned = facts.keyId !== undefined
  const { organization } = content
  if (organization === undefined) return isSigned ? t.lead : t.leadUnsigned
  return richText(isSigned ? t.leadNamed : t.leadNamedUnsigned, { organization: organization.name })
}

function chainSection(context: PageContext): Html {
  const { locale, texts } = context
  const t = texts.overview
  return pageSection(
    'chain',
    t.chainTitle,
    html`<p>${t.chainText}</p>
      ${chainPicture(context, CHAIN_LENGTH)}
      <p><a href="${pathOfPage(locale, 'history')}">${t.historyLink}</a></p>`,
  )
}

/** The publisher, a live verification, and links to the other pages. */
export const OVERVIEW_PAGE: Page = {
  path: '',
  title: (texts) => texts.overview.title,
  description: ({ overview }, { keyId }) =>
    keyId === undefined ? overview.descriptionUnsigned : overview.description,
  scripts: ['overview-page.js'],
  body(context) {
    const { locale, texts, content } = context
    const t = texts.overview
    return {
      main: html`<div class="hero">
          <div class="hero-text flow">
            ${
              content.organization !== undefined &&
              html`<p class="eyebrow">${content.organization.name}</p>`
            }
            <h1 class="display">${t.heading}</h1>
            <p class="lead">${lead(context)}</p>
            <p class="actions">
              <a class="button" href="${pathOfPage(locale, 'reference')}">${t.toReference}</a>
              <a class="button-quiet" href="${pathOfPage(locale, 'early-access')}"
                >${t.toEarlyAccess}</a
              >
            </p>
            ${statusNow(context)}
          </div>
          ${livePanel(context)}
        </div>
        ${chainSection(context)} ${whereToGo(context)}
        <div class="columns-2">${newestVersion(context)} ${checkYourself(context)}</div>`,
    }
  },
}
