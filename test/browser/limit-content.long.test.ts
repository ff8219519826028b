import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { LIMIT_VARIANTS, limitReleases } from '../support/limit-content.ts'
import { readSitemap } from '../support/read-sitemap.ts'
import { runApp } from '../support/running-app.ts'
import { layoutFaults } from './page-layout.ts'

const browser = useBrowser({ fonts: 'wide' })
const skip = browserMissing

const WIDTHS = [360, 768, 1280]
const PATHS = [...PAGES.map(({ path }) => path), 'history/VS-0002', 'history/VS-0001']
/** Pages that the sitemap names besides, one of each kind. */
const OF_STATUS = [
  /status\/incidents\/[\w-]+/,
  /status\/maintenances\/[\w-]+/,
  /status\/\d{4}-\d{2}/,
]

for (const variant of LIMIT_VARIANTS) {
  test(`texts at their limits leave every page whole: ${variant}`, { skip }, async (t) => {
    const app = await runApp(t, { releases: limitReleases(variant) })
    const { page } = await browser.openPage(t)
    const faults: string[] = []
    const sitemap = await readSitemap(async (path) => (await app.fetch(path)).text())
    const ofStatus = OF_STATUS.map((path) => path.exec(sitemap)?.[0] ?? assert.fail(String(path)))
    for (const path of [...PATHS, ...ofStatus]) {
      const response = await page.goto(app.origin + pathOfPage('en', path))
      assert.equal(response?.status(), 200, path)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 })
        const found = await layoutFaults(page)
        faults.push(...found.map((fault) => `/${path} at ${width} px: ${fault}`))
      }
    }
    assert.deepEqual(faults, [])
  })
}
