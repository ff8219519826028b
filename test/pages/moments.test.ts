import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import { dayHtml, momentHtml, momentInText } from '../../src/pages/texts/moments.ts'

const ISO = '2026-11-21T22:05:59Z'

/** What a reader of each language expects: Buddhist years in Thai, and 24-hour times. */
const EXPECTED = {
  en: { moment: 'Nov 21, 2026, 22:05\u00a0UTC', day: 'Nov 21, 2026' },
  th: { moment: '21 พ.ย. 2569 22:05\u00a0UTC', day: '21 พ.ย. 2569' },
  'zh-CN': { moment: '2026年11月21日 22:05\u00a0UTC', day: '2026年11月21日' },
} as const

for (const locale of LOCALES) {
  const { moment, day } = EXPECTED[locale]

  test(`formats timestamps and dates in UTC for ${locale}`, () => {
    assert.equal(
      momentInText(locale, ISO).text,
      `<time datetime="${ISO}" title="${ISO}">${moment}</time>`,
    )
    assert.equal(dayHtml(locale, '2026-11-21').text, `<time datetime="2026-11-21">${day}</time>`)
  })

  test(`a moment in ${locale} reserves a line for the local time`, () => {
    const { text } = momentHtml(locale, ISO)
    assert.ok(
      text.includes(`<time datetime="${ISO}" title="${ISO}" data-moment>${moment}</time`),
      text,
    )
    assert.match(text, /<span class="own-time"><\/span/)
  })
}
