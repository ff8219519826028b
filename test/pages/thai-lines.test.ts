import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locale } from '@public-api/contract/terms/locales'
import th from '../../locales/th.json' with { type: 'json' }
import { FEED_NAMES, feedPath, markdownPath, pathOfPage } from '../../src/pages/addresses.ts'
import { STATUSPAGE_PATHS } from '../../src/pages/files/statuspage.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { withLineBreaks } from '../../src/pages/texts/line-breaks.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { withThaiLines } from '../../src/pages/texts/thai-lines.ts'
import { translationOf } from '../../src/pages/texts/translations.ts'
import { runApp } from '../support/running-app.ts'

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

test('only the visible text of pages has marks: no head, attribute, feed, calendar, twin or response', async (t) => {
  const app = await runApp(t)
  const below = PAGES.map(({ path }) => pathOfPage('th', path))
  const files = [
    ...below.map(markdownPath),
    ...FEED_NAMES.flatMap((name) => [feedPath('th', 'atom', name), feedPath('th', 'json', name)]),
    '/th/maintenance.ics',
    '/th/badge.svg',
    '/th/search.json',
    '/llms.txt',
    ...STATUSPAGE_PATHS,
    '/api/v1/status',
    '/api/v1/early-access',
    '/api/v1/changelog',
  ]
  for (const file of files) {
    const response = await app.fetch(file)
    assert.equal(response.status, 200, file)
    assert.doesNotMatch(await response.text(), /[\u2060\u200b]/, file)
  }
  let marks = 0
  for (const path of below) {
    const page = await (await app.fetch(path)).text()
    // The texts that scripts show are visible, too.
    const texts = page.split(/<script type="application\/json"[^>]*>.*?<\/script>/s).join('')
    const visible = texts.replaceAll(/<head>.*?<\/head>|<[^>]*>/gs, '')
    const count = (text: string) => text.match(/[\u2060\u200b]/g)?.length ?? 0
    assert.equal(count(texts), count(visible), path)
    marks += count(visible)
  }
  assert.ok(marks > 100, String(marks))
})
