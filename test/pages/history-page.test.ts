import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  formatSnapshotId,
  GENESIS_PREVIOUS_HASH,
  type VersionEntry,
} from '@public-api/contract/history/version-chain'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { SNAPSHOT_NAMES, SNAPSHOT_SCHEMAS } from '@public-api/contract/snapshots/snapshot-schemas'
import { LOCALES } from '@public-api/contract/terms/locales'
import { html } from '../../src/pages/markup/html.ts'
import { contractText } from '../../src/pages/texts/contract-texts.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { type PublishedHistory } from '../../src/service/releases/releases.ts'
import { rewrittenReleases } from '../client/rewritten-releases.ts'
import { madeHistory } from '../support/made-releases.ts'
import { htmlFaults } from '../support/page-checks.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'

const { history } = TEXTS.en

/** As many characters as publishing takes. */
const MAX_NOTE_LENGTH = 500

function consistentReleases(count: number): PublishedHistory {
  return madeHistory(count)
}

function entryOf(releases: PublishedHistory, snapshotId: string): VersionEntry {
  const payload = releases.version(snapshotId)
  assert.ok(payload, snapshotId)
  return JSON.parse(payload.json) as VersionEntry
}

const pageOf = (app: RunningApp, locale = 'en'): Promise<string> => app.text(`/${locale}/history`)

/** The entries of the chain in the page, newest first. */
function entriesOf(page: string): readonly string[] {
  const [, chain = ''] = /<ol class="chain"[^>]*>([\s\S]*?)<\/ol>/.exec(page) ?? []
  return chain.split('<li class="chain-entry"').slice(1)
}

/** The text of a piece of markup. */
function textOf(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ')
}

for (const locale of LOCALES) {
  test(`the chain in ${locale}: one entry per version, each linked by its hash`, async (t) => {
    const releases = consistentReleases(4)
    const app = await runApp(t, { releases })
    const page = await pageOf(app, locale)
    assert.deepEqual(await htmlFaults(page), [])
    const entries = entriesOf(page)
    assert.equal(entries.length, 4)
    assert.equal(page.includes(TEXTS[locale].snapshot.notesInEnglish), locale !== 'en')
    for (const [index, shown] of entries.entries()) {
      const entry = entryOf(releases, `VS-000${4 - index}`)
      for (const expected of [
        `id="${entry.snapshotId.toLowerCase()}"`,
        `<code class="hash">${entry.hash}</code>`,
        `datetime="${entry.createdAt}"`,
        entry.note,
        `href="/${locale}/history/${entry.snapshotId}"`,
        ...(entry.sequence === 1
          ? [TEXTS[locale].version.genesis]
          : [
              TEXTS[locale].history.kinds.changed,
              `href="/${locale}/history/${entry.snapshotId}#changes-status"`,
              html`${contractText(locale, SNAPSHOT_SCHEMAS.status.title)}`.text,
            ]),
      ]) {
        assert.ok(shown.includes(expected), expected)
      }
      // Each hash is shown once: by its own version.
      assert.equal(textOf(page).split(entry.hash).length, 2)
      const below = entries[index + 1]
      if (below === undefined) assert.equal(entry.previousHash, GENESIS_PREVIOUS_HASH)
      else assert.ok(below.includes(`>${entry.previousHash}</code>`))
    }
    // The list comes before the audit.
    assert.ok(page.indexOf('class="chain"') < page.indexOf('id="audit-form"'))
    const { newest, genesis } = TEXTS[locale].history
    assert.deepEqual(
      entries.map((entry) => [newest, genesis].filter((tag) => entry.includes(`>${tag}</span>`))),
      [[newest], [], [], [genesis]],
    )
    assert.ok(!page.includes('id="older"'))
  })

  test(`a long chain in ${locale} shows the newest versions and links to the rest`, async (t) => {
    const app = await runApp(t, { releases: consistentReleases(60) })
    const page = await pageOf(app, locale)
    assert.ok(Buffer.byteLength(page) < 60_000, `${Buffer.byteLength(page)} bytes`)
    const entries = entriesOf(page)
    assert.ok(entries.length >= 15)
    assert.ok(entries[0]?.includes('VS-0060'))
    const [, older = ''] = /<p class="older" id="older">([\s\S]*?)<\/p>/.exec(page) ?? []
    assert.match(textOf(older), new RegExp(`\\b${60 - entries.length}\\b`))
    assert.ok(older.includes(`href="${READ_PATHS.versions}"`))
    assert.ok(older.includes(`href="/${locale}/history/VS-0001"`))
    assert.deepEqual(await htmlFaults(page), [])
  })
}

test('large versions shorten the chain instead of growing the page', async (t) => {
  const releases = rewrittenReleases(30, 'all', (entry) => ({
    ...entry,
    resources: Object.fromEntries(
      SNAPSHOT_NAMES.map((name) => [name, String(entry.sequence).padStart(43, 'A')]),
    ),
    note: '\u5b57'.repeat(MAX_NOTE_LENGTH),
  }))
  for (const locale of LOCALES) {
    const page = await pageOf(await runApp(t, { releases }), locale)
    assert.ok(Buffer.byteLength(page) < 60_000, `${Buffer.byteLength(page)} bytes`)
    const { length } = entriesOf(page)
    assert.ok(length >= 5 && length < 20, `${length} entries`)
    assert.ok(page.includes('id="older"'))
  }
})

test('names every kind of change, and the absence of changes', async (t) => {
  const changes = [
    { resource: 'new-here', kind: 'added', title: 'new-here' },
    { resource: 'status', kind: 'changed', title: SNAPSHOT_SCHEMAS.status.title },
    { resource: 'roadmap', kind: 'removed', title: SNAPSHOT_SCHEMAS.roadmap.title },
  ] as const
  const releases = rewrittenReleases(2, 2, (entry) => {
    const { roadmap: _, ...resources } = entry.resources
    const added = { ...resources, 'new-here': 'A'.repeat(43) }
    return { ...entry, resources: added, note: 'a < b & "c"' }
  })
  const none = rewrittenReleases(2, 'all', (entry) => ({ ...entry, resources: {} }))
  const [page = '', without = ''] = await Promise.all(
    [releases, none].map(async (each) => pageOf(await runApp(t, { releases: each }))),
  )
  const text = textOf(entriesOf(page)[0] ?? '')
  for (const { title, kind } of changes) {
    assert.match(text, new RegExp(`${history.kinds[kind]}\\s+${title}`), kind)
  }
  assert.ok(page.includes('a &lt; b &amp; &quot;c&quot;'))
  assert.ok(entriesOf(without)[0]?.includes(history.noChanges))
})

test('serves the searched index in pieces, which together list every version', async (t) => {
  const app = await runApp(t, { releases: consistentReleases(201) })
  const idsOf = async (piece: number): Promise<readonly string[]> => {
    const response = await app.fetch(`/history-index/${piece}.json`)
    assert.equal(response.status, 200)
    const { versions } = (await response.json()) as { versions: readonly [string][] }
    return versions.map(([snapshotId]) => snapshotId)
  }
  const newestFirst = Array.from({ length: 201 }, (_, index) => formatSnapshotId(201 - index))
  assert.deepEqual([...(await idsOf(2)), ...(await idsOf(1))], newestFirst)
  for (const name of ['0', '3', '01', '1e0', '999999999']) {
    assert.equal((await app.fetch(`/history-index/${name}.json`)).status, 404, name)
  }
})
