import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { LOCALES, type Locale } from '../../src/contract/locales.ts'
import { PAGES } from '../../src/pages/page-table.ts'
import { pathOfPage } from '../../src/pages/page.ts'
import { TEXTS } from '../../src/pages/texts.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { axeFaults } from '../support/page-checks.ts'
import {
  assertEveryPage,
  assertEveryPageWithoutScripts,
  NARROW,
  overflowOf,
  runDeployedService,
  watchPage,
  WIDE,
} from './watched-page.ts'

const browser = useBrowser()
const skip = browserMissing

/** Tab stops that are looked at on a page: its header and the beginning of its content. */
const TAB_STOPS = 30
/** Gzipped bytes of scripts that a page may load, the ALTCHA widget aside. */
const MAX_SCRIPT_BYTES = 40_000

test('the checks detect violations', { skip }, async (t) => {
  const app = await runDeployedService(t)
  const { page, open, requireQuiet } = await watchPage(t, browser, app)
  await page.setViewportSize(NARROW)
  await open('/en')
  await requireQuiet('as it is sent')
  await page.evaluate(() => {
    document.querySelector('main')?.insertAdjacentHTML('afterbegin', '<img src="/none.png">')
    const wide = document.createElement('pre')
    wide.textContent = 'wide '.repeat(200)
    wide.style.overflow = 'visible'
    document.querySelector('main')?.prepend(wide)
    document.body.insertAdjacentHTML('beforeend', '<p style="color: red">red</p>')
  })
  await page.waitForFunction(
    () => (globalThis as unknown as { readonly noticed: string[] }).noticed.length > 1,
  )
  assert.ok((await overflowOf(page)).length > 1)
  assert.match((await axeFaults(page)).join('\n'), /^image-alt: /m)
  assert.deepEqual(await axeFaults(page, ['color-contrast']), [])
  await assert.rejects(requireQuiet('changed'), (error: Error) => {
    assert.match(error.message, /layout shift of /)
    assert.match(error.message, /policy: style-src-attr /)
    return true
  })
})

test(
  'every page is accessible, logs no errors and does not overflow, in light and dark, wide and narrow',
  { skip },
  (t) => assertEveryPage(t, browser, 'en'),
)

test('loaded scripts are within their limit', { skip }, async (t) => {
  const app = await runDeployedService(t)
  const { page, open } = await watchPage(t, browser, app)
  const loaded = new Set<string>()
  page.on('request', (request) => {
    if (request.resourceType() === 'script') loaded.add(new URL(request.url()).pathname)
  })
  for (const path of PAGES.map((each) => pathOfPage('en', each.path))) {
    loaded.clear()
    await open(path)
    let sum = 0
    for (const script of loaded) {
      if (script.startsWith('/assets/altcha')) continue
      const response = await app.fetch(script, { headers: { 'Accept-Encoding': 'gzip' } })
      sum += Number(response.headers.get('content-length'))
    }
    assert.ok(sum > 0 && sum < MAX_SCRIPT_BYTES, `${path}: ${sum} bytes`)
  }
})

test('every page works without scripts', { skip }, (t) =>
  assertEveryPageWithoutScripts(t, browser, 'en'),
)

// Every page's links are checked in test/pages/every-page-markup.test.ts; here they are followed.
test('the language switch keeps the page', { skip }, async (t) => {
  const app = await runDeployedService(t)
  const { page, requireQuiet } = await watchPage(t, browser, app)
  await page.setViewportSize(WIDE)
  for (const path of ['', 'early-access', 'reference/wallet']) {
    assert.ok(PAGES.some((each) => each.path === path))
    await page.goto(app.origin + pathOfPage('en', path))
    for (const locale of ['th', 'zh-CN', 'en'] satisfies Locale[]) {
      await page.getByRole('link', { name: TEXTS[locale].site.language, exact: true }).click()
      await page.waitForURL(app.origin + pathOfPage(locale, path))
      assert.equal(await page.locator('html').getAttribute('lang'), locale)
    }
    await requireQuiet(path)
  }
})

/** What has the focus: whether it can be seen, and that it has it. */
function focused(page: Page) {
  return page.evaluate(() => {
    const element = document.activeElement
    if (element === null || element === document.body) return undefined
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    const box = element.getBoundingClientRect()
    return {
      name: element.outerHTML.slice(0, 90),
      href: element.getAttribute('href'),
      isOutlined: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1,
      isInView:
        box.width > 0 &&
        box.height > 0 &&
        box.bottom > 0 &&
        box.top < innerHeight &&
        box.right > 0 &&
        box.left < innerWidth,
    }
  })
}

test('every page is keyboard accessible', { skip }, async (t) => {
  const app = await runDeployedService(t)
  const { page, open } = await watchPage(t, browser, app)
  await page.setViewportSize(WIDE)
  for (const { path } of PAGES) {
    await open(pathOfPage('en', path))
    await page.keyboard.press('Tab')
    assert.equal((await focused(page))?.href, '#main', `${path}: the skip link comes first`)
    for (let stop = 0; stop < TAB_STOPS; stop += 1) {
      const found = await focused(page)
      if (found === undefined) break
      assert.ok(found.isInView, `${path}: out of view: ${found.name}`)
      assert.ok(found.isOutlined, `${path}: no outline: ${found.name}`)
      await page.keyboard.press('Tab')
    }
    await page.evaluate(() => scrollTo(0, 0))
    await page.locator('a[href="#main"]').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    const isInMain = await page.evaluate(() => document.activeElement?.closest('header') === null)
    assert.ok(isInMain, `${path}: the skip link leads past the header`)
  }
})

test('the narrow navigation works without scripts', { skip }, async (t) => {
  const app = await runDeployedService(t)
  const { page } = await browser.openPage(t, { javaScriptEnabled: false, viewport: NARROW })
  for (const locale of LOCALES) {
    await page.goto(app.origin + pathOfPage(locale, 'reference'))
    const navigation = page.locator('nav.pages')
    assert.equal(await navigation.isVisible(), false)
    await page.locator('button.menu').click()
    assert.equal(await navigation.isVisible(), true)
    assert.equal(
      await navigation.getByRole('link').count(),
      PAGES.filter(({ parent }) => parent === undefined).length,
    )
    assert.deepEqual(await overflowOf(page), [], locale)
    await navigation.locator('button.close').click()
    assert.equal(await navigation.isVisible(), false)
    await page.locator('button.menu').click()
    await page.keyboard.press('Escape')
    assert.equal(await navigation.isVisible(), false)
  }
})
