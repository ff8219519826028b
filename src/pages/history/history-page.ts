import {
  CHANGE_KINDS,
  formatSnapshotId,
  type VersionEntry,
} from '@public-api/contract/history/version-chain'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { isTranslation } from '@public-api/contract/registry/resource-names'
import { TLOG_FILE_BYTES } from '../../tlog/tlog-files.ts'
import { pathOfPage } from '../addresses.ts'
import { feedLinks } from '../files/feeds.ts'
import { bulletList, codeLink, link, proofTexts, scriptTexts } from '../markup/elements.ts'
import { code, html, type Html } from '../markup/html.ts'
import { newestShown, type ShownLimits } from '../markup/newest-shown.ts'
import { countText, inEnglish, plainText, richText, sentencesHtml } from '../markup/rich-text.ts'
import { type Page, type PageBody, type PageContext } from '../page.ts'
import { notesLanguage, resourceTitle } from '../snapshots/snapshot-sections.ts'
import { momentHtml } from '../texts/moments.ts'
import { changesId } from './resource-changes.ts'
import { sinceLink } from './since-page.ts'
import { INDEX_PATH, INDEX_PIECE } from './version-index.ts'

/** How much of the chain is drawn. */
const DRAWN: ShownLimits = { items: 20, bytes: 24_000 }

/** The changed resources by kind, translations last. Each leads to its changes on the page of the version. */
function changesOf(context: PageContext, { changes, sequence }: VersionEntry, page: string): Html {
  const { history, version } = context.texts
  if (changes.length === 0) return html`<p class="muted small">${history.noChanges}</p>`
  if (sequence === 1) return html`<p class="muted small">${version.genesis}</p>`
  const linkTo = (resource: string): Html =>
    link(`${page}#${changesId(resource)}`, resourceTitle(context, resource))
  return html`<dl class="changes row small">
    ${CHANGE_KINDS.map((kind) => {
      const ofKind = changes
        .filter((change) => change.kind === kind)
        .toSorted((a, b) => Number(isTranslation(a.resource)) - Number(isTranslation(b.resource)))
      return (
        ofKind.length > 0 &&
        html`<div class="row">
          <dt><span class="tag tag-${kind}">${history.kinds[kind]}</span></dt>
          ${ofKind.map(({ resource }) => html`<dd>${linkTo(resource)}</dd> `)}
        </div> `
      )
    })}
  </dl>`
}

/** A version with its hash, which the version above it names. The script finds it by its id. */
function chainEntry(context: PageContext, entry: VersionEntry, isNewest: boolean): Html {
  const { locale, texts } = context
  const { history } = texts
  const { snapshotId, sequence, createdAt, note, hash } = entry
  const page = pathOfPage(locale, `history/${snapshotId}`)
  return html`<li class="chain-entry" id="${snapshotId.toLowerCase()}">
    <div class="entry-head">
      <h3>
        <a href="${page}"><code>${snapshotId}</code></a>
      </h3>
      ${isNewest && html`<span class="tag">${history.newest}</span>`}
      ${sequence === 1 && html`<span class="tag">${history.genesis}</span>`}
      <span class="muted small">${momentHtml(locale, createdAt)}</span>
      <span class="entry-proof"></span>
    </div>
    ${note !== '' && html`<p>${inEnglish(locale, note)}</p>`} ${changesOf(context, entry, page)}
    <p class="small">
      <code class="hash">${hash}</code>
      ${
        !isNewest &&
        sinceLink(context, snapshotId, plainText(texts.since.changesSince, { version: snapshotId }))
      }
    </p>
  </li> `
}

/** Finds a version by its number, its hash or a digest in it. The script reads the pieces of the index. */
function versionSearch({ texts, facts }: PageContext): Html {
  const { find } = texts.history
  return html`<form
    class="find-version needs-script"
    id="find-version"
    data-browser
    role="search"
    data-index="${INDEX_PATH}"
    data-pieces="${Math.ceil(facts.versionCount / INDEX_PIECE)}"
    data-versions="${facts.versionCount}"
  >
    <div class="field">
      <label for="find-input">${find.label}</label>
      <p class="hint" id="find-hint">${find.hint}</p>
      <p class="actions">
        <input
          id="find-input"
          type="search"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          maxlength="100"
          aria-describedby="find-hint"
        />
        <button type="submit">${find.button}</button>
      </p>
    </div>
    <div id="find-result" role="status"></div>
  </form>`
}

/** Storage key of the last audit's head. */
export const SAVED_HEAD_NAME = 'svc-history-head'

/**
 * The audit before its script runs: what it does, its form, and the places that the script fills. Without scripts the
 * style sheet hides the form, and the equivalent command is shown.
 */
function auditForm({ locale, texts, facts }: PageContext): Html {
  const { history, log } = texts
  const hasLog = facts.logWitnesses !== undefined
  const logScript = hasLog && html` data-log="${facts.assetPath('log-audit.js')}"`
  const policyField =
    hasLog &&
    html`<div class="field">
      <label for="log-policy">${log.policyField}</label>
      <p class="hint" id="log-policy-hint">${log.policyHint}</p>
      <textarea
        id="log-policy"
        name="log-policy"
        rows="4"
        maxlength="${TLOG_FILE_BYTES.policy}"
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        aria-describedby="log-policy-hint"
      ></textarea>
    </div> `
  const pinLink = html`<a href="${pathOfPage(locale, 'verify')}#key"
    >${history.auditOwnWordLink}</a
  >`
  const { commands } = facts
  const command = commands && html`<code>${commands} audit ${facts.origin}</code>`
  return html`<p class="needs-script">${history.auditWhat}</p>
    <p class="needs-script">${richText(history.auditKeeps, { name: code(SAVED_HEAD_NAME) })}</p>
    <p>${richText(history.auditOwnWord, { link: pinLink })}</p>
    <noscript>
      <p class="note">
        ${sentencesHtml(locale, [
          history.auditNeedsScript,
          command && richText(history.auditCommand, { command }),
        ])}
      </p>
    </noscript>
    <form
      class="needs-script"
      id="audit-form"
      data-browser
      data-kept="${SAVED_HEAD_NAME}"
      data-audit="${facts.assetPath('audit.js')}"
      ${commands !== undefined && html`data-commands="${commands}"`}
      ${logScript}
      novalidate
    >
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
      ${policyField}
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

function body(context: PageContext): PageBody {
  const { locale, texts, facts } = context
  const { history } = texts
  const count = facts.versionCount
  const { shown } = newestShown(facts.newestVersions(DRAWN.items), DRAWN, (entry, index) =>
    chainEntry(context, entry, index === 0),
  )
  const older = count - shown.length
  const first = formatSnapshotId(1)
  const reading = bulletList([
    history.readingHash,
    history.readingLink,
    history.readingGenesis,
    history.readingHead,
  ])
  const audit = html`${facts.keyId === undefined && html`<p class="note note-warn">${history.auditUnsigned}</p>`}
  ${auditForm(context)}`
  const chain = html`${versionSearch(context)}${notesLanguage(context)}
    <ol class="chain" reversed start="${count}">
      ${shown}
    </ol>
    ${
      older > 0 &&
      html`<p class="older" id="older">
        ${countText(locale, history.older, older)}
        ${richText(history.olderWhere, {
          index: codeLink(READ_PATHS.versions),
          first: link(pathOfPage(locale, `history/${first}`), code(first)),
        })}
      </p>`
    }`
  return {
    main: html`<h1>${history.title}</h1>
      <p class="lead">${history.lead}</p>
      <p>${countText(locale, history.versions, count)}</p>
      ${feedLinks(context, 'feed')}`,
    sections: [
      ['chain', history.chainTitle, chain],
      ['audit', history.auditTitle, audit],
      ['reading', history.readingTitle, reading],
    ],
    after: [
      scriptTexts('find', history.find.script),
      scriptTexts('history', history.script),
      proofTexts(texts),
      ...(facts.logWitnesses === undefined ? [] : [scriptTexts('log', texts.log.script)]),
    ],
  }
}

/** The versions, newest first, and the audit of their chain. */
export const HISTORY_PAGE: Page = {
  path: 'history',
  title: (texts) => texts.history.title,
  description: (texts) => texts.history.description,
  scripts: () => ['history-page.js'],
  body,
}
