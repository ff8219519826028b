import { SIGNED_TEXT_LINES } from '@public-api/contract/http/signature'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { isTranslation } from '@public-api/contract/registry/resource-names'
import { HORIZONS } from '@public-api/contract/snapshots/snapshot-parts'
import { HEADERS } from '@public-api/contract/terms/headers'
import { pathOfPage } from '../addresses.ts'
import {
  anchor,
  codeBox,
  link,
  pageSection,
  pendingSteps,
  scriptTexts,
} from '../markup/elements.ts'
import { code, html, type Html } from '../markup/html.ts'
import {
  countText,
  inEnglish,
  listHtml,
  operatorText,
  plainText,
  richText,
} from '../markup/rich-text.ts'
import { type Page, type PageContext } from '../page.ts'
import { chainPicture } from '../pictures/chain-picture.ts'
import { labelFor } from '../texts/enum-labels.ts'
import { dayHtml } from '../texts/moments.ts'
import { integrityOf } from '../verify/native-check.ts'
import { fromSnapshot, languageNote, notesLanguage, resourceTitle } from './snapshot-sections.ts'
import { nextMaintenance, openIncidents, stateNow, troubledComponents } from './status-now.ts'

const CHAIN_LENGTH = 4
/** Number of versions and of planned items on the page. */
const SHOWN_VERSIONS = 3
const SHOWN_PLANS = 4

/** Longest name in the largest size: it takes three lines there. */
const DISPLAY_CHARACTERS = 40

/** Shown until the response arrives. */
const UNKNOWN = '…'

/** What the browser verified of a real response: the verdict, the six lines and each check. One line until it is opened. */
function liveDetails({ locale, texts, facts }: PageContext): Html {
  const { proof } = texts
  const t = texts.overview.panel
  if (facts.keyId === undefined)
    return html`<p class="note note-warn">${texts.overview.unsigned}</p>`
  const known = [SIGNED_TEXT_LINES[0], 'GET', READ_PATHS.status, UNKNOWN, UNKNOWN, UNKNOWN]
  const labels = Object.values(proof.steps).map(({ label }) => label)
  const verify = html`<a href="${pathOfPage(locale, 'verify')}">${texts.overview.checkMoreLink}</a>`
  return html`<noscript><p class="note">${t.noScript}</p></noscript>
    <details class="live small needs-script" id="live-details" data-browser>
      <summary>${t.details}</summary>
      <p class="verdict" id="live-verdict">
        <span class="state state-idle">${proof.states.running}</span>
      </p>
      <p class="muted">${richText(t.lead, { path: code(READ_PATHS.status) })}</p>
      <h3 id="live-lines">${anchor('live-lines', t.lines)}</h3>
      <ol class="signed-lines">
        ${known.map((line) => html`<li><code>${line}</code></li> `)}
      </ol>
      <h3 id="live-signed">${anchor('live-signed', t.signature)}</h3>
      <p class="signature-line"><code id="live-signature">${UNKNOWN}</code></p>
      <h3 id="live-checks">${anchor('live-checks', t.checks)}</h3>
      <div id="live-steps" class="compact-steps" data-integrity="${integrityOf(facts)}">
        ${pendingSteps(labels, proof.states)}
      </div>
      <p class="actions">
        <button type="button" id="live-again">${t.again}</button>
        ${verify}
      </p>
    </details>
    ${scriptTexts('verify', texts.verify.script)}`
}

/** The published state, and in an outage the incidents, the components and the next maintenance. */
function statusNow(context: PageContext): Html {
  const { locale, texts } = context
  const state = fromSnapshot(context, 'status', (status) => {
    const open = openIncidents(context, status, { isOnStatus: false })
    const components = troubledComponents(context, status)
    const maintenance = nextMaintenance(context, status)
    const isTrouble = open !== undefined || components !== undefined
    return html`${stateNow(context, status, 'live-verdict')}
    ${
      isTrouble
        ? html`<div class="trouble">
            ${open !== undefined && html`<div>${open}</div>`}
            <div>${components} ${maintenance} ${languageNote(context, 'status')}</div>
          </div>`
        : html`${maintenance} ${languageNote(context, 'status')}`
    }`
  })
  return html`${state}
    <p>${link(pathOfPage(locale, 'status'), texts.overview.statusLink)}</p>
    ${liveDetails(context)}`
}

/** The newest versions with their notes and what each changed. */
function newestChanges(context: PageContext): Html {
  const { locale, texts, facts } = context
  const t = texts.overview
  const entries = facts.newestVersions(SHOWN_VERSIONS)
  return html`${notesLanguage(context)}
    <ul class="plain-list newest">
      ${entries.map(({ snapshotId, sequence, createdAt, note, changes }) => {
        const page = pathOfPage(locale, `history/${snapshotId}`)
        const ownChanges = changes.filter(({ resource }) => !isTranslation(resource))
        const named = ownChanges.length > 0 ? ownChanges : changes
        const titles = named.map(({ resource }) => resourceTitle(context, resource))
        return html`<li>
          <p class="muted small">${dayHtml(locale, createdAt)}</p>
          <p>
            ${link(page, note === '' ? plainText(texts.version.title, { version: snapshotId }) : inEnglish(locale, note))}
          </p>
          <p class="muted small">
            ${
              changes.length === 0
                ? texts.history.noChanges
                : sequence === 1
                  ? texts.version.genesis
                  : richText(t.changedIn, {
                      version: code(snapshotId),
                      resources: listHtml(locale, titles),
                    })
            }
          </p>
        </li> `
      })}
    </ul>
    <p>
      ${link(pathOfPage(locale, 'history'), countText(locale, t.allVersions, facts.versionCount))}
    </p>`
}

/** The nearest items of the roadmap. */
function nearestPlans(context: PageContext): Html {
  const { locale, texts, content } = context
  const page = pathOfPage(locale, 'roadmap')
  const plans = fromSnapshot(context, 'roadmap', ({ items }) => {
    const nearest = HORIZONS.flatMap((horizon) => items.filter((item) => item.horizon === horizon))
    return html`${languageNote(context, 'roadmap')}
      ${nearest.length === 0 && html`<p class="muted">${texts.roadmap.none}</p>`}
      <ul class="plain-list newest">
        ${nearest.slice(0, SHOWN_PLANS).map(
          ({ id, title, summary, horizon }) =>
            html`<li>
              <p class="muted small">${labelFor(texts, 'horizon', horizon)}</p>
              <p>${link(`${page}#roadmap-${id}`, operatorText(content, title))}</p>
              <p class="muted small">${operatorText(content, summary)}</p>
            </li> `,
        )}
      </ul>`
  })
  return html`${plans}
    <p>${link(page, texts.overview.roadmapLink)}</p>`
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
    const id = `reader-${reader.name}`
    return html`<li>
      <h3 id="${id}">${anchor(id, title)}</h3>
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
  return html`<ul class="plain-list cards full">
    ${cards}
  </ul>`
}

/** The publisher, a live verification, and links to the other pages. */
export const OVERVIEW_PAGE: Page = {
  path: '',
  isOfStatus: true,
  title: (texts) => texts.overview.title,
  description: ({ overview }, { keyId }) =>
    keyId === undefined ? overview.descriptionUnsigned : overview.description,
  scripts: () => ['overview-page.js'],
  body(context) {
    const { locale, texts, facts, content } = context
    const t = texts.overview
    const { name, description } = content.organization ?? {}
    const [named, unnamed] =
      facts.keyId === undefined ? [t.leadNamedUnsigned, t.leadUnsigned] : [t.leadNamed, t.lead]
    const explained =
      name === undefined ? html`${unnamed}` : richText(named, { organization: name })
    const verifyLink = link(pathOfPage(locale, 'verify'), t.checkMoreLink)
    const check = html`<p>${richText(t.checkText, { header: code(HEADERS.contentDigest) })}</p>
      ${codeBox(texts, 'check-command', t.checkLabel, checkingCommand(facts.origin))}
      ${
        facts.keyId === undefined
          ? html`<p class="note">${t.unsigned}</p>`
          : html`<p>${richText(t.checkMore, { link: verifyLink })}</p>`
      }`
    const title = name ?? t.heading
    const reference = pathOfPage(locale, 'reference')
    const form = pathOfPage(locale, 'early-access')
    const chain = html`<p>${t.chainText}</p>
      ${() => chainPicture(context, CHAIN_LENGTH)}
      <p>${link(`${pathOfPage(locale, 'history')}#audit`, t.historyLink)}</p>`
    const about = description !== undefined && operatorText(content, description)
    const status = content.snapshot('status')
    const isCalm = status === undefined || status.state === 'operational'
    const lead =
      about === false
        ? html`<p class="lead">${explained}</p>`
        : html`<p class="lead">${about}</p>
            <p>${explained}</p>`
    const text = html`${lead}
      <p class="actions">
        <a class="button" href="${reference}">${t.toReference}</a>
        ${
          !facts.isLeftOut('early-access') &&
          content.earlyAccess?.state !== 'closed' &&
          html`<a class="button-quiet" href="${form}">${t.toEarlyAccess}</a>`
        }
      </p>`
    return {
      main: html`<div class="hero-room">
          <div class="hero ${isCalm ? 'hero-calm' : 'hero-trouble'}">
            <div class="hero-name flow">
              ${name !== undefined && isCalm && html`<p class="eyebrow">${t.heading}</p>`}
              <h1 ${isCalm && title.length <= DISPLAY_CHARACTERS && html`class="display"`}>
                ${title}
              </h1>
              ${isCalm && text}
            </div>
            <div class="hero-state panel">
              ${
                isCalm
                  ? pageSection('status', t.statusTitle, () => statusNow(context))
                  : html`<section aria-labelledby="status">
                      <h2 id="status" class="hidden-text">${t.statusTitle}</h2>
                      ${() => statusNow(context)}
                    </section>`
              }
            </div>
            ${!isCalm && html`<div class="hero-text flow">${text}</div>`}
          </div>
        </div>
        <div class="columns-2">
          ${pageSection('newest', t.newestTitle, () => newestChanges(context))}
          ${pageSection('plans', t.plansTitle, () => nearestPlans(context))}
        </div>
        ${pageSection('chain', t.chainTitle, chain)} ${pageSection('check', t.checkTitle, check)}
        ${pageSection('readers', t.readersTitle, () => readerCards(context))}`,
    }
  },
}
