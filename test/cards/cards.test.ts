import assert from 'node:assert/strict'
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { createExample } from '@public-api/contract/documents/examples'
import { ORGANIZATION_SCHEMA } from '@public-api/contract/snapshots/organization'
import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import { withoutLineMarks } from '@public-api/contract/text/line-marks'
import { listCards, publishCards } from '../../src/cards/publish-cards.ts'
import { openCardRenderer } from '../../src/cards/render-card.ts'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { redactResource } from '../../src/publishing/releases/redact-resource.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { editContent, makeContent } from '../publishing/content-fixture.ts'
import { attributeOf, type PageMarkup, parsePage } from '../support/page-markup.ts'
import { svc } from '../support/run-svc.ts'
import { runApp, TEST_BASE_URL } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { useFileScope } from '../support/test-scope.ts'
import { decodePng } from './decode-png.ts'

const ORGANIZATION = createExample(ORGANIZATION_SCHEMA) as object
const EXAMPLE_DIR = path.join(import.meta.dirname, '../../examples/tide-observatory/content')
const PAPER = '#fbf9f5'

/** Reads the organization of a version with changes, in one language and without a logo. */
function readerOf(locale: string, changes: object) {
  const organization = {
    ...ORGANIZATION,
    logo: undefined,
    ...changes,
    site: { languages: [locale] },
  }
  return (name: string) => (name === 'site/organization' ? JSON.stringify(organization) : undefined)
}

/** The cards of the overview and of the status page. */
async function drawTwo(
  locale: Locale,
  changes: object,
): Promise<readonly [Uint8Array, Uint8Array]> {
  const [overview, status] = listCards(readerOf(locale, changes))
  assert.ok(overview !== undefined && status !== undefined)
  const render = await openCardRenderer(locale, [overview, status])
  return [render(overview), render(status)]
}

/** Stores cards in memory. */
async function publishInMemory(locale: string, changes: object) {
  const cards = new Map<string, Uint8Array>()
  const warnings = await publishCards(
    {
      readCard: (name) => cards.get(name),
      writeCard: (name, png) => void cards.set(name, png),
    },
    readerOf(locale, changes),
  )
  return { cards, warnings }
}

const scope = useFileScope()

/** Content without an organization, published once with all cards in all languages. */
let everyCard: Promise<{ readonly releases: string; readonly out: string }> | undefined

async function publishAll() {
  const releases = temporaryFolder(scope)
  const args = ['--note', 'x', '--content', makeContent(scope), '--releases', releases]
  const { out, error } = await svc('publish', ...args)
  return { releases, out: `${out}${error}` }
}

const publishAllOnce = () => (everyCard ??= publishAll())

/** The example organization in one language, published once. */
let oneLanguage: Promise<{ readonly content: string; readonly releases: string }> | undefined

async function publishOneLanguage() {
  const [content, releases] = [makeContent(scope), temporaryFolder(scope)]
  copyFileSync(path.join(EXAMPLE_DIR, 'logo.svg'), path.join(content, 'logo.svg'))
  const yaml = readFileSync(path.join(EXAMPLE_DIR, 'organization.yaml'), 'utf8')
  writeFileSync(
    path.join(content, 'organization.yaml'),
    yaml.replace('site:', 'site:\n  languages: [en]'),
  )
  await publishFrom(content, releases)
  return { content, releases }
}

async function publishFrom(content: string, releases: string): Promise<string> {
  const result = await svc('publish', '--note', 'x', '--content', content, '--releases', releases)
  assert.equal(result.status, 0, result.error)
  return `${result.out}${result.error}`
}

/** A copy of the folders of the organization, and how to publish again. */
async function publishFolder(t: TestContext) {
  const published = await (oneLanguage ??= publishOneLanguage())
  const [content, releases] = [temporaryFolder(t), temporaryFolder(t)]
  cpSync(published.content, content, { recursive: true })
  cpSync(published.releases, releases, { recursive: true })
  const publish = () => publishFrom(content, releases)
  return { content, releases, cards: path.join(releases, 'cards'), publish }
}

function metaOf(page: PageMarkup, name: string): string | undefined {
  const [found] = page.all(`meta[property="${name}"], meta[name="${name}"]`)
  return found && attributeOf(found, 'content')
}

test('each page names the card of its language, which the service serves', async (t) => {
  const { releases, out } = await publishAllOnce()
  assert.doesNotMatch(out, /Warning/)
  const app = await runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
  const pageAt = async (address: string) => parsePage(await (await app.fetch(address)).text())
  const seen = new Set<string>()
  for (const locale of LOCALES) {
    for (const page of PAGES) {
      const markup = await pageAt(pathOfPage(locale, page.path))
      const image = metaOf(markup, 'og:image') ?? ''
      const title = withoutLineMarks(
        page.path === '' ? TEXTS[locale].site.name : page.title(TEXTS[locale]),
      )
      const isOwn = page.parent === undefined
      assert.equal(
        isOwn,
        metaOf(markup, 'og:image:alt')?.startsWith(title),
        `${locale} ${page.path}`,
      )
      assert.equal(metaOf(markup, 'og:image:width'), '1200')
      assert.equal(metaOf(markup, 'og:image:height'), '630')
      assert.equal(metaOf(markup, 'twitter:card'), 'summary_large_image')
      if (!isOwn) continue
      assert.ok(!seen.has(image), `${locale} ${page.path}`)
      seen.add(image)
      const card = await app.fetch(image.slice(TEST_BASE_URL.length))
      assert.equal(card.status, 200)
      const { width, height } = decodePng(await card.bytes())
      assert.deepEqual([width, height], [1200, 630])
    }
    const history = metaOf(await pageAt(`/${locale}/history`), 'og:image')
    assert.equal(metaOf(await pageAt(`/${locale}/history/VS-0001`), 'og:image'), history)
    const missing = await pageAt(`/${locale}/nowhere`)
    assert.equal(metaOf(missing, 'twitter:card'), 'summary')
  }
  assert.equal(seen.size, readdirSync(path.join(releases, 'cards')).length)
})

test('a card is cached forever, by its name and by its entity tag', async (t) => {
  const { releases } = await publishAllOnce()
  const cards = path.join(releases, 'cards')
  const app = await runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
  const [file = ''] = readdirSync(cards)
  const card = await app.fetch(`/cards/${file}`, { headers: { 'accept-encoding': 'gzip, br' } })
  assert.equal(card.headers.get('content-type'), 'image/png')
  assert.equal(card.headers.get('content-encoding'), null)
  assert.equal(card.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal(card.headers.get('x-content-type-options'), 'nosniff')
  assert.deepEqual(Buffer.from(await card.bytes()), readFileSync(path.join(cards, file)))
  const head = await app.fetch(`/cards/${file}`, { method: 'HEAD' })
  assert.equal(head.headers.get('content-length'), card.headers.get('content-length'))
  assert.equal((await head.bytes()).length, 0)
  const headers = { 'if-none-match': card.headers.get('etag') ?? '' }
  assert.equal((await app.fetch(`/cards/${file}`, { headers })).status, 304)
  assert.equal((await app.fetch(`/cards/${file}`, { method: 'POST' })).status, 405)
  for (const unknown of [
    `${'a'.repeat(43)}.png`,
    'a.png',
    '../versions/VS-0001.json',
    file.slice(0, -4),
  ]) {
    assert.equal((await app.fetch(`/cards/${unknown}`)).status, 404, unknown)
  }
})

test('only a text of a card changes it, and a redaction of the organization removes all', async (t) => {
  const { content, releases, cards, publish } = await publishFolder(t)
  const first = readdirSync(cards)
  editContent(content, 'status', 'name: Read API', 'name: Reads')
  await publish()
  assert.deepEqual(readdirSync(cards), first)
  editContent(content, 'organization', 'name: Meridian', 'name: Median')
  await publish()
  const both = readdirSync(cards)
  assert.equal(new Set([...first, ...both]).size, first.length * 2)
  const redaction = { nowMs: Date.now(), snapshotId: 'VS-0001', reason: 'A wrong name.' }
  const store = openReleaseStore(releases)
  await redactResource({ ...redaction, store, resource: 'site/organization' })
  assert.throws(() => readdirSync(cards), { code: 'ENOENT' })
  await publish()
  assert.deepEqual(
    readdirSync(cards),
    both.filter((file) => !first.includes(file)),
  )
})

test('publishing draws missing cards again, and reports those that cannot be written', async (t) => {
  const { content, releases, cards, publish } = await publishFolder(t)
  const [file = ''] = readdirSync(cards)
  const before = readFileSync(path.join(cards, file))
  rmSync(path.join(cards, file))
  assert.match(await publish(), /^Nothing to publish/)
  assert.deepEqual(readFileSync(path.join(cards, file)), before)
  rmSync(cards, { recursive: true })
  writeFileSync(cards, '')
  editContent(content, 'status', 'name: Read API', 'name: Reads')
  const out = await publish()
  assert.match(out, /^Published VS-0002/)
  assert.match(out, /Warning: 12 of 12 social cards are missing.*\/cards\/.*cannot be written: /)
  const app = await runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
  const page = parsePage(await (await app.fetch('/en')).text())
  assert.match(metaOf(page, 'og:image') ?? '', /\/assets\/logo\..*svg$/)
  assert.equal(metaOf(page, 'twitter:card'), 'summary')
})

test('every text of the pages has glyphs', async () => {
  const { releases, out } = await publishAllOnce()
  assert.match(out, /^Published VS-0001/)
  assert.doesNotMatch(out, /Warning/)
  const own = PAGES.filter(({ parent }) => parent === undefined)
  const cards = readdirSync(path.join(releases, 'cards'))
  assert.equal(cards.length, LOCALES.length * own.length)
})

const HOSTILE = [
  ['en', '<script>alert(1)</script> & "Söhne" ]]> </svg>'],
  ['en', 'W'.repeat(200)],
  ['en', 'The Ministry of Long Names and of Their Abbreviations '.repeat(4).trim()],
  ['th', 'กระทรวงทรัพยากรธรรมชาติและสิ่งแวดล้อมแห่งชาติ'.repeat(5)],
  ['zh-CN', '国家海洋环境预报中心公共信息公开处'.repeat(12)],
  ['en', 'Łódź Ελλάδα Київ Vie\u0323\u0302t Nam 東京 กรุงเทพ 🚀'],
] as const

test('a text of any length and script stays within its margins', async () => {
  for (const [locale, text] of HOSTILE) {
    const url = `https://${'w'.repeat(60)}.example/`
    const cards = await drawTwo(locale, { name: text, description: `${text}.`, url })
    // The overview has the name as its title, the next page beside the logo.
    for (const card of cards) {
      const { colorAt } = decodePng(card)
      const inked = (left: number, top: number, right: number, bottom: number): number => {
        let count = 0
        for (let y = top; y < bottom; y += 1)
          for (let x = left; x < right; x += 1) if (colorAt(x, y) !== PAPER) count += 1
        return count
      }
      assert.ok(inked(80, 170, 1120, 512) > 2000, text)
      assert.equal(inked(0, 16, 78, 630), 0, text)
      assert.equal(inked(1122, 16, 1200, 515), 0, text)
      assert.equal(inked(0, 514, 590, 530), 0, text)
      assert.equal(inked(545, 514, 590, 630), 0, text)
    }
  }
})

test('refuses to draw a letter without a glyph, and names it', async () => {
  for (const [name, reason] of [
    ['مرصد', "no glyph for 'م' (U+0645)"],
    ['한국', "no glyph for '한' (U+D55C)"],
    ['🚀', 'no letter that the fonts can draw: "🚀"'],
  ] as const) {
    const { cards, warnings } = await publishInMemory('en', { name })
    assert.equal(cards.size, 0)
    const [warning = ''] = warnings
    assert.ok(warning.endsWith(reason), warning)
  }
})

test('a letter changes the picture, and an emoji does not', async () => {
  const [plain] = await drawTwo('en', { name: 'Tides' })
  const [emoji] = await drawTwo('en', { name: 'Tides 🚀' })
  const [other] = await drawTwo('en', { name: 'Tidez' })
  assert.deepEqual(emoji, plain)
  assert.notDeepEqual(other, plain)
})
