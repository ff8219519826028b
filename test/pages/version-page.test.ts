import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after as afterAll, test, type TestContext } from 'node:test'
import { formatSnapshotId, type VersionEntry } from '@public-api/contract/history/version-chain'
import { TRANSLATED_SCHEMAS } from '@public-api/contract/registry/resource-names'
import { LOCALES } from '@public-api/contract/terms/locales'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { buildExample } from '../../scripts/build-example.ts'
import { changesId } from '../../src/pages/history/resource-changes.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases, type PublishedHistory } from '../../src/service/releases/releases.ts'
import { fullContent, type MadeContent, releasesOf } from '../support/made-content.ts'
import { htmlFaults } from '../support/page-checks.ts'
import { attributeOf, parsePage, textIn } from '../support/page-markup.ts'
import { publishedReleases } from '../support/published-releases.ts'
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
  assert.deepEqual(page.all('.data-change .muted').map(textIn), [TEXTS.en.fields.summary])
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
  for (const target of ['/en/history/VS-9999', '/de/history/VS-0001', '/en/history/VS-1']) {
    assert.equal((await app.fetch(target)).status, 404, target)
  }
})

/** Items whose titles, states, dates and order change. */
const QUEUE = {
  summary: 'Work.',
  updatedAt: '2026-03-01T00:00:00Z',
  items: [
    {
      id: 'tide-1',
      title: 'Second receiver',
      summary: 'Install the receiver at the station.',
      kind: 'feature',
      state: 'queued',
      priority: 1,
      since: '2026-02-01',
    },
    {
      id: 'tide-2',
      title: 'Old work',
      summary: 'It is over.',
      kind: 'fix',
      state: 'done',
      priority: 2,
      since: '2026-02-01',
    },
  ],
} as const satisfies MadeContent['development-queue']

const QUEUE_AFTER = {
  ...QUEUE,
  updatedAt: '2026-03-02T00:00:00Z',
  items: [
    {
      ...QUEUE.items[0],
      priority: 2,
      state: 'in_progress',
      summary: 'Install and test the receiver at the station.',
      since: '2026-03-02',
    },
    { ...QUEUE.items[0], id: 'tide-3', title: 'New work', summary: 'It begins.', priority: 1 },
  ],
} as const satisfies MadeContent['development-queue']

const THAI = {
  locale: 'th',
  resources: {
    'development-queue': {
      items: { 'tide-1': { title: 'เครื่องรับที่สอง', summary: 'ติดตั้งและทดสอบเครื่องรับ' } },
    },
  },
}

/** A version after which the queue has changed, with a Thai translation of the newer one. */
function queueReleases(): PublishedHistory {
  const before = releasesOf({ 'development-queue': QUEUE })
  const resourcesOf = (releases: PublishedHistory) =>
    (JSON.parse(releases.head.json) as { resources: Record<string, string> }).resources
  const oldDigest = resourcesOf(before)['development-queue'] ?? ''
  const after = releasesOf(
    { 'development-queue': QUEUE_AFTER },
    {
      previous: (resources) => ({ ...resources, 'development-queue': oldDigest }),
      site: { 'site/translations/th': THAI },
    },
  )
  return {
    ...after,
    readResource: (name, digest) =>
      (digest === oldDigest ? before : after).readResource(name, digest),
  }
}

for (const locale of LOCALES) {
  test(`names changed items by title and says what changed in words, in ${locale}`, async (t) => {
    const app = await runApp(t, { releases: queueReleases() })
    const source = await (await app.fetch(`/${locale}/history/VS-0002`)).text()
    assert.deepEqual(await htmlFaults(source), [])
    const page = parsePage(source)
    const { fields, labels, version } = TEXTS[locale]
    const section = page
      .all('section')
      .find((each) => each.attribute('aria-labelledby') === 'changes-development-queue')
    assert.ok(section)
    const changes = section.querySelectorAll('.data-changes').map(textIn)
    const [words = '', noise = ''] = changes
    const title = locale === 'th' ? 'เครื่องรับที่สอง' : 'Second receiver'
    for (const part of [
      title,
      'New work',
      'It begins.',
      'Old work',
      labels.queueState.queued,
      labels.queueState.in_progress,
      fields.state,
      version.kinds.added,
      version.kinds.removed,
    ]) {
      assert.ok(words.includes(part), `${part} in ${words}`)
    }
    for (const machine of ['items[', 'in_progress', 'tide-1', '{', '2026-03']) {
      assert.ok(!words.includes(machine), `${machine} in ${words}`)
    }
    if (locale !== 'th') {
      const inserted = section
        .querySelectorAll('ins')
        .map(textIn)
        .find((each) => each.startsWith('and'))
      assert.equal(inserted, 'and test')
    }
    // Numbers and review dates are folded.
    assert.ok(noise.includes(fields.priority) && noise.includes(fields.updatedAt), noise)
    const [folded] = section.querySelectorAll('details')
    assert.ok(folded && textIn(folded).includes(fields.updatedAt))
    const json = section.querySelectorAll('a').map((link) => link.attribute('href') ?? '')
    assert.equal(
      json.filter((href) => href.startsWith('/archive/resources/development-queue/')).length,
      2,
    )
  })
}

test('every field of a published resource has a name for people', () => {
  const missing = new Set<string>()
  const walk = ({ properties = {} }: JsonSchema): void => {
    for (const [name, field] of Object.entries(properties)) {
      if (!Object.hasOwn(TEXTS.en.fields, name)) missing.add(name)
      walk(field.items ?? field)
    }
  }
  for (const schema of Object.values(TRANSLATED_SCHEMAS)) walk(schema)
  assert.deepEqual([...missing], [])
})

const exampleFolder = mkdtempSync(path.join(tmpdir(), 'svc-example-'))
afterAll(() => rmSync(exampleFolder, { recursive: true, force: true }))
const exampleDir = path.join(exampleFolder, 'releases')
const built = buildExample(path.join(exampleFolder, 'content'), exampleDir)

/** A service of the example organization, whose history has a redaction. */
async function runExample(t: TestContext) {
  await built
  const releases = loadReleases(openReleaseStore(exampleDir))
  const [redaction] = releases.redactions
  assert.ok(redaction)
  const entries = Array.from({ length: Number(releases.headSnapshotId.slice(3)) }, (_, index) => {
    const payload = releases.version(formatSnapshotId(index + 1))
    return JSON.parse(payload?.json ?? '') as VersionEntry
  })
  return { app: await runApp(t, { releases }), redaction, entries }
}

test('says when and why a resource was redacted, and does not link to its bytes', async (t) => {
  const { app, redaction, entries } = await runExample(t)
  const { resource, digest, reason, redactedAt } = redaction
  const naming = entries.filter(({ resources }) => resources[resource] === digest)
  const following = entries[naming.at(-1)?.sequence ?? 0]
  const other = entries[(naming[0]?.sequence ?? 0) - 2]
  assert.ok(naming.length > 0 && following && other)
  const notesOf = async (locale: string, { snapshotId }: VersionEntry) => {
    const source = await (await app.fetch(`/${locale}/history/${snapshotId}`)).text()
    assert.deepEqual(await htmlFaults(source), [])
    assert.ok(!source.includes(`${digest}.json`), `${locale} ${snapshotId}`)
    const page = parsePage(source)
    return { notes: page.all('.note-warn'), text: page.all('main').map(textIn).join() }
  }
  const redactedIn: readonly VersionEntry[] = [...naming, following]
  for (const locale of LOCALES) {
    for (const entry of redactedIn) {
      const { notes, text } = await notesOf(locale, entry)
      assert.equal(notes.length, 1, `${locale} ${entry.snapshotId}`)
      const [note] = notes
      assert.ok(note)
      assert.ok(textIn(note).includes(reason), textIn(note))
      assert.ok(textIn(note).includes(resource), textIn(note))
      const times = note.querySelectorAll('time').map((each) => each.attribute('datetime'))
      assert.deepEqual(times, [redactedAt])
      assert.equal(text.includes(digest), entry !== following)
      assert.ok(!text.includes(TEXTS[locale].version.unavailable))
    }
  }
  assert.equal((await notesOf('en', other)).notes.length, 0)
})

/** From the roadmap of the example's first version: a title, a statement and the summary. */
const ROADMAP_TEXTS = {
  en: ['Second receiver', 'Readings continue when one receiver fails.', 'The order is decided'],
  th: ['เครื่องรับสำรอง', 'ข้อมูลยังต่อเนื่องเมื่อเครื่องรับหลักขัดข้อง', 'ลำดับแน่นอนแล้ว'],
  'zh-CN': ['第二接收站', '一个接收站故障时，读数不中断。', '顺序已定'],
} as const

test('says what the first version said, in the language of the page', async (t) => {
  const { app, entries } = await runExample(t)
  const [first] = entries
  assert.ok(first)
  const isShown = (name: string) => !name.startsWith('site/translations/')
  for (const locale of LOCALES) {
    const source = await (await app.fetch(`/${locale}/history/VS-0001`)).text()
    assert.deepEqual(await htmlFaults(source), [])
    const page = parsePage(source)
    const sections = page
      .all('section')
      .filter((each) => each.attribute('aria-labelledby')?.startsWith('changes-'))
    const ids = sections.map((section) => section.attribute('aria-labelledby'))
    assert.deepEqual(
      new Set(ids),
      new Set(Object.keys(first.resources).filter(isShown).map(changesId)),
    )
    const roadmap = sections.find((section) =>
      section.attribute('aria-labelledby')?.endsWith('-roadmap'),
    )
    assert.ok(roadmap)
    for (const part of ROADMAP_TEXTS[locale]) {
      assert.ok(textIn(roadmap).includes(part), `${part} in ${textIn(roadmap)}`)
    }
    for (const marked of ['ins', 'del', '.data-changes .tag']) {
      assert.deepEqual(page.all(marked).map(textIn), [])
    }
    assert.doesNotMatch(sections.map(textIn).join(), /items\[|PHN2Zy/)
  }
})

test('items without keys that were inserted before others are shown as added', async (t) => {
  const app = await runApp(t, { releases: publishedReleases() })
  for (const locale of LOCALES) {
    const page = parsePage(await (await app.fetch(`/${locale}/history/VS-0012`)).text())
    const items = page.all('[aria-labelledby="changes-changelog"] .data-change .tag').map(textIn)
    const { added } = TEXTS[locale].version.kinds
    assert.deepEqual(items.slice(0, 3), [added, added, added], locale)
    // Their translations are the only changed ones, though all later ones have other positions.
    const translations = page.all('[aria-labelledby="changes-site-translations-th"]')
    const tags = translations.flatMap((each) => each.querySelectorAll('.data-change .tag'))
    assert.deepEqual(tags.map(textIn), [added, added, added], locale)
    assert.match(translations.map(textIn).join(), /REGISTRATION_UNAVAILABLE/)
  }
})

test('an added translation is shown as such, and each translated text by itself', async (t) => {
  const app = await runApp(t, { releases: publishedReleases() })
  for (const version of ['VS-0010', 'VS-0011']) {
    const page = parsePage(await (await app.fetch(`/th/history/${version}`)).text())
    const disclosures = page.all('main summary').map(textIn)
    assert.equal(new Set(disclosures).size, disclosures.length, disclosures.join())
    const rows = page.all('.field-change')
    assert.ok(rows.length > 0)
    for (const row of rows) {
      const [removed = '', added = ''] = ['del', 'ins'].map((tag) =>
        row.querySelectorAll(tag).map(textIn).join(' '),
      )
      const isThai = (text: string) => /[\u0e00-\u0e7f]/.test(text)
      assert.ok(!isThai(added) || removed === '' || isThai(removed), `${removed} → ${added}`)
      assert.doesNotMatch(textIn(row), /^.{0,40}\{"/)
    }
  }
})

test('changed translations are in their language on the pages of the others', async (t) => {
  const app = await runApp(t, { releases: publishedReleases() })
  for (const [page, language, letters] of [
    ['/en/history/VS-0011', 'th', /[\u0e00-\u0e7f]/g],
    ['/en/history/VS-0015', 'zh-CN', /\p{Script=Han}/gu],
    ['/zh-CN/history/VS-0015', 'th', /[\u0e00-\u0e7f]/g],
  ] as const) {
    const source = await (await app.fetch(page)).text()
    const main = /<main.*<\/main>/s.exec(source)?.[0] ?? ''
    const marked = new RegExp(`<span lang="${language}">.*?</span>`, 'gs')
    assert.ok(main.match(letters)?.length !== undefined, page)
    assert.equal((main.replaceAll(marked, '').match(letters) ?? []).length, 0, page)
  }
})
