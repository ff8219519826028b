import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS, type Endpoint } from '@public-api/contract/registry/endpoints'
import { type Locale, LOCALES } from '@public-api/contract/terms/locales'
import th from '../../locales/th.json' with { type: 'json' }
import { listCopyFiles } from '../../src/copy/copy-source.ts'
import { withLineBreaks } from '../../src/pages/texts/line-breaks.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { withThaiLines } from '../../src/pages/texts/thai-lines.ts'
import { translationOf } from '../../src/pages/texts/translations.ts'
import { publishedReleases } from '../support/published-releases.ts'
import { runApp, TEST_NOW_MS } from '../support/running-app.ts'

/** Shows the marks: `+` where no line breaks, `|` where one may. */
const shown = (text: string): string =>
  withThaiLines(text).replaceAll('\u2060', '+').replaceAll('\u200b', '|')

test('keeps loanwords together and allows breaks beside them', () => {
  for (const [text, marked] of [
    ['แฮช', 'แฮช'],
    ['มีแฮชเดิม', 'มี|แฮช|เดิม'],
    ['แฮช {hash}', 'แฮช {hash}'],
    ['SHA-256แฮช.', 'SHA-256แฮช.'],
    ['ในเฮดเดอร์ใด', 'ใน|เฮด+เด+อร์|ใด'],
    ['โรดแมปบอกว่า', 'โรด+แมป|บอกว่า'],
    ['วอลเล็ตตอบ วอลเล็ต', 'วอล+เล็ต|ตอบ วอล+เล็ต'],
    ['แฮชๆ', 'แฮชๆ'],
    ['มีความน่าเชื่อถือ', 'มีความ+น่า+เชื่อ+ถือ'],
    ['การเชื่อมต่อแบบนี้', 'การ+เชื่อม+ต่อ|แบบนี้'],
  ] as const) {
    assert.equal(shown(text), marked)
  }
})

test('marks word boundaries the dictionary gets wrong', () => {
  assert.equal(shown('เวลาที่ลงนามอยู่ในอนาคต'), 'เวลาที่ลง+นาม|อยู่ในอนาคต')
  assert.equal(shown('ตรวจสอบย้อนหลัง'), 'ตรวจ+สอบ+ย้อน+หลัง')
  assert.equal(shown('ได้รับผลกระทบ'), 'ได้รับผล+กระทบ')
})

test('keeps a prefix with its word, and no ending with the next word', () => {
  for (const [text, marked] of [
    ['รูปแบบการตอบกลับ', 'รูป+แบบ|การ+ตอบ+กลับ'],
    ['การอ่านและความเสถียร', 'การ+อ่านและความ+เสถียร'],
    ['บริการนี้ รายการใด', 'บริการนี้ รายการใด'],
    ['เหตุการณ์ ข้อความใด', 'เหตุการณ์ ข้อความใด'],
    ['และไม่ต้องใช้ หรือไม่เก็บ', 'และไม่+ต้องใช้ หรือไม่เก็บ'],
  ] as const) {
    assert.equal(shown(text), marked)
  }
})

test('adds nothing but marks, once', () => {
  for (const [english, text] of Object.entries(th)) {
    const marked = translationOf('th', ...(english.split('|', 2).toReversed() as [string, string?]))
    assert.equal(marked?.replaceAll(/[\u2060\u200b]/g, ''), text.replaceAll(/[\u2060\u200b]/g, ''))
    assert.doesNotMatch(marked, /[\u2060\u200b]{2}/)
  }
  assert.match(TEXTS.th.site.checkThis, /[\u2060\u200b]/)
})

test('breaks headings between words, and no date, nor a number from its unit', () => {
  const linesOf = (page: string, locale: Locale): string =>
    withLineBreaks(page, locale).replaceAll('\u2060', '+').replaceAll('\u200b', '|')
  assert.equal(
    linesOf('<h1 title="银行 15分钟">多数银行卡支付被拒绝</h1><p>银行卡支付</p>', 'zh-CN'),
    '<h1 title="银行 15分钟">多数<wbr />银行卡<wbr />支付<wbr />被拒绝</h1><p>银行卡支付</p>',
  )
  assert.equal(
    linesOf('<p>2026年11月28日，已持续 15分钟，1,234 天</p><code>15分钟</code>', 'zh-CN'),
    '<p>2026+年+1+1+月+2+8+日，已+持+续 15+分+钟，1,234+ +天</p><code>15分钟</code>',
  )
  assert.equal(
    linesOf('<h2>การเชื่อมต่อล่าช้า 15 นาที</h2><p>28 พ.ย. 2569 14:00</p>', 'th'),
    '<h2>การ+เชื่อม+ต่อ|ล่าช้า 15 +นาที</h2><p>28 +พ.ย. +2569 14:00</p>',
  )
  const english = '<h1>15 minutes</h1>'
  assert.equal(withLineBreaks(english, 'en'), english)
})

test('keeps the structure of the texts', () => {
  const { verify } = TEXTS.th
  assert.ok(Array.isArray(verify.limits))
  assert.equal(verify.limits.length, TEXTS.en.verify.limits.length)
  assert.deepEqual(Object.keys(TEXTS.th), Object.keys(TEXTS.en))
})

const MARK = /[\u2060\u200b]/
/** Images, which have bytes in place of characters. */
const BINARY = /\.(?:png|ico|woff2)$/

test('only the visible text of pages has marks: nothing else of all that is served, in any language', async (t) => {
  const releases = publishedReleases()
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const made = { releases, cards: [], program: 'of the test', keyId: undefined, log }
  const places = { origin: 'https://api.example.org', baseUrl: undefined }
  const clock = { nowMs: () => TEST_NOW_MS }
  const marked: string[] = []
  const visible = new Map<string, number>()
  for await (const { file, make } of listCopyFiles({ ...made, ...places, clock })) {
    if (BINARY.test(file)) continue
    const text = Buffer.from(await make()).toString()
    if (!file.endsWith('.html')) {
      if (MARK.test(text)) marked.push(file)
      continue
    }
    // The texts that scripts show are visible, too.
    const page = text.split(/<script type="application\/json"[^>]*>.*?<\/script>/s).join('')
    const rest = page.replaceAll(/<head>.*?<\/head>|<[^>]*>/gs, '')
    const [all, shownMarks] = [page, rest].map((each) => each.split(MARK).length - 1)
    if (all !== shownMarks) marked.push(file)
    const [locale = ''] = file.split('/')
    visible.set(locale, (visible.get(locale) ?? 0) + (shownMarks ?? 0))
  }
  const app = await runApp(t, { releases })
  let responses = 0
  for (const { method, path, parameter } of Object.values(ENDPOINTS) as readonly Endpoint[]) {
    const target = path.replace(/\{.*\}/, parameter?.example ?? '')
    for (const locale of LOCALES) {
      const headers = { 'Accept-Language': locale }
      const text = await (await app.fetch(target, { method, headers })).text()
      if (MARK.test(text)) marked.push(`${locale} ${target}`)
      responses += 1
    }
  }
  assert.deepEqual(marked, [])
  assert.ok(responses > 60, String(responses))
  assert.ok(['th', 'zh-CN'].every((locale) => (visible.get(locale) ?? 0) > 100))
  assert.equal(visible.get('en'), 0)
})
