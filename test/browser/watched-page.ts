import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locale } from '@public-api/contract/terms/locales'
import type { Page, Request } from 'playwright-core'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { createAltchaChallenge } from '../../src/service/challenge/altcha-challenge.ts'
import { browserMissing, type TestBrowser } from '../support/browser.ts'
import { axeFaults } from '../support/page-checks.ts'
import { publishedReleases } from '../support/published-releases.ts'
import { runRegisteringApp, type RegisteringApp } from '../support/registering-app.ts'
import { type TestScope, useFileScope } from '../support/test-scope.ts'
import { assertAccessibilityTree } from './accessibility-tree.ts'

const WIDE = { width: 1280, height: 900 }
export const NARROW = { width: 320, height: 640 }

/** Runs the service as it is deployed, with what is published: an open waitlist behind an ALTCHA challenge. */
export function runDeployedService(t: TestScope): Promise<RegisteringApp> {
  return runRegisteringApp(t, {
    challenge: ({ counters, clock }) => createAltchaChallenge({ counters, clock }),
    parts: { releases: publishedReleases(), securityContact: 'mailto:security@example.test' },
  })
}

/** What pages do that no page may do, watched from the first of them on. */
export interface WatchedPage {
  readonly page: Page
  /** Opens an address and waits until what the page does by itself is done and drawn. */
  open(path: string): Promise<void>
  /** Paths of the scripts that were requested since the last call. */
  takeScripts(): readonly string[]
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
      // Less is the rounding of a fraction of a pixel.
      if (shift.value > 0.0001) noticed.push(`layout shift of ${shift.value}: ${nodes.join(', ')}`)
    }
  }).observe({ type: 'layout-shift', buffered: true })
}

export async function watchPage(
  t: TestScope,
  browser: TestBrowser,
  app: RegisteringApp,
): Promise<WatchedPage> {
  const { page, context, errors } = await browser.openPage(t, { colorScheme: 'light' })
  await page.clock.setFixedTime(app.clock.ms)
  await page.addInitScript(noticeInPage)
  const elsewhere: string[] = []
  const scripts = new Set<string>()
  let waitingFor = 0
  context.on('request', (request: Request) => {
    waitingFor += 1
    if (request.resourceType() === 'script') scripts.add(new URL(request.url()).pathname)
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
    takeScripts() {
      const taken = [...scripts]
      scripts.clear()
      return taken
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
export function overflowOf(page: Page): Promise<readonly string[]> {
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

/** Gzipped bytes of scripts that a page may load, the ALTCHA widget aside. */
const MAX_SCRIPT_BYTES = 40_000

/** Gzipped bytes of these scripts, the ALTCHA widget aside. */
async function bytesOf(app: RegisteringApp, scripts: readonly string[]): Promise<number> {
  const counted = scripts.filter((script) => !script.startsWith('/assets/altcha'))
  const sizes = await Promise.all(
    counted.map(async (script) => {
      const { headers } = await app.fetch(script, { headers: { 'Accept-Encoding': 'gzip' } })
      return Number(headers.get('content-length'))
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** axe's rules whose result depends on the layout; the others see the same elements at every width. */
const LAYOUT_RULES = [
  'aria-hidden-focus',
  'button-name',
  'color-contrast',
  'link-name',
  'region',
  'scrollable-region-focusable',
  'summary-name',
]

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

function openDetails(page: Page): Promise<void> {
  return page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true
  })
}

/** What is checked on every page. */
export interface EveryPageOptions {
  /** Whether axe looks at the pages dark and narrow, too. */
  readonly inEachAppearance?: boolean
  /** Runs on each wide page as it was loaded. */
  readonly checkWide?: (page: Page, path: string) => Promise<void>
}

async function openPages(scope: TestScope, browser: TestBrowser) {
  const app = await runDeployedService(scope)
  const watched = await watchPage(scope, browser, app)
  const options = { javaScriptEnabled: false, viewport: WIDE }
  return { app, ...watched, bare: await browser.openPage(scope, options) }
}

type OpenedPages = Awaited<ReturnType<typeof openPages>>

async function assertPage(
  { app, page, open, takeScripts, requireQuiet, bare }: OpenedPages,
  locale: Locale,
  path: string,
  { inEachAppearance = false, checkWide }: EveryPageOptions,
): Promise<void> {
  await page.setViewportSize(WIDE)
  takeScripts()
  await open(path)
  await requireQuiet(path)
  const bytes = await bytesOf(app, takeScripts())
  assert.ok(bytes > 0 && bytes < MAX_SCRIPT_BYTES, `${path}: ${bytes} bytes of scripts`)
  assert.deepEqual(await overflowOf(page), [], path)
  await assertAccessibilityTree(page, locale, path)

  await bare.page.goto(app.origin + path)
  const found = await foundOn(bare.page)
  assert.ok((found.headings[0] ?? '').length > 0, path)
  assert.deepEqual(found.buttons, [], `${path} offers what does not work`)
  assert.ok(found.links > PAGES.length, path)
  assert.deepEqual(await overflowOf(bare.page), [], path)
  const { length } = await foundOn(page)
  assert.ok(found.length > length / 3, `${path}: ${found.length} of ${length}`)
  assert.deepEqual(bare.errors, [])

  await checkWide?.(page, path)
  await openDetails(page)
  assert.deepEqual(await axeFaults(page), [], path)
  if (inEachAppearance) {
    await page.emulateMedia({ colorScheme: 'dark' })
    // Only the colors differ.
    assert.deepEqual(await axeFaults(page, ['color-contrast']), [], `${path}, dark`)
    await page.emulateMedia({ colorScheme: 'light' })
  }

  await page.setViewportSize(NARROW)
  await open(path)
  await requireQuiet(`${path} at 320 px`)
  await openDetails(page)
  assert.deepEqual(await overflowOf(page), [], `${path} at 320 px`)
  if (inEachAppearance) {
    assert.deepEqual(await axeFaults(page, LAYOUT_RULES), [], `${path} at 320 px`)
  }
}

/**
 * Declares a test for every page of a locale, which opens it wide and narrow, with scripts and without. It fails unless
 * the page is accessible and quiet, fits its window, loads few scripts and without them shows its content and offers only
 * what works. Call it before `useBrowser`, so that the pages close before the browser.
 */
export function testEveryPage(
  getBrowser: () => TestBrowser,
  locale: Locale,
  options: EveryPageOptions = {},
): void {
  const scope = useFileScope()
  let opened: Promise<OpenedPages> | undefined
  const pages = () => (opened ??= openPages(scope, getBrowser()))
  for (const path of PAGES.map((each) => pathOfPage(locale, each.path))) {
    test(
      `${path} is accessible, logs no errors and fits its window, with scripts and without`,
      { skip: browserMissing },
      async () => assertPage(await pages(), locale, path, options),
    )
  }

  // Last: its 404 is an error on the console.
  test(
    `the page of an unknown path in ${locale} is accessible`,
    { skip: browserMissing },
    async () => {
      const { page, open } = await pages()
      const unknown = pathOfPage(locale, 'no-such-page')
      await page.setViewportSize(NARROW)
      await open(unknown)
      assert.deepEqual(await overflowOf(page), [])
      assert.deepEqual(await axeFaults(page), [])
      await page.setViewportSize(WIDE)
      await assertAccessibilityTree(page, locale, unknown)
    },
  )
}
