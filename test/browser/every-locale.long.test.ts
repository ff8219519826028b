import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/registry/locales'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { assertEveryField, assertRateLimit } from './localized-form.ts'
import { assertEveryPage } from './watched-page.ts'

const browser = useBrowser()
const skip = browserMissing

for (const locale of LOCALES) {
  test(
    `every page in ${locale} is accessible, logs no errors and fits its window, with scripts and without`,
    { skip },
    (t) => assertEveryPage(t, browser, locale, { inEachAppearance: true }),
  )

  // In English in early-access-page.test.ts.
  if (locale === 'en') continue
  test(`every field of the form says in ${locale} what is wrong with it`, { skip }, (t) =>
    assertEveryField(t, browser, locale),
  )

  test(`a rate limit states the wait in ${locale} and keeps the input`, { skip }, (t) =>
    assertRateLimit(t, browser, locale),
  )
}
