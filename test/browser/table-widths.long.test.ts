import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { publishedReleases } from '../support/published-releases.ts'
import { runApp } from '../support/running-app.ts'

const browser = useBrowser()

test(
  'tables with moments fit at every width between phone and desktop',
  { skip: browserMissing },
  async (t) => {
    const app = await runApp(t, { releases: publishedReleases() })
    const { page } = await browser.openPage(t, { timezoneId: 'Asia/Bangkok' })
    for (const locale of LOCALES) {
      for (const place of ['status', 'roadmap', 'wallet', 'architecture']) {
        const path = pathOfPage(locale, place)
        await page.goto(`${app.origin}${path}`)
        for (const width of [400, 639, 640, 680, 720, 767, 768, 800, 960, 1024]) {
          await page.setViewportSize({ width, height: 600 })
          const beyond = await page.evaluate(() => {
            const { scrollWidth, clientWidth } = document.documentElement
            return scrollWidth - clientWidth
          })
          assert.equal(beyond, 0, `${path} at ${width} px`)
        }
      }
    }
  },
)
