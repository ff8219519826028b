import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { browserMissing, type TestFonts, useBrowser } from '../support/browser.ts'
import { runApp, TEST_NOW_MS } from '../support/running-app.ts'
import { runDeployedService, watchPage } from './watched-page.ts'

const skip = { skip: browserMissing }

const BROWSERS = {
  wide: useBrowser({ fonts: 'wide' }),
  narrow: useBrowser({ fonts: 'narrow' }),
} satisfies { readonly [fonts in TestFonts]: unknown }

const FONTS = ['wide', 'narrow'] as const
const WIDTHS = [320, 1280]

test('the fonts of the tests differ in width', skip, async (t) => {
  const widths = await Promise.all(
    FONTS.map(async (fonts) => {
      const { page } = await BROWSERS[fonts].openPage(t)
      await page.setContent('<span style="font: 16px system-ui, sans-serif">Not checked</span>')
      return (await page.locator('span').boundingBox())?.width ?? 0
    }),
  )
  const [wide = 0, narrow = 0] = widths
  assert.ok(narrow > 0 && wide > 1.3 * narrow, `${wide} and ${narrow} px`)
})

for (const fonts of FONTS) {
  for (const width of WIDTHS) {
    test(
      `no page shifts while its scripts run, ${width} px wide, ${fonts} fonts`,
      skip,
      async (t) => {
        const app = await runDeployedService(t)
        const { page, open, requireQuiet } = await watchPage(t, BROWSERS[fonts], app)
        await page.setViewportSize({ width, height: 900 })
        for (const { path, parent } of PAGES) {
          if (parent !== undefined) continue
          await open(pathOfPage('en', path))
          await requireQuiet(path)
        }
      },
    )

    for (const [path, panel] of [
      ['', '.live'],
      ['/status', '.panel'],
    ] as const) {
      test(
        `the panel of /en${path} keeps its height while it fills in, ${width} px wide, ${fonts} fonts`,
        skip,
        async (t) => {
          const app = await runApp(t)
          const { page } = await BROWSERS[fonts].openPage(t, { viewport: { width, height: 900 } })
          await page.clock.setFixedTime(TEST_NOW_MS)
          const { promise: measured, resolve: letThrough } = Promise.withResolvers<undefined>()
          await page.route('**/assets/*-page.*', async (route) => {
            await measured
            await route.continue()
          })
          await page.goto(`${app.origin}/en${path}`, { waitUntil: 'commit' })
          await page.locator('footer').waitFor()
          const heightOf = async () => (await page.locator(panel).boundingBox())?.height ?? 0
          const before = await heightOf()
          assert.equal(await page.locator(`${panel} .state-good`).count(), 0)
          letThrough(undefined)
          const waiting = page.locator(
            `${panel} :is([data-state='pending'], [data-state='running'])`,
          )
          await page.locator(`${panel} .state-good`).first().waitFor()
          await waiting.first().waitFor({ state: 'detached' })
          const after = await heightOf()
          // Browsers place boxes at fractions of a pixel.
          assert.ok(Math.abs(after - before) < 1, `${before} px, then ${after} px`)
        },
      )
    }
  }
}
