import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import type { Page } from 'playwright-core'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { plainText } from '../../src/pages/markup/rich-text.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { axeFaults } from '../support/page-checks.ts'
import { publishedReleases } from '../support/published-releases.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { useFileScope } from '../support/test-scope.ts'

const browser = useBrowser()
const skip = { skip: browserMissing }
const PHONE = { width: 320, height: 640 }

const scope = useFileScope()
let running: Promise<RunningApp> | undefined

/** An app without options that the tests share, so that each page is rendered once. */
const runOnce = () => (running ??= runApp(scope))

test('a copy button copies its text, says so at the button, and announces it', skip, async (t) => {
  const app = await runOnce()
  const { page, context, errors } = await browser.openPage(t)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  // The button says so for two seconds of the page, which a busy machine can take until it is found.
  await page.clock.install()
  for (const locale of LOCALES) {
    const { site, overview } = TEXTS[locale]
    await page.goto(`${app.origin}${pathOfPage(locale, '')}`)
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000))
    const name = `${site.copy} ${overview.checkLabel}`
    const button = page.getByRole('button', { name, exact: true })
    const width = (await button.boundingBox())?.width
    await button.click()
    const done = page.getByRole('button', {
      name: `${site.copyDone} ${overview.checkLabel}`,
      exact: true,
    })
    assert.equal((await done.boundingBox())?.width, width)
    await page.clock.runFor(100)
    const said = `${site.copyDone} ${overview.checkLabel}`
    await page.getByRole('status').filter({ hasText: said }).waitFor()
    assert.equal(
      await page.evaluate(() => navigator.clipboard.readText()),
      await page.locator('#check-command').textContent(),
    )
  }
  await page.clock.runFor(2000)
  await page.locator('.copy.is-done').waitFor({ state: 'detached' })
  assert.equal(
    await page.locator('.copy > :first-child').first().textContent(),
    TEXTS['zh-CN'].site.copy,
  )
  assert.deepEqual(errors, [])
})

test('announces when the browser blocks copying', skip, async (t) => {
  const app = await runOnce()
  const { page, errors } = await browser.openPage(t)
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))
  })
  await page.goto(`${app.origin}/en`)
  await page.locator('.copy').first().click()
  await page.getByRole('status').filter({ hasText: TEXTS.en.site.notCopied }).waitFor()
  assert.deepEqual(errors, [])
})

test('a box is a tab stop only while it scrolls', skip, async (t) => {
  const app = await runApp(t, { releases: publishedReleases() })
  const { page, errors } = await browser.openPage(t)
  await page.goto(`${app.origin}/en`)
  for (const width of [1600, 360, 1600]) {
    await page.setViewportSize({ width, height: 900 })
    await page.waitForFunction(() => {
      const boxes = [...document.querySelectorAll<HTMLElement>('.picture > .wide')]
      const isRight = (box: HTMLElement) =>
        box.tabIndex === (box.scrollWidth > box.clientWidth ? 0 : -1)
      return boxes.length > 0 && boxes.every(isRight)
    })
  }
  assert.deepEqual(errors, [])
})

test('a long example shows whole lines and fades until its end', skip, async (t) => {
  const app = await runApp(t, { releases: publishedReleases() })
  const { page } = await browser.openPage(t, { viewport: { width: 1280, height: 800 } })
  await page.goto(`${app.origin}/en/reference/snapshots`)
  const boxes = page.locator('.endpoint figure > pre')
  const examples = await boxes.evaluateAll((all) =>
    all.map((box) => {
      const style = getComputedStyle(box)
      const shown = box.clientHeight - parseFloat(style.paddingBlockStart)
      return {
        lines: shown / parseFloat(style.lineHeight),
        hidden: box.scrollHeight - box.clientHeight,
        fade: style.maskPosition,
      }
    }),
  )
  const long = examples.filter(({ hidden }) => hidden > 0)
  assert.ok(long.length > 0 && long.length < examples.length, JSON.stringify(examples))
  for (const { lines, hidden, fade } of long) {
    assert.ok(Math.abs(lines - Math.round(lines)) < 0.05, `${lines} lines`)
    assert.ok(hidden > 48, `only ${hidden} px hidden`)
    assert.equal(fade, '0px 0px, 0px -48px')
  }
  await boxes.evaluateAll((all) => {
    for (const box of all) box.scrollTop = box.scrollHeight
  })
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.endpoint figure > pre')].every(
      (box) => !getComputedStyle(box).maskPosition.includes('-'),
    ),
  )
})

test('the rail shows the current group and keeps its filter in view', skip, async (t) => {
  const app = await runOnce()
  const { page } = await browser.openPage(t, { viewport: { width: 1280, height: 600 } })
  await page.goto(`${app.origin}/en/reference/preview`)
  const { endpoints } = TEXTS.en.reference
  const rail = page.getByRole('navigation', { name: endpoints })
  await page.waitForFunction(() => (document.querySelector('.contents')?.scrollTop ?? 0) > 0)
  for (const part of [rail.locator('.rail-group [aria-current="page"]'), rail.locator('input')]) {
    const isInView = await part.evaluate((element) => {
      const shown = element.closest('.contents')?.getBoundingClientRect()
      const { top, bottom } = element.getBoundingClientRect()
      return (
        shown !== undefined && top >= shown.top && bottom <= Math.min(shown.bottom, innerHeight)
      )
    })
    assert.ok(isInView, String(part))
  }
})

test('the heading of an endpoint and of an error copies its link', skip, async (t) => {
  const app = await runOnce()
  const { page, context, errors } = await browser.openPage(t)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  for (const path of ['reference/snapshots#roadmap', 'errors#NOT_FOUND']) {
    const url = `${app.origin}/en/${path}`
    await page.goto(url.replace(/#.*/, ''))
    const anchor = page.locator(`a.anchor[href="${url.replace(/.*#/, '#')}"]`)
    const entry = page.locator('details', { has: anchor })
    if ((await entry.count()) > 0) await entry.locator('summary').click()
    await anchor.click()
    await page.getByRole('status').filter({ hasText: TEXTS.en.site.linkCopied }).waitFor()
    assert.equal(page.url(), url)
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), url)
  }
  assert.deepEqual(errors, [])
})

/** Where the elements of a page stand once its fonts are loaded, a line each. */
const PLACES = `document.fonts.ready.then(() =>
  [...document.querySelectorAll('main :not(.when, .when *)')].map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect()
    return [element.tagName, x, y, width, height].join(' ')
  }),
)`

async function placesOf(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(PLACES)) as readonly string[]
}

test('the local time appears next to UTC and shifts nothing', skip, async (t) => {
  const app = await runApp(t, { releases: publishedReleases() })
  const timezoneId = 'Asia/Bangkok'
  const { page } = await browser.openPage(t, { timezoneId })
  // As it was drawn before the script of all pages ran.
  const { page: still } = await browser.openPage(t, { timezoneId })
  await still.route('**/assets/site.*', (route) => route.abort())
  for (const locale of LOCALES) {
    for (const place of ['changelog', 'roadmap']) {
      const url = `${app.origin}${pathOfPage(locale, place)}`
      await page.goto(url)
      await still.goto(url)
      for (const width of [320, 768, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        await still.setViewportSize({ width, height: 800 })
        const places = await placesOf(still)
        const moved = (await placesOf(page)).filter((line, index) => line !== places[index])
        assert.deepEqual(moved, [], `${url}, ${width} px wide`)
      }
      const times = await page
        .locator('main .when:not(:has(time + time)) > .local')
        .evaluateAll((found) =>
          found.map((local) => [
            local.parentElement?.querySelector('time')?.getAttribute('datetime') ?? '',
            local.textContent ?? '',
          ]),
        )
      assert.ok(times.length > 0, url)
      const expected = times.map(([iso = '']) => {
        const time = new Intl.DateTimeFormat(locale, {
          month: 'short',
          day: 'numeric',
          hour: '2-digit',
          minute: '2-digit',
          hourCycle: 'h23',
          timeZone: timezoneId,
        }).format(new Date(iso))
        return [iso, plainText(TEXTS[locale].site.ownTime, { time })]
      })
      assert.deepEqual(times, expected, url)
    }
  }
})

test('shows no local time to visitors in UTC', skip, async (t) => {
  const app = await runOnce()
  const { page } = await browser.openPage(t, { timezoneId: 'UTC' })
  await page.goto(`${app.origin}/en/status`)
  await page.locator('html[data-script="on"]').waitFor()
  assert.ok((await page.locator('.local').count()) > 0)
  assert.equal(await page.locator('.local:visible').count(), 0)
})

test(
  'without scripts the navigation opens on a phone, and controls that need scripts are hidden',
  skip,
  async (t) => {
    const app = await runOnce()
    const { page } = await browser.openPage(t, { viewport: PHONE, javaScriptEnabled: false })
    await page.goto(`${app.origin}/en`)
    const { site, wallet } = TEXTS.en
    const navigation = page.getByRole('navigation', { name: site.pages })
    assert.equal(await navigation.isVisible(), false)
    assert.equal(await page.locator('.copy').first().isVisible(), false)
    assert.equal(await page.getByLabel(site.theme.label).isVisible(), false)
    const button = page.getByRole('button', { name: site.pages, exact: true })
    await button.click()
    assert.equal(await navigation.isVisible(), true)
    await page.keyboard.press('Escape')
    assert.equal(await navigation.isVisible(), false)
    await button.click()
    await navigation.getByRole('button', { name: site.close }).click()
    assert.equal(await navigation.isVisible(), false)
    await button.press('Enter')
    await navigation.getByRole('link', { name: wallet.title, exact: true }).click()
    await page.waitForURL(`${app.origin}/en/wallet`)
    const contents = page.getByRole('navigation', { name: site.contents })
    assert.equal(await contents.isVisible(), false)
    await page.getByRole('button', { name: site.contents }).click()
    await contents.getByRole('link', { name: wallet.evidence }).click()
    await page.waitForURL('**/en/wallet#evidence')
  },
)

test('a contents link closes the popover', skip, async (t) => {
  const app = await runOnce()
  const { page } = await browser.openPage(t, { viewport: PHONE })
  await page.goto(`${app.origin}/en/wallet`)
  const { site, wallet } = TEXTS.en
  const contents = page.getByRole('navigation', { name: site.contents })
  await page.getByRole('button', { name: site.contents }).click()
  await contents.getByRole('link', { name: wallet.evidence }).click()
  await contents.waitFor({ state: 'hidden' })
  await page.getByRole('heading', { name: wallet.evidence }).waitFor()
})

test('wide screens show the navigation and the contents', skip, async (t) => {
  const app = await runOnce()
  const { page } = await browser.openPage(t, { viewport: { width: 1280, height: 800 } })
  await page.goto(`${app.origin}/en/wallet`)
  const { site } = TEXTS.en
  assert.equal(await page.getByRole('navigation', { name: site.pages }).isVisible(), true)
  assert.equal(await page.getByRole('navigation', { name: site.contents }).isVisible(), true)
  for (const name of [site.pages, site.contents, site.close]) {
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
  }
})

for (const [path, items] of [['errors', '.error-entry']] as const) {
  test(`the filter of ${path} hides other items and announces the count`, skip, async (t) => {
    const app = await runOnce()
    const { page, errors } = await browser.openPage(t)
    await page.goto(`${app.origin}/en/${path}`)
    const filter = page.locator('.filter')
    const shown = page.locator(`${items}:visible`)
    const total = await page.locator(items).count()
    const word = 'rate limited'
    await filter.getByRole('searchbox').fill(word)
    const some = await shown.count()
    assert.ok(some > 0 && some < total, `${some} of ${total}`)
    for (const text of await shown.allTextContents()) {
      for (const part of word.split(' ')) assert.ok(text.toLowerCase().includes(part), text)
    }
    const { some: someText, none } = TEXTS.en.site.filter
    const said = filter.getByRole('status')
    assert.equal(await said.textContent(), plainText(someText, { count: some, total }))
    await filter.getByRole('searchbox').fill('no such thing')
    assert.equal(await shown.count(), 0)
    assert.equal(await said.textContent(), none)
    await filter.getByRole('searchbox').fill('')
    assert.equal(await shown.count(), total)
    assert.equal(await said.textContent(), '')
    assert.deepEqual(errors, [])
  })
}

for (const [locale, searches] of [
  [
    'en',
    [
      ['waitlist', 'register', undefined],
      ['incident', 'status', 'status.incidents'],
      ['ticket', 'register', 'register.ticket'],
      ['challenge_failed', 'register', 'CHALLENGE_FAILED'],
    ],
  ],
  ['zh-CN', [['状态', 'status', undefined]]],
  ['th', [['สถานะ', 'status', undefined]]],
] as const) {
  test(`the filter of the reference finds words in ${locale}`, skip, async (t) => {
    const app = await runOnce()
    const viewport = { width: 1280, height: 800 }
    const { page, errors } = await browser.openPage(t, { viewport })
    await page.goto(`${app.origin}${pathOfPage(locale, 'reference')}`)
    for (const [word, name, part] of searches) {
      await page.getByRole('searchbox').fill(word)
      const item = page.locator(`.rail li:has(> a[href$="#${name}"])`)
      await item.locator('.found').waitFor()
      if (part !== undefined) {
        const href = await item.locator('.found a', { hasText: part }).first().getAttribute('href')
        assert.ok(href !== null && (await app.fetch(href)).ok, `${href}`)
        assert.ok(href.endsWith(`#${part}`), href)
      }
      assert.ok((await page.locator('.rail-group > ul > li[hidden]').count()) > 0)
      // Every other result has the same kinds of elements.
      if (part === 'CHALLENGE_FAILED') assert.deepEqual(await axeFaults(page), [])
      await page.getByRole('searchbox').fill('no such thing')
      assert.equal(await page.locator('.rail-group:visible').count(), 0)
      await page.getByRole('searchbox').fill('')
      assert.equal(await page.locator('.found').count(), 0)
    }
    assert.deepEqual(errors, [])
  })
}

test('without scripts the list is complete and has no filter', skip, async (t) => {
  const app = await runOnce()
  const { page } = await browser.openPage(t, { javaScriptEnabled: false })
  await page.goto(`${app.origin}/en/errors`)
  assert.equal(await page.getByRole('searchbox').count(), 0)
  assert.equal(
    await page.locator('.error-entry:visible').count(),
    await page.locator('.error-entry').count(),
  )
})

for (const javaScriptEnabled of [true, false]) {
  test(
    `a link to an error code opens its entry ${javaScriptEnabled ? 'with' : 'without'} scripts`,
    skip,
    async (t) => {
      const app = await runOnce()
      const viewport = { width: 360, height: 780 }
      const { page } = await browser.openPage(t, { javaScriptEnabled, viewport })
      await page.goto(`${app.origin}/en/errors#KEY_EXPIRED`)
      const entry = page.locator('.error-entry', { has: page.locator('#KEY_EXPIRED') })
      await entry.locator('pre').waitFor()
      // Its line is in view, too, once the page has scrolled.
      await eventually('the line is in view', async () => {
        const box = await entry.locator('summary').boundingBox()
        return (box !== null && box.y >= 0 && box.y < viewport.height) || undefined
      })
      assert.equal(await page.locator('.error-entry[open]').count(), 1)
    },
  )
}

test('a chosen theme is remembered and applied before the page is drawn', skip, async (t) => {
  const app = await runOnce()
  const { page, errors } = await browser.openPage(t, { colorScheme: 'light' })
  const background = (): Promise<string> =>
    page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  await page.goto(`${app.origin}/en`)
  const light = await background()
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await background()
  assert.notEqual(dark, light, 'follows the system')
  await page.emulateMedia({ colorScheme: 'light' })
  await page.getByLabel(TEXTS.en.site.theme.label).selectOption('dark')
  assert.equal(await background(), dark)
  // The script of the whole page never arrives, so only the one in the head can apply the choice.
  await page.route('**/assets/site.*.js', (route) => route.abort())
  for (const locale of LOCALES) {
    await page.goto(`${app.origin}${pathOfPage(locale, 'status')}`)
    assert.equal(await background(), dark)
    const choice = page.getByLabel(TEXTS[locale].site.theme.label)
    assert.equal(await choice.inputValue(), 'dark')
  }
  await page.emulateMedia({ media: 'print' })
  assert.equal(await background(), 'rgb(255, 255, 255)', 'is printed on white')
  const buttons = await page.locator('button:visible, .button-quiet:visible').allTextContents()
  assert.deepEqual(buttons, [], 'nothing to press is printed')
  await page.emulateMedia({ media: 'screen' })
  await page.getByLabel(TEXTS['zh-CN'].site.theme.label).selectOption('system')
  await page.goBack()
  assert.equal(await background(), light, 'follows the system again, on an earlier page too')
  assert.deepEqual(
    errors.filter((error) => !error.includes('ERR_FAILED')),
    [],
  )
})

test('a theme can be chosen where the browser blocks storage', skip, async (t) => {
  const app = await runOnce()
  const { page, errors } = await browser.openPage(t, { colorScheme: 'light' })
  await page.addInitScript(() => {
    Object.defineProperty(globalThis, 'localStorage', {
      get: () => {
        throw new DOMException('', 'SecurityError')
      },
    })
  })
  await page.goto(`${app.origin}/en/status`)
  await page.getByLabel(TEXTS.en.site.theme.label).selectOption('dark')
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
  assert.deepEqual(errors, [])
})
