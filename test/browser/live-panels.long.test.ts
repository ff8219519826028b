import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { LOCALES } from '@public-api/contract/registry/locales'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import type { Page } from 'playwright-core'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { emptyPlaceIn } from '../support/empty-place.ts'
import { axeFaults } from '../support/page-checks.ts'
import { runApp, TEST_NOW_MS } from '../support/running-app.ts'

const browser = useBrowser()
const skip = browserMissing
const STATUS = `**${READ_PATHS.status}`

/** Changes one byte of the status on its way to the page. */
async function tamper(page: Page): Promise<void> {
  await page.route(STATUS, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replace('"ok":t', '"ok":T') })
  })
}

async function open(t: TestContext, path: string, prepare = async (_: Page): Promise<void> => {}) {
  const app = await runApp(t)
  const opened = await browser.openPage(t)
  await opened.page.clock.setFixedTime(TEST_NOW_MS + 5000)
  await prepare(opened.page)
  await opened.page.goto(app.origin + path)
  return opened
}

const statesOf = (page: Page, steps: string) =>
  page
    .locator(`${steps} .step`)
    .evaluateAll((all) => all.map((step) => (step as HTMLElement).dataset['state']))

test('the first page verifies a real response and shows its lines', { skip }, async (t) => {
  const digests: (string | undefined)[] = []
  const { page, errors } = await open(t, '/en', async (each) => {
    each.on('response', (response) => {
      if (response.url().endsWith(READ_PATHS.status)) {
        digests.push(response.headers()['content-digest'])
      }
    })
  })
  const verdict = page.locator('#live-verdict')
  await verdict.locator('.state:not(.state-idle)').waitFor()
  assert.ok((await verdict.textContent())?.startsWith(TEXTS.en.proof.states.passed))
  const states = await statesOf(page, '#live-steps')
  assert.equal(states.length, Object.keys(TEXTS.en.proof.steps).length)
  assert.deepEqual(new Set(states), new Set(['passed']))
  const lines = await page.locator('.signed-lines code').allTextContents()
  assert.deepEqual(lines.slice(0, 4), ['svc-response-v1', 'GET', READ_PATHS.status, '200'])
  assert.deepEqual(digests, [lines[5]])
  assert.match((await page.locator('#live-signature').textContent()) ?? '', /^[\w+/]{86}==$/)
  assert.deepEqual(errors, [])
})

test('the first page shows which step a changed byte fails', { skip }, async (t) => {
  const { page } = await open(t, '/th', tamper)
  const verdict = page.locator('#live-verdict')
  await verdict.locator('.state:not(.state-idle)').waitFor()
  const { proof } = TEXTS.th
  assert.ok((await verdict.textContent())?.startsWith(proof.states.failed))
  const failed = page.locator('#live-steps [data-state="failed"]')
  assert.equal(await failed.locator('.step-label').textContent(), proof.steps.digest.label)
  const [expected = '', found = ''] = await failed.locator('dd').allTextContents()
  assert.notEqual(expected, found)
  assert.deepEqual(await axeFaults(page), [])
  // The next attempt reads an unchanged response.
  await page.unroute(STATUS)
  await page.locator('#live-again').click()
  await page.locator('#live-verdict .state-good').waitFor()
  assert.equal(await failed.count(), 0)
})

test('the first page shows no old result when the service is unreachable', { skip }, async (t) => {
  const { page } = await open(t, '/en')
  await page.locator('#live-verdict .state-good').waitFor()
  await page.route(STATUS, (route) => route.abort())
  await page.locator('#live-again').click()
  await page.locator('#live-verdict .state-warn').waitFor()
  assert.deepEqual(new Set(await statesOf(page, '#live-steps')), new Set(['skipped']))
})

/** The badge of the published state, and the live result beside it. */
async function bannerOf(page: Page) {
  const banner = page.locator('#state-now')
  return {
    published: (await banner.locator('.lead > .state').getAttribute('class')) ?? '',
    live: await banner.locator('.live-result').innerText(),
  }
}

test('the status page checks the service now', { skip }, async (t) => {
  const { page, errors } = await open(t, '/en/status')
  // The time of a service without a time source is unverified, so that step is skipped.
  await page.locator('#self-check [data-step="time"][data-state="skipped"]').waitFor()
  assert.deepEqual(await statesOf(page, '#self-check'), ['passed', 'passed', 'skipped'])
  assert.match(
    (await page.locator('#self-check').textContent()) ?? '',
    /Not measured against a time source/,
  )
  const { published, live } = await bannerOf(page)
  assert.match(published, /state-good/)
  assert.equal(live, TEXTS.en.status.live.result.passed)
  assert.deepEqual(errors, [])
})

test('the status page reports a changed response', { skip }, async (t) => {
  const { page } = await open(t, '/en/status', tamper)
  await page.locator('#self-check [data-step="time"][data-state="skipped"]').waitFor()
  assert.deepEqual(await statesOf(page, '#self-check'), ['passed', 'failed', 'skipped'])
  const { published, live } = await bannerOf(page)
  assert.doesNotMatch(published, /state-good/)
  assert.ok(live.startsWith(TEXTS.en.status.live.result.unverified), live)
})

test(
  'an unreachable service changes the headline, and nothing unchecked fails',
  { skip },
  async (t) => {
    for (const locale of LOCALES) {
      const { page } = await open(t, `/${locale}/status`, async (each) => {
        await each.route(STATUS, (route) => route.abort())
      })
      await page.locator('#state-now[data-live="failed"]').waitFor()
      assert.deepEqual(await statesOf(page, '#self-check'), ['failed', 'skipped', 'skipped'])
      const { noResponse, result } = TEXTS[locale].status.live
      assert.ok((await page.locator('#self-check').textContent())?.includes(noResponse))
      const { published, live } = await bannerOf(page)
      assert.doesNotMatch(published, /state-good/)
      assert.equal(live, `${result.noResponse} ${result.contradiction}`)
      assert.deepEqual(await axeFaults(page), [])
    }
  },
)

test(
  'the reference marks the section in view, which the language switch keeps',
  { skip },
  async (t) => {
    const { page, errors } = await open(t, '/en/reference/keys')
    const current = page.locator('.rail a[aria-current="location"]')
    const ids = await page.locator('.endpoint').evaluateAll((all) => all.map(({ id }) => id))
    const last = ids.at(-1) ?? ''
    await page.locator(`#${last}`).evaluate((entry) => entry.scrollIntoView())
    await page.locator(`.rail a[aria-current="location"][href$="#${last}"]`).waitFor()
    assert.equal(await current.count(), 1)
    // The rail scrolls along, so that the mark is in view.
    const isShown = await current.evaluate((link) => {
      const { x, y, width, height } = link.getBoundingClientRect()
      return link.contains(document.elementFromPoint(x + width / 2, y + height / 2))
    })
    assert.ok(isShown, 'the current link is in view')
    // Not by the mouse, which would scroll to the header first.
    await page
      .getByRole('link', { name: TEXTS.th.site.language, exact: true })
      .evaluate((link: HTMLElement) => link.click())
    await page.waitForURL(`**/th/reference/keys#${last}`)
    await page.getByRole('link', { name: TEXTS.en.site.language, exact: true }).click()
    await page.waitForURL(`**/en/reference/keys#${last}`)
    assert.deepEqual(errors, [])
  },
)

test('names and literals of JSON are colored without markup', { skip }, async (t) => {
  const { page } = await open(t, '/en/errors')
  const colored = await page.evaluate(() => CSS.highlights.get('json-name')?.size)
  const examples = await page.locator('pre.json').allTextContents()
  assert.ok(examples.length > 20)
  assert.equal(colored, examples.join('\n').match(/"\w+":/g)?.length)
  assert.equal(await page.locator('pre.json *').count(), 0)
})

test('the states of a panel reserve the width of the longest one', { skip }, async (t) => {
  const app = await runApp(t)
  const { page } = await browser.openPage(t, { viewport: { width: 768, height: 900 } })
  for (const locale of LOCALES) {
    await page.goto(`${app.origin}/${locale}/status`)
    await page.locator('#self-check [data-step="time"][data-state="skipped"]').waitFor()
    const { states } = TEXTS[locale].proof
    const widths = await page
      .locator('#self-check .step-state')
      .first()
      .evaluate(
        (state, words) =>
          words.map((word) => {
            state.textContent = word
            const { width, height } = state.getBoundingClientRect()
            return `${width} × ${height}`
          }),
        Object.values(states),
      )
    assert.equal(new Set(widths).size, 1, `${locale}: ${widths.join()}`)
  }
})

test('without scripts no step waits for a result', { skip }, async (t) => {
  const app = await runApp(t)
  const { page } = await browser.openPage(t, { javaScriptEnabled: false })
  for (const path of ['/en', '/en/status']) {
    await page.goto(app.origin + path)
    const { pending } = TEXTS.en.proof.states
    assert.equal(
      await page.getByText(pending, { exact: true }).filter({ visible: true }).count(),
      0,
      path,
    )
    assert.equal(await page.locator('noscript').first().isVisible(), true, path)
  }
})

test('JSON has no colors where the reader chose the colors', { skip }, async (t) => {
  const app = await runApp(t)
  const { page } = await browser.openPage(t, { forcedColors: 'active' })
  await page.goto(`${app.origin}/en/reference/discovery`)
  await page.locator('[data-script="on"]').waitFor()
  assert.equal(await page.evaluate(() => CSS.highlights.size), 0)
})

test('the headline has room for its words beside the panel', { skip }, async (t) => {
  const app = await runApp(t)
  const { page } = await browser.openPage(t, { viewport: { width: 1024, height: 900 } })
  await page.goto(`${app.origin}/en`)
  for (const fontSize of ['100%', '200%']) {
    await page.evaluate((size) => (document.documentElement.style.fontSize = size), fontSize)
    const heading = page.locator('h1')
    const { width, height } = (await heading.boundingBox()) ?? { width: 0, height: 0 }
    const pixels = await heading.evaluate((each) =>
      Number.parseFloat(getComputedStyle(each).fontSize),
    )
    assert.ok(width > 6 * pixels && height < 5 * pixels, `${fontSize}: ${width} × ${height}`)
  }
})

test('no result of a live check has an empty place, in any language', { skip }, async (t) => {
  for (const locale of LOCALES) {
    for (const [path, done] of [
      ['', '#live-verdict .state:not(.state-idle)'],
      ['/status', '#self-check [data-step="time"][data-state="skipped"]'],
    ] as const) {
      const { page } = await open(t, `/${locale}${path}`)
      await page.locator(done).waitFor()
      const texts = await page
        .locator('.step-detail, .verdict, .live-result')
        .evaluateAll((all) => all.map((each) => each.textContent.trim()))
      assert.notEqual(texts.length, 0)
      for (const text of texts) assert.equal(emptyPlaceIn(text), undefined, text)
    }
  }
})
