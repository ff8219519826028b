import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import type { Route } from 'playwright-core'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { browserMissing, type TestFonts, useBrowser } from '../support/browser.ts'
import { openOutage } from '../support/clearing-house.ts'
import { useFileScope } from '../support/test-scope.ts'
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
  }
}

/** What is between a page and the origin of the service. */
const ORIGINS: { readonly [name: string]: (route: Route) => Promise<unknown> } = {
  alive: (route) => route.continue(),
  dead: (route) => route.abort(),
  // After the page was drawn, and long before the end of the test.
  slow: (route) => new Promise((later) => setTimeout(later, 300)).then(() => route.continue()),
  silent: () => Promise.resolve(),
  '503': (route) => route.fulfill({ status: 503, body: '' }),
}

/** A good score is 0.1 (web.dev/cls); it also counts what a reader does not notice. */
const MAX_SHIFT = 0.01

function sumShifts(): void {
  const sum = { value: 0, moved: '' }
  Object.assign(globalThis, { shifts: sum })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, sources = [] } = entry as PerformanceEntry & {
        readonly value: number
        readonly sources?: readonly { readonly node?: Node | null }[]
      }
      sum.value += value
      sum.moved += sources.map(({ node }) => node?.textContent?.trim().slice(0, 40)).join(', ')
    }
  }).observe({ type: 'layout-shift', buffered: true })
}

const scope = useFileScope()
const outage = browserMissing === undefined ? openOutage(scope) : undefined

for (const [name, change] of Object.entries(ORIGINS)) {
  test(`an outage shifts no page of the service and of a copy: origin ${name}`, skip, async (t) => {
    const { service, copy } = (await outage) ?? assert.fail()
    for (const site of [service, copy]) {
      for (const locale of LOCALES) {
        for (const path of ['', '/status', '/status/incidents/cards-declined', '/history']) {
          for (const width of [360, 1280]) {
            const { page, context } = await BROWSERS.wide.openPage(t, {
              viewport: { width, height: 740 },
              timezoneId: 'Asia/Bangkok',
            })
            await page.addInitScript(sumShifts)
            await page.route(`${service}/api/**`, change)
            await page.goto(`${site}/${locale}${path}`)
            if (name !== 'silent' && path.length < 8)
              await page.locator('#state-now[data-live]').waitFor()
            else await page.locator('html[data-script="on"]').waitFor()
            await page.evaluate('new Promise((drawn) => setTimeout(drawn, 150))')
            const { value, moved } = await page.evaluate(
              () => (globalThis as unknown as { shifts: { value: number; moved: string } }).shifts,
            )
            const what = `${site === copy ? 'copy' : 'service'} /${locale}${path} ${width} px`
            assert.ok(value <= MAX_SHIFT, `${what}: ${value}: ${moved}`)
            await context.close()
          }
        }
      }
    }
  })
}

/** The last line of what an outage is asked: what is broken, since when, is it known, what is done, when is the next news. */
const ANSWERS = [
  '#state-now > p:nth-of-type(2)',
  '.open-incident :is(h2, h3)',
  '.open-incident .when',
  '.open-incident [data-ago]',
  'main [href$="#subscribe"]',
]
const MAINTENANCE = '.next-maintenance'

for (const [screen, rows] of [
  [{ width: 1280, height: 740 }, Infinity],
  [{ width: 360, height: 740 }, 2],
] as const) {
  test(
    `the first screen answers what an outage is asked, ${screen.width} px wide, the origin of a copy dead`,
    skip,
    async (t) => {
      const { service, copy } = (await outage) ?? assert.fail()
      for (const site of [service, copy]) {
        const { page } = await BROWSERS.wide.openPage(t, {
          viewport: screen,
          timezoneId: 'Asia/Bangkok',
        })
        if (site === copy) await page.route(`${service}/api/**`, (route) => route.abort())
        for (const locale of LOCALES) {
          for (const path of ['', '/status']) {
            const what = `${site === copy ? 'copy' : 'service'} /${locale}${path}`
            await page.goto(`${site}/${locale}${path}`)
            await page.locator('#state-now[data-live]').waitFor()
            for (const answer of [...ANSWERS, ...(screen.width > 360 ? [MAINTENANCE] : [])]) {
              const { y = 0, height = 0 } = (await page.locator(answer).first().boundingBox()) ?? {}
              assert.ok(height > 0 && y + height <= screen.height, `${what} ${answer}: ${y}`)
            }
            // On a phone, the text of an update may continue below its second line.
            const end = await page
              .locator('.open-incident > p:last-child')
              .first()
              .evaluate((text, most) => {
                const { top, height } = text.getBoundingClientRect()
                return top + Math.min(height, most * parseFloat(getComputedStyle(text).lineHeight))
              }, rows)
            assert.ok(end <= screen.height, `${what} update: ${end} px`)
          }
          if (screen.width > 360) continue
          const { y = 0 } = (await page.locator('#components').boundingBox()) ?? {}
          assert.ok(y > 0 && y <= 1.5 * screen.height, `${locale}: components begin at ${y} px`)
          const height = await page.evaluate(() => document.documentElement.scrollHeight)
          assert.ok(height < 5000, `${locale}: ${height} px`)
        }
      }
    },
  )
}
