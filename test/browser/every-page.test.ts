import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { LOCALES, type Locale } from '../../src/contract/locales.ts'
import { PAGES } from '../../src/pages/page-table.ts'
import { pathOfPage } from '../../src/pages/page.ts'
import { TEXTS } from '../../src/pages/texts.ts'
import { createAltchaChallenge } from '../../src/service/altcha-challenge.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { axeFaults } from '../support/page-checks.ts'
import { runRegisteringApp, type RegisteringApp } from '../support/registering-app.ts'
import { publishedReleases } from '../support/site-variants.ts'

const browser = useBrowser()
const skip = browserMissing

const WIDE = { width: 1280, height: 900 }
const NARROW = { width: 320, height: 640 }
/** Tab stops that are looked at on a page: its header and the beginning of its content. */
const TAB_STOPS = 30
/** Gzipped bytes of scripts that a page may load, the ALTCHA widget aside. */
const MAX_SCRIPT_BYTES = 40_000

/** The service as it is deployed, with what is published: an open waitlist behind an ALTCHA challenge. */
function runService(t: TestContext): Promise<RegisteringApp> {
  return runRegisteringApp(t, {
    challenge: ({ counters, clock }) => createAltchaChallenge({ counters, clock }),
    parts: { releases: publishedReleases() },
  })
}

/** What pages do that no page may do, watched from the first of them on. */
interface Watched {
  readonly page: Page
  /** Opens an address and waits until what the page does by itself is done and drawn. */
  open(path: string): Promise<void>
  /** Fails unless nothing was noticed since the last call. */
  requireQuiet(what: string): Promise<void>
}

/** Notices layout shifts and what the policy refuses; runs in the page before anything of it. */
function noticeInPage(): void {
  const noticed: string[] = []
  Object.assign(globalThis, { noticed })
  document.addEventListener('securitypolicyviolation', (event) => {
    noticed.push(`policy: ${event.violatedDirective} ${event.blockedURI}`)
  })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const shift = entry as PerformanceEntry & {
        readonly value: number
        readonly sources?: readonly { readonly node?: Node | null }[]
      }
      const nodes = (shift.sources ?? []).map(({ node }) =>
        node instanceof Element ? `${node.tagName}.${node.className}` : (node?.nodeName ?? ''),
      )
      noticed.push(`layout shift of ${shift.value}: ${nodes.join(', ')}`)
    }
  }).observe({ type: 'layout-shift', buffered: true })
}

async function watch(t: TestContext, app: RegisteringApp): Promise<Watched> {
  const { page, context, errors } = await browser.openPage(t, { colorScheme: 'light' })
  await page.clock.setFixedTime(app.clock.ms)
  await page.addInitScript(noticeInPage)
  const elsewhere: string[] = []
  let waitingFor = 0
  context.on('request', (request: Request) => {
    waitingFor += 1
    if (new URL(request.url()).origin !== app.origin) elsewhere.push(request.url())
  })
  context.on('requestfinished', () => (waitingFor -= 1))
  context.on('requestfailed', () => (waitingFor -= 1))
  return {
    page,
    async open(path) {
      await page.goto(app.origin + path)
      // A late resource may load others; wait until everything is drawn.
      for (let quiet = 0; quiet < 3; quiet += 1) {
        await page.evaluate(drawTwice)
        if (waitingFor > 0) quiet = -1
      }
    },
    async requireQuiet(what) {
      const noticed = await page.evaluate(() => {
        const { noticed: found } = globalThis as unknown as { readonly noticed: string[] }
        return found.splice(0)
      })
      assert.deepEqual(noticed, [], what)
      assert.deepEqual(errors, [], what)
      assert.deepEqual(elsewhere, [], what)
      assert.deepEqual(await context.cookies(), [], what)
    },
  }
}

function drawTwice(): Promise<unknown> {
  return new Promise((drawn) => {
    requestAnimationFrame(() => requestAnimationFrame(drawn))
  })
}

/** Elements that reach past the window, and what the page would scroll to. */
function overflowOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const { scrollWidth = 0 } = document.scrollingElement ?? {}
    if (scrollWidth <= innerWidth) return []
    const wide = [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > innerWidth + 1,
    )
    return [
      `${scrollWidth} of ${innerWidth}`,
      ...wide.map(({ outerHTML }) => outerHTML.slice(0, 90)),
    ]
  })
}

test('the checks detect violations', { skip }, async (t) => {
  const app = await runService(t)
  const { page, open, requireQuiet } = await watch(t, app)
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

for (const locale of LOCALES) {
  test(
    `every page in ${locale} is accessible, quiet and in one piece, in light and dark, wide and narrow`,
    { skip },
    async (t) => {
      const app = await runService(t)
      const { page, open, requireQuiet } = await watch(t, app)
      for (const path of PAGES.map((each) => pathOfPage(locale, each.path))) {
        await page.setViewportSize(WIDE)
        await open(path)
        await requireQuiet(path)
        assert.deepEqual(await overflowOf(page), [], path)
        assert.deepEqual(await axeFaults(page), [], path)
        await page.emulateMedia({ colorScheme: 'dark' })
        // Only the colors differ.
        assert.deepEqual(await axeFaults(page, ['color-contrast']), [], `${path}, dark`)
        await page.emulateMedia({ colorScheme: 'light' })

        await page.setViewportSize(NARROW)
        await open(path)
        await requireQuiet(`${path} at 320 px`)
        await page.evaluate(() => {
          for (const details of document.querySelectorAll('details')) details.open = true
        })
        assert.deepEqual(await overflowOf(page), [], `${path} at 320 px`)
        assert.deepEqual(await axeFaults(page), [], `${path} at 320 px`)
      }
      // The page of an unknown path; its 404 is an error on the console.
      await open(pathOfPage(locale, 'no-such-page'))
      assert.deepEqual(await overflowOf(page), [])
      assert.deepEqual(await axeFaults(page), [])
    },
  )
}

test('loaded scripts are within their limit', { skip }, async (t) => {
  const app = await runService(t)
  const { page, open } = await watch(t, app)
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

/** What a person finds on a page: its headings, and what could be used but needs a script. */
function foundOn(page: Page) {
  return page.evaluate(() => {
    const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true })
    const shown = (selector: string) => [...document.querySelectorAll(selector)].filter(isShown)
    return {
      headings: shown('h1, h2').map(({ textContent }) => textContent.trim()),
      length: document.querySelector('main')?.innerText.length ?? 0,
      // A popover opens without a script.
      buttons: shown('button:not([popovertarget]), form, input, select, textarea').map(
        ({ outerHTML }) => outerHTML.slice(0, 90),
      ),
      links: shown('a[href]').length,
    }
  })
}

test('every page works without scripts', { skip }, async (t) => {
  const app = await runService(t)
  const { page, errors } = await browser.openPage(t, { javaScriptEnabled: false, viewport: WIDE })
  const { page: scripted, open } = await watch(t, app)
  await scripted.setViewportSize(WIDE)
  for (const locale of LOCALES) {
    for (const each of PAGES) {
      const path = pathOfPage(locale, each.path)
      await page.goto(app.origin + path)
      const found = await foundOn(page)
      assert.ok((found.headings[0] ?? '').length > 0, path)
      assert.deepEqual(found.buttons, [], `${path} offers what does not work`)
      assert.ok(found.links > PAGES.length, path)
      assert.deepEqual(await overflowOf(page), [], path)
      if (locale !== 'en') continue
      await open(path)
      const full = await foundOn(scripted)
      assert.ok(found.length > full.length / 3, `${path}: ${found.length} of ${full.length}`)
    }
  }
  assert.deepEqual(errors, [])
})

test('the language switch keeps the page', { skip }, async (t) => {
  const app = await runService(t)
  const { page, requireQuiet } = await watch(t, app)
  await page.setViewportSize(WIDE)
  for (const { path } of PAGES) {
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
  const app = await runService(t)
  const { page, open } = await watch(t, app)
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
  const app = await runService(t)
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
