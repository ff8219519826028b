import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { LOCALES } from '@public-api/contract/terms/locales'
import type { Page, Route } from 'playwright-core'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { emptyPlaceIn } from '../support/empty-place.ts'
import { releasesOf } from '../support/made-content.ts'
import { axeFaults } from '../support/page-checks.ts'
import { runApp, TEST_NOW_MS } from '../support/running-app.ts'
import {
  CALM_STATUS,
  OUTAGE_STATUS,
  pastIncident,
  PLANNED_MAINTENANCE,
  TROUBLE_NOW_MS,
} from '../support/trouble-content.ts'

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

async function open(
  t: TestContext,
  path: string,
  prepare = async (_: Page): Promise<unknown> => undefined,
) {
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
  await verdict.locator('.state:not(.state-idle)').waitFor({ state: 'attached' })
  assert.match((await verdict.textContent()) ?? '', /^All \d checks passed\./)
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
  await verdict.locator('.state:not(.state-idle)').waitFor({ state: 'attached' })
  const { proof } = TEXTS.th
  assert.ok((await verdict.textContent())?.startsWith(proof.failed.split('{')[0] ?? '-'))
  const failed = page.locator('#live-steps [data-state="failed"]')
  assert.equal(await failed.locator('.step-label').textContent(), proof.steps.digest.label)
  const [expected = '', found = ''] = await failed.locator('dd').allTextContents()
  assert.notEqual(expected, found)
  assert.deepEqual(await axeFaults(page), [])
  // The next attempt reads an unchanged response.
  await page.unroute(STATUS)
  await page.locator('#live-again').click()
  await page.locator('#live-verdict .state-good').waitFor({ state: 'attached' })
  assert.equal(await failed.count(), 0)
})

test('the first page shows no old result when the service is unreachable', { skip }, async (t) => {
  const { page } = await open(t, '/en')
  await page.locator('#live-verdict .state-good').waitFor({ state: 'attached' })
  await page.locator('#live-details > summary').click()
  await page.route(STATUS, (route) => route.abort())
  await page.locator('#live-again').click()
  await page.locator('#live-verdict .state-warn').waitFor({ state: 'attached' })
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
  await page.locator('#live > summary').click()
  await page.locator('#self-check [data-step="time"][data-state="skipped"]').waitFor()
  assert.deepEqual(await statesOf(page, '#self-check'), ['passed', 'passed', 'skipped'])
  const steps = (await page.locator('#self-check').textContent()) ?? ''
  assert.match(steps, /Not measured against a time source/)
  assert.doesNotMatch(steps, /checks passed/, 'the state of the step says so')
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
  assert.equal(live, TEXTS.en.status.live.result.unverified)
})

/** The colors of the states on a page besides those of the check itself, and the color of what was not checked. */
async function colorsOf(page: Page) {
  return page.locator('main').evaluate((main) => {
    const colorOf = (each: Element): string => getComputedStyle(each).color
    const states = [...main.querySelectorAll('.state, :is(.day-bars, .day-key) path')].filter(
      (each) => each.closest('#live-details, #live, .live-result') === null,
    )
    const names = ['good', 'warn', 'bad', 'progress', 'idle', 'edge']
    const byColor = new Map(
      names.map((name) => {
        const probe = main.appendChild(document.createElement('i'))
        probe.style.color = `var(--${name})`
        return [colorOf(probe), name]
      }),
    )
    return [...new Set(states.map(colorOf).map((color) => byColor.get(color) ?? color))].toSorted()
  })
}

test(
  'bad news keeps its color without a check that passes, and good news loses it',
  { skip },
  async (t) => {
    const components = OUTAGE_STATUS.components.map((each, index) => ({
      ...each,
      ...(index === 0 ? { group: 'Folded' } : index === 1 ? { group: 'Open' } : {}),
    }))
    const maintenances = [1, 2].map((nth) => ({ ...PLANNED_MAINTENANCE, id: `network-${nth}` }))
    const incidents = [...OUTAGE_STATUS.incidents, pastIncident(1, 'reads')]
    const app = await runApp(t, {
      releases: releasesOf({ status: { ...OUTAGE_STATUS, components, incidents, maintenances } }),
      clock: { nowMs: () => TROUBLE_NOW_MS },
    })
    for (const path of ['/en', '/en/status']) {
      const { page } = await browser.openPage(t)
      await page.clock.setFixedTime(TROUBLE_NOW_MS + 5000)
      await page.goto(app.origin + path)
      await page.locator('#state-now[data-live="same"]').waitFor()
      const before = await colorsOf(page)
      assert.ok(before.includes('bad') && before.includes('warn'), `${path}: ${before.join()}`)
      for (const [change, kind] of [
        [tamper, 'invalid'],
        [(each: Page) => each.route(STATUS, (route) => route.abort()), 'silent'],
      ] as const) {
        await change(page)
        await page.locator('[aria-disabled="true"]').waitFor({ state: 'detached' })
        await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
        await page.locator(`#state-now[data-live="${kind}"]`).waitFor()
        const colors = await colorsOf(page)
        assert.deepEqual(
          colors,
          // Another name of its color.
          [...new Set(before.map((each) => (each === 'good' ? 'idle' : each)))].toSorted(),
          `${path} ${kind}`,
        )
        await page.unroute(STATUS)
      }
      // The next check that passes returns the colors.
      await page.locator('[aria-disabled="true"]').waitFor({ state: 'detached' })
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await page.locator('#state-now[data-live="same"]').waitFor()
      assert.deepEqual(await colorsOf(page), before)
    }
  },
)

/** What stands between the page and the service, and what the pages say of it: an outage is not a forgery. */
const OUTAGES = [
  ['no response', (route: Route) => route.abort(), 'noResponse', 'silent'],
  [
    '502 of a proxy',
    (route: Route) => route.fulfill({ status: 502, body: 'Bad gateway' }),
    'status',
    'unavailable',
  ],
] as const

for (const [name, fail, text, kind] of OUTAGES) {
  test(
    `${name}: both pages keep a good state in gray, say why, and accuse no one`,
    { skip },
    async (t) => {
      for (const locale of LOCALES) {
        for (const path of ['', '/status']) {
          const { page } = await open(t, `/${locale}${path}`, (each) => each.route(STATUS, fail))
          await page.locator(`#state-now[data-live="${kind}"]`).waitFor()
          const { published, live } = await bannerOf(page)
          assert.match(published, /state-idle/)
          assert.equal(live, TEXTS[locale].status.live.result[text].replace('{status}', '502'))
          const [accusation = ''] = TEXTS[locale].proof.failed.split('{')
          assert.ok(!(await page.locator('main').innerText()).includes(accusation.trim()))
          // One fact, one severity: amber, and the panel points to the state.
          if (path === '')
            await page
              .locator('#live-verdict .state-warn')
              .filter({ hasText: TEXTS[locale].proof.away })
              .waitFor({ state: 'attached' })
          assert.equal(await page.locator('main .state-bad, [data-state="failed"]').count(), 0)
        }
      }
    },
  )
}

test(
  'the check fails where the page shows another state than the verified one',
  { skip },
  async (t) => {
    for (const path of ['/en', '/th/status']) {
      const [page, other] = await Promise.all(
        [CALM_STATUS, OUTAGE_STATUS].map((status) =>
          runApp(t, { releases: releasesOf({ status }), clock: { nowMs: () => TROUBLE_NOW_MS } }),
        ),
      )
      assert.ok(page && other)
      const { page: opened } = await browser.openPage(t)
      await opened.clock.setFixedTime(TROUBLE_NOW_MS + 5000)
      // The page asks the API of another service.
      let isOther = true
      await opened.route('**/api/**', async (route) => {
        const url = route.request().url()
        const response = await route.fetch(
          isOther ? { url: url.replace(page.origin, other.origin) } : {},
        )
        await route.fulfill({ response })
      })
      await opened.goto(page.origin + path)
      const headline = opened.locator('#state-now')
      await opened.locator('#state-now[data-live="newer"]').waitFor()
      const texts = TEXTS[path.startsWith('/th') ? 'th' : 'en']
      assert.equal(
        await headline.locator('.lead > .state').innerText(),
        texts.labels.componentState.major_outage,
      )
      assert.match((await headline.getAttribute('class')) ?? '', /edge-bad/)
      assert.equal(
        await headline.locator('.utc time').getAttribute('datetime'),
        OUTAGE_STATUS.updatedAt,
      )
      assert.equal(
        await headline.locator('.live-result').innerText(),
        texts.status.live.result.newer,
      )
      assert.equal(await headline.locator('.state-good').count(), 0)
      // The tab is seen again after the service is the one of the page.
      isOther = false
      await opened.locator('[aria-disabled="true"]').waitFor({ state: 'detached' })
      await opened.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await opened.locator('#state-now[data-live="same"]').waitFor()
      assert.match((await headline.getAttribute('class')) ?? '', /edge-good/)
      assert.equal(await headline.locator('.load-again').isVisible(), false)
      assert.deepEqual(await axeFaults(opened), [])
    }
  },
)

test(
  'the status page repeats its check each minute while an incident is open',
  { skip },
  async (t) => {
    for (const [status, repeats] of [
      [OUTAGE_STATUS, 2],
      [CALM_STATUS, 0],
    ] as const) {
      const app = await runApp(t, {
        releases: releasesOf({ status }),
        clock: { nowMs: () => TROUBLE_NOW_MS },
      })
      const { page } = await browser.openPage(t)
      await page.clock.install({ time: TROUBLE_NOW_MS + 5000 })
      let asked = 0
      await page.route(STATUS, (route) => {
        asked += 1
        return route.continue()
      })
      await page.goto(`${app.origin}/en/status`)
      await page.locator('#state-now[data-live="same"]').waitFor()
      for (let minute = 1; minute <= 2; minute += 1) {
        const answered = repeats === 0 ? undefined : page.waitForResponse(STATUS)
        await page.clock.runFor(60_000)
        await answered
      }
      assert.equal(asked, 1 + repeats)
      if (repeats > 0) assert.match(await page.locator('[data-elapsed]').innerText(), /2 hr 42 min/)
    }
  },
)

test(
  'a planned time is first in the time zone of the visitor, without a repeated date',
  { skip },
  async (t) => {
    const app = await runApp(t, {
      releases: releasesOf({ status: OUTAGE_STATUS }),
      clock: { nowMs: () => TROUBLE_NOW_MS },
    })
    const { page } = await browser.openPage(t, { timezoneId: 'Asia/Bangkok' })
    for (const path of ['', '/status', '/status/maintenances/network-upgrade']) {
      await page.goto(`${app.origin}/en${path}`)
      const planned = page.locator('.planned').first()
      await page.locator('html[data-times="own"]').waitFor()
      // 18:00 UTC is the next day in Bangkok.
      assert.match(
        (await planned.innerText()).replaceAll('\u2009', ' '),
        /^Nov 28, 01:00 – 03:30 local time\s+Nov 27, 2026, 18:00 – 20:30\sUTC$/,
      )
      const [own = '', utc = ''] = await planned
        .locator('.local, .utc')
        .evaluateAll((all) => all.map((each) => getComputedStyle(each).fontSize))
      assert.equal(own, utc, path)
    }
  },
)

test(
  'a link to an incident that is no longer on the page leads to its own page',
  { skip },
  async (t) => {
    const app = await runApp(t, {
      releases: releasesOf({ status: CALM_STATUS }),
      clock: { nowMs: () => TROUBLE_NOW_MS },
    })
    const { page } = await browser.openPage(t)
    const [incident] = CALM_STATUS.incidents
    await page.goto(`${app.origin}/en/status#incident-${incident?.id}`)
    await page.waitForURL(`**/en/status/incidents/${incident?.id}`)
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
    await page.locator('#live').evaluate((details: HTMLDetailsElement) => (details.open = true))
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

test('on a calm day the buttons follow the text beside the state', { skip }, async (t) => {
  const app = await runApp(t, {
    releases: releasesOf({ status: { ...CALM_STATUS, maintenances: [PLANNED_MAINTENANCE] } }),
  })
  const { page } = await browser.openPage(t, { viewport: { width: 1600, height: 900 } })
  for (const locale of LOCALES) {
    await page.goto(`${app.origin}/${locale}`)
    const gap = await page.evaluate(() => {
      const buttons = document.querySelector('.hero-name .actions')
      const text = buttons?.previousElementSibling
      return (
        (buttons?.getBoundingClientRect().top ?? 0) - (text?.getBoundingClientRect().bottom ?? 0)
      )
    })
    assert.ok(gap >= 8 && gap < 40, `${locale}: ${gap} px`)
  }
})

test('no result of a live check has an empty place, in any language', { skip }, async (t) => {
  for (const locale of LOCALES) {
    for (const [path, done] of [
      ['', '#live-verdict .state:not(.state-idle)'],
      ['/status', '#self-check [data-step="time"][data-state="skipped"]'],
    ] as const) {
      const { page } = await open(t, `/${locale}${path}`)
      await page.locator(done).waitFor({ state: 'attached' })
      const texts = await page
        .locator('.step-detail, .verdict, .live-result')
        .evaluateAll((all) => all.map((each) => each.textContent.trim()))
      assert.notEqual(texts.length, 0)
      for (const text of texts) assert.equal(emptyPlaceIn(text), undefined, text)
    }
  }
})
