import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/registry/locales'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { fullContent, releasesOf } from '../support/made-content.ts'
import { attributeOf, parsePage, textIn } from '../support/page-markup.ts'
import { htmlFaults } from '../support/page-checks.ts'
import { runApp } from '../support/running-app.ts'

const content = fullContent((nth) => `Text <${nth}>.`)

for (const locale of LOCALES) {
  test(`says in ${locale} what a version published, with archive paths and digests`, async (t) => {
    const releases = releasesOf(content, {
      note: 'A <note>.',
      previous: ({ status: _, ...rest }) => rest,
    })
    const app = await runApp(t, { releases })
    const source = await (await app.fetch(`/${locale}/history/VS-0002`)).text()
    assert.deepEqual(await htmlFaults(source), [])
    assert.ok(Buffer.byteLength(source) < 60_000, `${Buffer.byteLength(source)} bytes`)
    const page = parsePage(source)
    const entry = JSON.parse(releases.version('VS-0002')?.json ?? '') as {
      hash: string
      previousHash: string
      resources: Record<string, string>
    }
    const text = page.all('main').map(textIn).join()
    for (const part of ['A <note>.', entry.hash, entry.previousHash]) assert.ok(text.includes(part))
    const links = new Set(page.all('main a').map((link) => attributeOf(link, 'href')))
    for (const [name, digest] of Object.entries(entry.resources)) {
      assert.ok(links.has(`/archive/resources/${name}/${digest}.json`), name)
    }
    assert.ok(links.has(`/${locale}/history/VS-0001`))
    const kinds = page.all('.data-change .tag').map(textIn)
    assert.deepEqual(kinds, [TEXTS[locale].version.kinds.added])
  })
}

test('shows what changed from the version before, field by field', async (t) => {
  const before = releasesOf({ ...content, roadmap: { ...content.roadmap, summary: 'Before.' } })
  const releases = releasesOf(content, {
    previous: (resources) => ({ ...resources, roadmap: digestOf(before) }),
  })
  const oldText = before.readResource('roadmap', digestOf(before))
  const app = await runApp(t, {
    releases: {
      ...releases,
      readResource: (name, digest) =>
        digest === digestOf(before) ? oldText : releases.readResource(name, digest),
    },
  })
  const page = parsePage(await (await app.fetch('/en/history/VS-0002')).text())
  assert.deepEqual(page.all('.data-change code').map(textIn), ['summary'])
  assert.equal(page.all('.data-change del').map(textIn).join(), 'Before.')
  assert.equal(page.all('.data-change ins').map(textIn).join(), content.roadmap.summary)
})

function digestOf(releases: ReturnType<typeof releasesOf>): string {
  const { resources } = JSON.parse(releases.head.json) as { resources: { roadmap: string } }
  return resources.roadmap
}

test('states that the archived data is unavailable', async (t) => {
  const releases = releasesOf(content, {
    previous: (resources) => ({ ...resources, roadmap: 'A'.repeat(43) }),
  })
  const app = await runApp(t, {
    releases: { ...releases, readResource: () => undefined },
  })
  const page = parsePage(await (await app.fetch('/en/history/VS-0002')).text())
  assert.ok(page.all('main').map(textIn).join().includes(TEXTS.en.version.unavailable))
})

test('an unknown version is a 404', async (t) => {
  const app = await runApp(t)
  for (const path of ['/en/history/VS-9999', '/de/history/VS-0001', '/en/history/VS-1']) {
    assert.equal((await app.fetch(path)).status, 404, path)
  }
})
