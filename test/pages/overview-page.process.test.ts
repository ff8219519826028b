import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { createExample } from '@public-api/contract/documents/examples'
import { ORGANIZATION_SCHEMA } from '@public-api/contract/snapshots/organization'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import { LOCALES } from '@public-api/contract/terms/locales'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { releasesOf } from '../support/made-content.ts'
import { attributeOf, parsePage, textIn } from '../support/page-markup.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { titleIn } from '../support/snapshot-title.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function overview(app: RunningApp, locale: (typeof LOCALES)[number] = 'en') {
  const markup = parsePage(await app.text(pathOfPage(locale, '')))
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
    assert.ok(text.includes('VS-0002'))
    assert.ok(text.includes('A note & more.'))
    assert.equal(text.includes(TEXTS[locale].snapshot.notesInEnglish), locale !== 'en')
    for (const change of [
      titleIn(locale, 'status'),
      titleIn(locale, 'wallet/security'),
      'not-known-here',
    ]) {
      assert.ok(text.includes(change), change)
    }
    const [newest] = markup.all('.newest a')
    assert.equal(newest && attributeOf(newest, 'href'), `/${locale}/history/VS-0002`)
    assert.ok(text.includes(labels.componentState.operational))
    const links = new Set(markup.all('main a').map((link) => attributeOf(link, 'href')))
    for (const page of ['reference', 'early-access', 'verify', 'history', 'status']) {
      assert.ok(links.has(pathOfPage(locale, page)), page)
    }
    assert.ok(!text.includes(texts.unsigned))
  })
}

test('says who publishes, in the language of the page, and what', async (t) => {
  const releases = releasesOf(
    {},
    {
      site: {
        'site/organization': {
          ...(createExample(ORGANIZATION_SCHEMA) as object),
          name: 'Tide House',
          description: 'It measures tides.',
        },
        'site/translations/th': {
          locale: 'th',
          resources: { 'site/organization': { description: 'วัดระดับน้ำ' } },
        },
      },
    },
  )
  const app = await runApp(t, { releases })
  for (const locale of LOCALES) {
    const { markup } = await overview(app, locale)
    const leads = markup.all('.hero .lead').map(textIn)
    assert.equal(leads[0], locale === 'th' ? 'วัดระดับน้ำ' : 'It measures tides.')
    assert.ok(markup.all('h1').map(textIn).join().includes('Tide House'))
  }
})

test('lists only the components that do not work as they should', async (t) => {
  const at = '2026-03-01T00:00:00Z'
  const component = (id: string, state: 'operational' | 'degraded') =>
    ({ id, name: `The ${id}`, summary: 'Works.', state, since: at }) as const
  const status = {
    state: 'operational',
    summary: 'Most of it works.',
    updatedAt: at,
    components: [component('api', 'operational'), component('feed', 'degraded')],
    incidents: [],
  } as const
  const { text } = await overview(await runApp(t, { releases: releasesOf({ status }) }))
  assert.ok(text.includes('The feed'))
  assert.ok(!text.includes('The api'))
})

test('shows the nearest plans first', async (t) => {
  const item = (id: string, horizon: 'now' | 'next' | 'later') =>
    ({ id, title: `Plan ${id}`, summary: 'It helps.', horizon }) as const
  const roadmap = {
    summary: 'Plans.',
    updatedAt: '2026-03-01T00:00:00Z',
    items: [item('c', 'later'), item('b', 'next'), item('a', 'now')],
  } as const
  const { markup } = await overview(await runApp(t, { releases: releasesOf({ roadmap }) }))
  const links = markup.all('[aria-labelledby="plans"] .newest a')
  assert.deepEqual(links.map(textIn), ['Plan a', 'Plan b', 'Plan c'])
  assert.equal(links[0] && attributeOf(links[0], 'href'), '/en/roadmap#roadmap-a')
})

test('handles a version without changes and without a note', async (t) => {
  const { text } = await overview(
    await runApp(t, { releases: releasesOf({}, { note: '', previous: (resources) => resources }) }),
  )
  assert.ok(text.includes(TEXTS.en.history.noChanges))
  assert.ok(text.includes('Version VS-0002'))
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
    execFile('sh', ['-c', command], { cwd: folder, timeout: 600_000 }, (error, out) => {
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
  const command = markup
    .all('#check-command')
    .map((code) => code.textContent)
    .join()
  assert.ok(command.includes(`${origin}/api/v1/status`), command)
  const out = await shell(command.replace(origin, app.origin), folder)
  assert.ok(out !== undefined, command)
  const stated = /^content-digest: sha-256=:(.+):\r?$/im.exec(out)?.[1]
  assert.ok(stated !== undefined, out)
  assert.equal(out.trim().split('\n').at(-1), stated)
})
