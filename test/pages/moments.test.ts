import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import {
  agoHtml,
  dayHtml,
  formatDayRange,
  momentHtml,
  plannedHtml,
} from '../../src/pages/texts/moments.ts'

const ISO = '2026-11-21T22:05:59Z'

/** What a reader of each language expects: Buddhist years in Thai, and 24-hour times. */
const EXPECTED = {
  en: { moment: 'Nov 21, 2026, 22:05\u00a0UTC', day: 'Nov 21, 2026' },
  th: { moment: '21 พ.ย. 2569 22:05\u00a0UTC', day: '21 พ.ย. 2569' },
  'zh-CN': { moment: '2026年11月21日 22:05\u00a0UTC', day: '2026年11月21日' },
} as const

for (const locale of LOCALES) {
  const { moment, day } = EXPECTED[locale]

  test(`formats days in ${locale}`, () => {
    assert.equal(dayHtml(locale, '2026-11-21').text, `<time datetime="2026-11-21">${day}</time>`)
  })

  test(`a moment in ${locale} has the time of the visitor before UTC, each a time`, () => {
    const { text } = momentHtml(locale, ISO)
    const [own = '', utc = ''] = text.split(/<span class="utc"\s*>/)
    // Its place is kept by attributes, in the form that the script writes: a program without styles shows UTC alone.
    assert.match(own, /<span class="local" data-browser\s*>.*data-utc="[^"]*22:05"/s)
    assert.equal(own.replaceAll(/<[^>]*>/g, '').trim(), '')
    assert.ok(utc.startsWith(`<time datetime="${ISO}" title="${ISO}">${moment}</time>`), text)
  })

  test(`a range in ${locale} has one form of dates, and the date of one day once`, () => {
    const [end, later] = ['2026-11-21T23:10:00Z', '2026-11-22T01:10:00Z']
    const utcOf = (markup: string): string => markup.replaceAll(/<[^>]*>/g, '').trim()
    const start = moment.slice(0, -4)
    assert.equal(utcOf(plannedHtml(locale, ISO, end).text), `${start} – 23:10\u00a0UTC`)
    const { text } = plannedHtml(locale, ISO, later)
    assert.ok(utcOf(text).startsWith(`${start} – `))
    assert.equal(text.match(new RegExp(`datetime="(${ISO}|${later})"`, 'g'))?.length, 2)
    const days = formatDayRange(locale, Date.parse(ISO), Date.parse(later))
    assert.match(
      days.replaceAll('\u2009', ' '),
      {
        en: /^Nov 21 – 22, 2026$/,
        th: /^21–22 พ.ย. 2569$/,
        'zh-CN': /^2026年11月21日 – 2026年11月22日$/,
      }[locale],
    )
  })
}

test('what a clock that is ahead dated happened now', () => {
  const textOf = (nowMs: number) =>
    agoHtml('en', ISO, nowMs)
      .text.replaceAll(/<[^>]*>/g, '')
      .trim()
  const atMs = Date.parse(ISO)
  assert.deepEqual(
    [-600_000, 0, 600_000].map((ms) => textOf(atMs + ms)),
    ['now', 'now', '10 minutes ago'],
  )
})
