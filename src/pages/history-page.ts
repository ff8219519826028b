import { READ_PATHS } from '../contract/read-paths.ts'
import {
  formatSnapshotId,
  GENESIS_PREVIOUS_HASH,
  type VersionEntry,
} from '../contract/version-chain.ts'
import { bulletList, codeLink, factList, scriptTexts } from './elements.ts'
import { auditForm } from './history-audit.ts'
import { code, html, type Html } from './html.ts'
import { momentHtml } from './moments.ts'
import { newestShown, type ShownLimits } from './newest-shown.ts'
import type { Page, PageBody, PageContext } from './page.ts'
import { countText, inEnglish, richText } from './rich-text.ts'
import { notesLanguage, resourceTitle } from './snapshot-sections.ts'

/** How much of the chain is drawn. */
const DRAWN: ShownLimits = { items: 20, bytes: 28_000 }

/** Id of a version's entry, used by the script. */
function entryId(snapshotId: string): string {
  return snapshotId.toLowerCase()
}

function changesOf(context: PageContext, { changes }: VersionEntry): Html {
  const { history } = context.texts
  if (changes.length === 0) return html`<p class="muted">${history.noChanges}</p>`
  return html`<ul class="changes" aria-label="${history.changes}">
    ${changes.map(
      ({ resource, kind }) =>
        html`<li>
          <span class="tag tag-${kind}">${history.kinds[kind]}</span>
          ${resourceTitle(context, resource)}
        </li> `,
    )}
  </ul>`
}

/** The link to the previous version: intact, broken, or the start of the chain. */
function linkOf(
  { texts }: PageContext,
  entry: VersionEntry,
  before: VersionEntry | undefined,
): Html {
  const { history } = texts
  const { sequence, previousHash } = entry
  const isGenesis = sequence === 1
  const version = code(formatSnapshotId(sequence - 1))
  const isBroken = isGenesis
    ? previousHash !== GENESIS_PREVIOUS_HASH
    : before !== undefined && before.hash !== previousHash
  if (isBroken) {
    const found = before?.hash ?? GENESIS_PREVIOUS_HASH
    return html`<div class="link link-broken">
      <p class="state state-bad">
        ${richText(history.brokenLink, { version })} <code class="hash">${previousHash}</code>
      </p>
      <p>${richText(history.brokenFound, { version })} <code class="hash">${found}</code></p>
    </div>`
  }
  const words = isGenesis ? html`${history.genesisLink}` : richText(history.link, { version })
  return html`<p class="link ${isGenesis ? 'link-first' : ''}">
    ${words} <code class="hash">${previousHash}</code>
  </p>`
}

function chainEntry(
  context: PageContext,
  entry: VersionEntry,
  before: VersionEntry | undefined,
  isNewest: boolean,
): Html {
  const { locale, texts } = context
  const { history } = texts
  const { snapshotId, sequence, createdAt, note, registryVersion, hash } = entry
  const id = entryId(snapshotId)
  return html`<li class="chain-entry" id="${id}" data-hash="${hash}">
    <div class="entry-head">
      <h3><code>${snapshotId}</code></h3>
      ${isNewest && html`<span class="tag">${history.newest}</span>`}
      ${sequence === 1 && html`<span class="tag">${history.genesis}</span>`}
      <span class="entry-proof"></span>
    </div>
    <p class="entry-when">${momentHtml(locale, createdAt)}</p>
    <p class="entry-note">${inEnglish(locale, note)}</p>
    ${changesOf(context, entry)}
    ${factList([
      [history.registryVersion, code(registryVersion)],
      [history.hash, html`<code class="hash">${hash}</code>`],
    ])}
    ${linkOf(context, entry, before)}
  </li> `
}

/** The number of versions that are not drawn, with a link to them. */
function older({ locale, texts }: PageContext, count: number): Html | false {
  if (count === 0) return false
  const { history } = texts
  const first = formatSnapshotId(1)
  return html`<p class="older" id="older">
    ${countText(locale, history.older, count)}
    ${richText(history.olderWhere, {
      index: codeLink(READ_PATHS.versions),
      first: html`<a href="${READ_PATHS.versions}/${first}">${code(first)}</a>`,
    })}
  </p>`
}

function body(context: PageContext): PageBody {
  const { locale, texts, facts } = context
  const { history } = texts
  const count = facts.versionCount
  // One more than is drawn, to compare the last link with its version.
  const entries = facts.newestVersions(DRAWN.items + 1)
  const { shown } = newestShown(entries, DRAWN, (entry, index) =>
    chainEntry(context, entry, entries[index + 1], index === 0),
  )
  const reading = bulletList([
    history.readingHash,
    history.readingLink,
    history.readingGenesis,
    history.readingHead,
  ])
  const audit = html`${facts.keyId === undefined && html`<p class="note note-warn">${history.auditUnsigned}</p>`}
  ${auditForm(context)}`
  const chain = html`${notesLanguage(context)}
    <ol class="chain" reversed start="${count}">
      ${shown}
    </ol>
    ${older(context, count - shown.length)}`
  return {
    main: html`<h1>${history.title}</h1>
      <p class="lead">${history.lead}</p>
      <p>${countText(locale, history.versions, count)}</p>`,
    sections: [
      ['reading', history.readingTitle, reading],
      ['audit', history.auditTitle, audit],
      ['chain', history.chainTitle, chain],
    ],
    after: [scriptTexts('history', history.script), scriptTexts('proof', texts.proof)],
  }
}

/** The chain of versions, drawn, and its audit. */
export const HISTORY_PAGE: Page = {
  path: 'history',
  title: (texts) => texts.history.title,
  description: (texts) => texts.history.description,
  scripts: ['history-page.js'],
  body,
}
