import { READ_PATHS } from '../contract/read-paths.ts'
import { HEADERS } from '../contract/headers.ts'
import { isSnapshotName, SNAPSHOT_SCHEMAS } from '../contract/snapshot-schemas.ts'
import { CHANGE_KINDS } from '../contract/version-chain.ts'
import { codeBox, copyButton } from './code-box.ts'
import { contractText } from './contract-texts.ts'
import { chainPicture } from './chain-picture.ts'
import { html, type Html, type HtmlValue } from './html.ts'
import { livePanel } from './live-panel.ts'
import { momentHtml } from './moments.ts'
import { pathOfPage, type Page, type PageContext } from './page.ts'
import { countText, inEnglish, listHtml, operatorText, richText } from './rich-text.ts'
import { fromSnapshot, publishedState } from './snapshot-sections.ts'
import type { Texts } from './texts.ts'
import { labelFor } from './enum-labels.ts'

const HASH_ID = 'newest-hash'

/** Changes of the newest version, one line for each kind. */
function changesOf({ locale, texts, facts }: PageContext): HtmlValue {
  const t = texts.overview
  const { changes } = facts.head
  if (changes.length === 0) return t.noChanges
  return CHANGE_KINDS.map((kind) => {
    const changed = changes.filter((change) => change.kind === kind)
    if (changed.length === 0) return undefined
    const names = changed.map(({ resource }) =>
      isSnapshotName(resource)
        ? contractText(locale, SNAPSHOT_SCHEMAS[resource].title)
        : html`<code>${resource}</code>`,
    )
    return html`<p>
      ${richText(t.change, {
        kind: labelFor(texts, 'resourceChange', kind),
        resources: listHtml(locale, names),
      })}
    </p> `
  })
}

function statusNow(context: PageContext): Html {
  const { locale, texts, content } = context
  const t = texts.overview
  return html`<section>
    <h2 id="status">${t.statusTitle}</h2>
    ${fromSnapshot(
      context,
      'status',
      (status) =>
        html`${publishedState(context, status)}
          <p>${operatorText(content, status.summary)}</p>`,
    )}
    <p><a href="${pathOfPage(locale, 'status')}">${t.statusLink}</a></p>
  </section>`
}

function newestVersion(context: PageContext): Html {
  const { locale, texts, facts } = context
  const t = texts.overview
  const { snapshotId, createdAt, hash, note } = facts.head
  return html`<section class="newest">
    <h2 id="version">${t.versionTitle}</h2>
    <dl class="facts">
      <dt>${t.versionId}</dt>
      <dd>
        <a href="${READ_PATHS.version}"><code>${snapshotId}</code></a>
        <span class="muted small">${countText(locale, t.versionCount, facts.versionCount)}</span>
      </dd>
      <dt>${t.publishedAt}</dt>
      <dd>${momentHtml(locale, createdAt)}</dd>
      <dt>${t.hash}</dt>
      <dd>
        <code id="${HASH_ID}">${hash}</code>
        ${copyButton(texts, { from: HASH_ID, what: t.hashWhat })}
      </dd>
      ${
        note !== '' &&
        html`<dt>${t.note}</dt>
          <dd>${inEnglish(locale, note)}</dd>`
      }
      <dt>${t.changes}</dt>
      <dd>${changesOf(context)}</dd>
    </dl>
  </section>`
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
  return html`<section>
    <h2 id="check">${t.checkTitle}</h2>
    <p>${richText(t.checkText, { header: html`<code>${HEADERS.contentDigest}</code>` })}</p>
    ${codeBox(texts, {
      id: 'check-command',
      label: t.checkLabel,
      code: checkingCommand(facts.origin),
    })}
    ${
      facts.keyId === undefined
        ? html`<p class="note">${t.unsigned}</p>`
        : html`<p>${richText(t.checkMore, { link: verifyLink })}</p>`
    }
  </section>`
}

/** A link to another page, by the key of its texts. */
interface Place {
  readonly path: string
  readonly texts:
    | 'status'
    | 'roadmap'
    | 'changelog'
    | 'architecture'
    | 'history'
    | 'reference'
    | 'errorCatalog'
    | 'verify'
    | 'privacy'
}

const place = (texts: Place['texts'], path: string = texts): Place => ({ path, texts })

/** Groups of readers with their pages. */
const READERS = [
  { name: 'reader', places: [place('status'), place('roadmap'), place('changelog')] },
  { name: 'developer', places: [place('reference'), place('errorCatalog', 'errors')] },
  { name: 'auditor', places: [place('history'), place('verify')] },
  { name: 'operator', places: [place('architecture'), place('privacy')] },
] as const satisfies readonly {
  readonly name: keyof Texts['overview']['readers']
  readonly places: readonly Place[]
}[]

/** Machine-readable documents for a group of readers. */
const DOCUMENTS = {
  developer: { path: READ_PATHS.openapi, text: 'openapiLink' },
  operator: { path: READ_PATHS.policy, text: 'policyLink' },
} as const

function whereToGo({ locale, texts, facts }: PageContext): Html {
  const t = texts.overview
  const textOf = (name: keyof typeof t.readers): string =>
    name === 'auditor' && facts.keyId === undefined
      ? t.readers.auditor.textUnsigned
      : t.readers[name].text
  return html`<section>
    <h2 id="readers">${t.readersTitle}</h2>
    <ul class="plain-list cards">
      ${READERS.map(({ name, places }) => {
        const document = name === 'developer' || name === 'operator' ? DOCUMENTS[name] : undefined
        return html`<li>
          <h3>${t.readers[name].title}</h3>
          <p>${textOf(name)}</p>
          <ul class="plain-list links">
            ${places.map(
              (each) =>
                html`<li>
                  <a href="${pathOfPage(locale, each.path)}">${texts[each.texts].title}</a>
                </li> `,
            )}
            ${
              document !== undefined &&
              html`<li><a href="${document.path}">${t[document.text]}</a></li>`
            }
          </ul>
        </li> `
      })}
    </ul>
  </section>`
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
  return html`<section class="chain-section">
    <h2 id="chain">${t.chainTitle}</h2>
    <p>${t.chainText}</p>
    ${chainPicture(context, CHAIN_LENGTH)}
    <p><a href="${pathOfPage(locale, 'history')}">${t.historyLink}</a></p>
  </section>`
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
          <div class="hero-text">
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
