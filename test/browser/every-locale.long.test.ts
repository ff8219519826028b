import { test } from 'node:test'
import { LOCALES } from '../../src/contract/locales.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { assertEveryPage } from './watched-page.ts'

// English is in every-page.test.ts.

const browser = useBrowser()
const skip = browserMissing

for (const locale of LOCALES.filter((each) => each !== 'en')) {
  test(
    `every page in ${locale} is accessible, logs no errors and fits its window, with scripts and without`,
    { skip },
    (t) => assertEveryPage(t, browser, locale),
  )
}
