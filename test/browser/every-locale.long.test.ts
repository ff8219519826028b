import { test } from 'node:test'
import { TRANSLATION_LOCALES } from '@public-api/contract/snapshots/translations'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { assertEveryField, assertRateLimit } from './localized-form.ts'
import { testEveryPage } from './watched-page.ts'

for (const locale of TRANSLATION_LOCALES) {
  testEveryPage(() => browser, locale, { inEachAppearance: true })
}

const browser = useBrowser()
const skip = browserMissing

// The English pages are checked in every-page.process.test.ts, the English form in early-access-page.process.test.ts.
for (const locale of TRANSLATION_LOCALES) {
  test(`every field of the form says in ${locale} what is wrong with it`, { skip }, (t) =>
    assertEveryField(t, browser, locale),
  )

  test(`a rate limit states the wait in ${locale} and keeps the input`, { skip }, (t) =>
    assertRateLimit(t, browser, locale),
  )
}
