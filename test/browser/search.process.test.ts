import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import { withoutLineMarks } from '@public-api/contract/text/line-marks'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { axeFaults } from '../support/page-checks.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { SITE_VARIANTS } from '../support/site-variants.ts'
import { useFileScope } from '../support/test-scope.ts'

const browser = useBrowser()
const skip = browserMissing
const [, example = {}] = SITE_VARIANTS.find(([name]) => name.includes('example')) ?? []

const scope = useFileScope()
let running: Promise<RunningApp> | undefined

/** An app that the tests share, so that each page and index is made once. */
const runOnce = () => (running ??= runApp(scope, { ...example, baseUrl: 'http://127.0.0.1:1' }))

test(
  'the search is loaded on use, and leads to the place with the keyboard alone',
  { skip },
  async (t) => {
    const app = await runOnce()
    for (const locale of LOCALES) {
      const t9n = TEXTS[locale].search
      const { page, errors } = await browser.openPage(t, { viewport: { width: 360, height: 740 } })
      const requested: string[] = []
      page.on('request', (request) => requested.push(new URL(request.url()).pathname))
      await page.goto(`${app.origin}/${locale}/privacy`)
      const button = page.getByRole('button', { name: t9n.open })
      await button.waitFor()
      const isOfSearch = (path: string) => path.includes('/search')
      assert.deepEqual(requested.filter(isOfSearch), [])
      await button.focus()
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: t9n.label })
      await dialog.waitFor()
      await page.keyboard.type(TEXTS[locale].status.subscribe.heading)
      await dialog.getByRole('link').first().waitFor()
      // The script, and the indexes of pages and of events.
      assert.equal(requested.filter(isOfSearch).length, 3)
      assert.match((await dialog.getByRole('status').textContent()) ?? '', /\d/)
      // The dialog has the same elements in each language.
      if (locale === 'en') assert.deepEqual(await axeFaults(page), [])
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      assert.ok(width <= 360, `${width}`)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
      assert.equal(await button.evaluate((each) => each === document.activeElement), true)
      await page.keyboard.press('Control+k')
      await dialog.waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/${locale}/status#subscribe`)
      assert.deepEqual(errors, [])
    }
  },
)

test('says that nothing was found, and that the index is away', { skip }, async (t) => {
  const app = await runOnce()
  const { page, errors } = await browser.openPage(t)
  const { none, failed } = TEXTS.en.search
  await page.goto(`${app.origin}/en/privacy`)
  await page.locator('html[data-script=on]').waitFor()
  await page.route('**/search.json', (route) => route.abort())
  await page.keyboard.press('Control+k')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await page.keyboard.type('a')
  await dialog.getByText(failed).waitFor()
  await page.unroute('**/search.json')
  // Too long to occur in a random key or signature that the pages show.
  await page.keyboard.type('zqxjkvwzqxjkvw')
  await dialog.getByText(none).waitFor()
  await page.keyboard.press('Enter')
  assert.equal(await dialog.isVisible(), true)
  await dialog.getByRole('button', { name: TEXTS.en.site.close }).click()
  assert.equal(await dialog.isVisible(), false)
  assert.equal(errors.length, 1)
})

test(
  'takes what is typed before its script is there, and says that texts of the index were cut',
  { skip },
  async (t) => {
    const app = await runOnce()
    for (const locale of LOCALES) {
      const { cut, failed } = TEXTS[locale].search
      const note = withoutLineMarks(cut).replace('{count}', '1,000')
      const { page } = await browser.openPage(t, { viewport: { width: 320, height: 740 } })
      await page.route('**/search.json', async (route) => {
        const index = (await (await route.fetch()).json()) as object
        await route.fulfill({ json: { ...index, note } })
      })
      await page.goto(`${app.origin}/${locale}/privacy`)
      await page.locator('html[data-script=on]').waitFor()
      await page.route('**/search.*.js', (route) => route.abort())
      await page.keyboard.press('Control+k')
      const dialog = page.getByRole('dialog')
      await dialog.getByText(withoutLineMarks(failed)).waitFor()
      await page.unroute('**/search.*.js')
      const { heading } = TEXTS[locale].status.subscribe
      await page.keyboard.type(heading)
      await dialog.getByRole('link').first().waitFor()
      await dialog.getByText(note).waitFor()
      assert.equal(await dialog.getByRole('textbox').inputValue(), heading)
      await dialog.getByRole('button', { name: TEXTS[locale].site.close }).click()
      assert.equal(await dialog.isVisible(), false)
    }
  },
)

test('without scripts there is no search to press', { skip }, async (t) => {
  const app = await runOnce()
  const { page } = await browser.openPage(t, { javaScriptEnabled: false })
  await page.goto(`${app.origin}/en`)
  assert.equal(await page.locator('.search-open').isVisible(), false)
  assert.equal(await page.locator('#search').isVisible(), false)
})
