import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import type { Page } from 'playwright-core'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { axeFaults } from '../support/page-checks.ts'
import { namelessOf, treeOf } from './accessibility-tree.ts'
import { NARROW, overflowOf, runDeployedService, testEveryPage, watchPage } from './watched-page.ts'

/** Tab stops that are looked at on a page: its header and the beginning of its content. */
const TAB_STOPS = 30

// axe looks at the dark and the narrow pages in every-locale.long.test.ts.
testEveryPage(() => browser, 'en', { checkWide: assertWidePage })

const browser = useBrowser()
const skip = browserMissing

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
    document.querySelector('main')?.insertAdjacentHTML('beforeend', '<button></button><h4>a</h4>')
  })
  await page.waitForFunction(() => {
    const { noticed } = globalThis as unknown as { readonly noticed: readonly string[] }
    return ['layout', 'policy'].every((kind) => noticed.some((each) => each.startsWith(kind)))
  })
  assert.ok((await overflowOf(page)).length > 1)
  assert.match((await axeFaults(page)).join('\n'), /^image-alt: /m)
  assert.deepEqual(await axeFaults(page, ['color-contrast']), [])
  const tree = await treeOf(page)
  assert.ok(namelessOf(tree).some(({ role }) => role === 'button'))
  assert.ok(tree.some(({ role, level }) => role === 'heading' && level === 4))
  await assert.rejects(requireQuiet('changed'), (error: Error) => {
    assert.match(error.message, /layout shift of /)
    assert.match(error.message, /policy: style-src-attr /)
    return true
  })
})

/** A tab stop, as it is when it has the focus. */
interface TabStop {
  readonly name: string
  readonly href: string | null
  readonly isOutlined: boolean
  readonly isInView: boolean
}

/** Has the page note in `stops` what has the focus whenever a key is pressed; undefined if nothing has it. */
function noteStops(): void {
  const stops: (TabStop | undefined)[] = []
  Object.assign(globalThis, { stops })
  addEventListener('keydown', () => {
    const element = document.activeElement
    if (element === null || element === document.body) return void stops.push(undefined)
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    const box = element.getBoundingClientRect()
    stops.push({
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
    })
  })
}

async function assertWidePage(page: Page, path: string): Promise<void> {
  const places = await page
    .locator('h1, header.site .name a')
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().left))
  assert.equal(new Set(places).size, 1, `${path}: the title begins where the page begins`)
  await assertKeyboardAccess(page, path)
}

async function assertKeyboardAccess(page: Page, path: string): Promise<void> {
  await page.evaluate(noteStops)
  for (let presses = 0; presses <= TAB_STOPS; presses += 1) await page.keyboard.press('Tab')
  const noted = await page.evaluate(
    () => (globalThis as unknown as { readonly stops: readonly (TabStop | undefined)[] }).stops,
  )
  assert.equal(noted.length, TAB_STOPS + 1)
  // The first press finds no focus; after the last stop the focus leaves the page.
  const [before, first, ...others] = noted
  assert.equal(before, undefined)
  assert.equal(first?.href, '#main', `${path}: the skip link comes first`)
  const end = others.indexOf(undefined)
  const stops = [first, ...others.slice(0, end === -1 ? undefined : end)]
  for (const stop of stops) {
    assert.ok(stop?.isInView, `${path}: out of view: ${stop?.name}`)
    assert.ok(stop.isOutlined, `${path}: no outline: ${stop.name}`)
  }
  await page.evaluate(() => scrollTo(0, 0))
  await page.locator('a[href="#main"]').focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  const isInMain = await page.evaluate(() => document.activeElement?.closest('header') === null)
  assert.ok(isInMain, `${path}: the skip link leads past the header`)
}

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
