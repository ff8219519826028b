import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/registry/locales'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import { titleIn } from '../support/snapshot-title.ts'
import { pathOfPage } from '../../src/pages/page.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { releasesOf } from '../support/made-content.ts'
import { attributeOf, parsePage, textIn, unescapeHtml } from '../support/page-markup.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function overview(app: RunningApp, locale: (typeof LOCALES)[number] = 'en') {
  const response = await app.fetch(pathOfPage(locale, ''))
  assert.equal(response.status, 200)
  const markup = parsePage(await response.text())
  return { markup, text: markup.all('main').map(textIn).join(' ') }
}

for (const locale of LOCALES) {
  test(`the overview in ${locale} shows the latest version and the status`, async (t) => {
    const releases = releasesOf(
      {},
      {
        note: 'A note & more.',
        previous: ({ 'wallet/security': _, ...others }) => ({
          ...others,
          status: 'A'.repeat(43),
          'not-known-here': 'A'.repeat(43),
        }),
      },
    )
    const app = await runApp(t, { releases })
    const { markup, text } = await overview(app, locale)
    const { overview: texts, labels } = TEXTS[locale]
    const head = JSON.parse(releases.head.json) as { hash: string; createdAt: string }
    assert.equal(markup.all('#newest-hash').map(textIn).join(), head.hash)
    assert.ok(text.includes('VS-0002'))
    assert.ok(text.includes('A note & more.'))
    assert.equal(text.includes(TEXTS[locale].snapshot.notesInEnglish), locale !== 'en')
    assert.equal(markup.all(`time[datetime="${head.createdAt}"]`).length, 1)
    for (const [resource, kind] of [
      [titleIn(locale, 'status'), labels.resourceChange.changed],
      [titleIn(locale, 'wallet/security'), labels.resourceChange.added],
      ['not-known-here', labels.resourceChange.removed],
    ] as const) {
      const change = `${kind} ${resource}`
      assert.ok(text.includes(change), change)
    }
    assert.ok(text.includes(labels.componentState.operational))
    const links = new Set(markup.all('main a').map((link) => attributeOf(link, 'href')))
    for (const page of ['reference', 'early-access', 'verify', 'history', 'status']) {
      assert.ok(links.has(pathOfPage(locale, page)), page)
    }
    assert.ok(!text.includes(texts.unsigned))
  })
}

test('lists the published state of each component', async (t) => {
  const app = await runApp(t, { releases: releasesOf({}) })
  const { data } = (await (await app.fetch('/api/v1/status')).json()) as {
    data: { components: readonly { name: string }[] }
  }
  const { markup } = await overview(app)
  const names = data.components.map(({ name }) => name)
  assert.notEqual(names.length, 0)
  assert.deepEqual(markup.all('[aria-labelledby="status"] .facts dt').map(textIn), names)
  assert.equal(markup.all('[aria-labelledby="status"] .facts dd').length, names.length)
})

test('handles a version without changes and without a note', async (t) => {
  const { text } = await overview(
    await runApp(t, { releases: releasesOf({}, { note: '', previous: (resources) => resources }) }),
  )
  assert.ok(text.includes(TEXTS.en.overview.noChanges))
  assert.ok(!text.includes(TEXTS.en.overview.note))
})

test('a deployment that does not sign says so', async (t) => {
  const { text } = await overview(await runApp(t, { signing: undefined }))
  assert.ok(text.includes(TEXTS.en.overview.unsigned))
})

test('renders when every resource is damaged', async (t) => {
  const releases = releasesOf({}, { damaged: SNAPSHOT_NAMES })
  const { text } = await overview(await runApp(t, { releases }))
  assert.ok(text.includes(TEXTS.en.snapshot.damagedTitle))
  assert.ok(text.includes('VS-0001'))
})

/** What a shell writes for a command in a folder; undefined where the command fails. */
function shell(command: string, folder: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], { cwd: folder, timeout: 20_000 }, (error, out) => {
      resolve(error === null ? out : undefined)
    })
  })
}

test('the commands print the digest of the header', async (t) => {
  const folder = temporaryFolder(t)
  if ((await shell('command -v curl && command -v openssl', folder)) === undefined) {
    t.skip('curl or openssl is missing')
    return
  }
  // The page gets its origin before the port is known, so the command is pointed at the running app.
  const origin = 'https://api.example.test'
  const app = await runApp(t, { baseUrl: origin })
  const { markup } = await overview(app)
  // As in the box, line break included.
  const command = unescapeHtml(
    markup
      .all('#check-command')
      .map((code) => code.textContent)
      .join(),
  )
  assert.ok(command.includes(`${origin}/api/v1/status`), command)
  const out = await shell(command.replace(origin, app.origin), folder)
  assert.ok(out !== undefined, command)
  const stated = /^content-digest: sha-256=:(.+):\r?$/im.exec(out)?.[1]
  assert.ok(stated !== undefined, out)
  assert.equal(out.trim().split('\n').at(-1), stated)
})
