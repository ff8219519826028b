import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import type { Page } from 'playwright-core'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import {
  createAltchaChallenge,
  type AltchaWork,
} from '../../src/service/challenge/altcha-challenge.ts'
import { createHostedChallenge } from '../../src/service/challenge/hosted-challenge.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { serve } from '../support/loopback-server.ts'
import { axeFaults } from '../support/page-checks.ts'
import { GOOD_BODY, type RegisteringOptions } from '../support/registering-app.ts'
import {
  failing,
  fillForm,
  openForm,
  mistakesOf,
  realErrors,
  runFormApp,
  sendForm,
} from '../support/registration-form.ts'

const browser = useBrowser()
const skip = browserMissing
const { mistakes } = TEXTS.en.earlyAccess

/** Real work, and little of it. */
const LITTLE_WORK: AltchaWork = { cost: 100, maxCounter: 200 }

const altcha =
  (work?: AltchaWork): NonNullable<RegisteringOptions['challenge']> =>
  ({ counters, clock }) =>
    createAltchaChallenge({ counters, clock, ...(work === undefined ? {} : { work }) })

/** How often a challenge was asked for. */
function countChallenges(page: Page): { count: number } {
  const asked = { count: 0 }
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/challenge') asked.count += 1
  })
  return asked
}

/** The widget's own words in a language, out of its package. */
async function widgetTexts(locale: Locale): Promise<{ readonly [name: string]: string }> {
  const code = locale.toLowerCase()
  await import(`altcha/i18n/${code}`)
  const { $altcha } = globalThis as unknown as {
    $altcha: { i18n: { get: (code: string) => { readonly [name: string]: string } } }
  }
  return $altcha.i18n.get(code)
}

for (const locale of LOCALES) {
  test(
    `ALTCHA is solved in ${locale} when the form is sent, and the ticket follows`,
    { skip },
    async (t) => {
      // Once with all the work that a visitor has.
      const app = await runFormApp(t, {
        challenge: altcha(locale === 'en' ? undefined : LITTLE_WORK),
      })
      const { page, context, errors, console } = await openForm(t, browser, app, { locale })
      const asked = countChallenges(page)
      const texts = await widgetTexts(locale)
      await page
        .locator('altcha-widget')
        .getByText(texts['label'] ?? '')
        .waitFor()
      assert.deepEqual(await axeFaults(page), [])
      // A challenge is requested only when it is needed.
      assert.equal(asked.count, 0)
      await fillForm(page, { useCase: 'ทดสอบ 测试' })
      await sendForm(page)
      assert.deepEqual(await mistakesOf(page), [])
      const [entry] = await app.entries()
      assert.equal(await page.locator('#ticket').textContent(), entry?.ticket)
      assert.equal(entry?.locale, locale)
      assert.equal(entry?.useCase, 'ทดสอบ 测试')
      await page.locator('#proof.state-good').waitFor()
      assert.equal(asked.count, 1)
      // The policy would have reported what it blocked.
      assert.deepEqual(errors, [])
      assert.deepEqual(console, [])
      assert.deepEqual(await context.cookies(), [])
      assert.equal(await page.evaluate('localStorage.length + sessionStorage.length'), 0)
      assert.deepEqual(await axeFaults(page), [])
    },
  )
}

test('ticking the ALTCHA box first solves it before the form is sent', { skip }, async (t) => {
  const app = await runFormApp(t, { challenge: altcha(LITTLE_WORK) })
  const { page } = await openForm(t, browser, app)
  const asked = countChallenges(page)
  const texts = await widgetTexts('en')
  await page.getByLabel(texts['label'] ?? '').focus()
  await page.keyboard.press('Space')
  await page
    .locator('altcha-widget')
    .getByText(texts['verified'] ?? '')
    .waitFor()
  await page.locator('#progress').getByText(TEXTS.en.earlyAccess.progress.solved).waitFor()
  assert.deepEqual(await axeFaults(page), [])
  await fillForm(page)
  await sendForm(page)
  assert.equal(await page.locator('#registered').isVisible(), true)
  assert.equal(asked.count, 1)
})

test('the form may be sent while ALTCHA is being solved', { skip }, async (t) => {
  const app = await runFormApp(t, { challenge: altcha({ cost: 1000, maxCounter: 4000 }) })
  const { page, errors } = await openForm(t, browser, app)
  const asked = countChallenges(page)
  await fillForm(page)
  await page.locator('altcha-widget label').click()
  await sendForm(page)
  assert.deepEqual(await mistakesOf(page), [])
  assert.equal(await page.locator('#registered').isVisible(), true)
  assert.equal(asked.count, 1)
  assert.deepEqual(errors, [])
})

test('an expired solution is replaced', { skip }, async (t) => {
  const app = await runFormApp(t, { challenge: altcha(LITTLE_WORK) })
  const { page } = await openForm(t, browser, app)
  const asked = countChallenges(page)
  const texts = await widgetTexts('en')
  await page.locator('altcha-widget label').click()
  await page
    .locator('altcha-widget')
    .getByText(texts['verified'] ?? '')
    .waitFor()
  // The service's clock goes on and the page's does not, as in a browser that slept.
  app.clock.ms += 11 * 60_000
  await fillForm(page)
  await sendForm(page)
  assert.deepEqual(await mistakesOf(page), [mistakes.CHALLENGE_FAILED])
  assert.deepEqual(await axeFaults(page), [])
  await page.clock.setFixedTime(app.clock.ms)
  await sendForm(page)
  assert.equal(await page.locator('#registered').isVisible(), true)
  assert.equal(asked.count, 2)
})

test('a solution survives an outage', { skip }, async (t) => {
  const state = { isDown: true }
  const app = await runFormApp(t, { store: failing(state), challenge: altcha(LITTLE_WORK) })
  const { page } = await openForm(t, browser, app)
  const asked = countChallenges(page)
  await fillForm(page)
  await sendForm(page)
  assert.deepEqual(await mistakesOf(page), [mistakes.REGISTRATION_UNAVAILABLE])
  state.isDown = false
  await sendForm(page)
  assert.equal(await page.locator('#registered').isVisible(), true)
  assert.equal(asked.count, 1)
})

test('a solution is not resent after a lost response', { skip }, async (t) => {
  const app = await runFormApp(t, { challenge: altcha(LITTLE_WORK) })
  const { page } = await openForm(t, browser, app)
  const asked = countChallenges(page)
  const path = '**/api/v1/early-access/register'
  await page.route(path, async (route) => {
    await route.fetch()
    await route.abort('connectionreset')
  })
  await fillForm(page)
  await sendForm(page)
  assert.deepEqual(await mistakesOf(page), [mistakes.unanswered])
  await page.unroute(path)
  await sendForm(page)
  assert.equal(await page.locator('#duplicate').isVisible(), true)
  assert.equal(asked.count, 2)
})

test(
  'an unavailable challenge is reported next to the box, and the next try succeeds',
  { skip },
  async (t) => {
    const app = await runFormApp(t, { challenge: altcha(LITTLE_WORK) })
    const { page, errors } = await openForm(t, browser, app)
    await page.route('**/challenge?*', (route) =>
      route.fulfill({ status: 503, json: { error: 'no' } }),
    )
    // Ticked by hand, the error appears next to the box and the focus stays.
    const box = page.locator('altcha-widget input[type="checkbox"]')
    await box.focus()
    await page.keyboard.press('Space')
    await page.locator('#challenge-error').getByText(mistakes.challengeBroken).waitFor()
    assert.equal(await page.locator('#mistakes').isVisible(), false)
    assert.equal(await box.getAttribute('aria-invalid'), 'true')
    await fillForm(page)
    await sendForm(page)
    assert.deepEqual(await mistakesOf(page), [mistakes.challengeBroken])
    assert.equal(await page.locator('.altcha-popover').isVisible(), false)
    assert.deepEqual(await axeFaults(page), [])
    await page.locator('#mistakes a').click()
    assert.equal(
      await page.evaluate('document.activeElement.closest("altcha-widget") !== null'),
      true,
    )
    await page.unroute('**/challenge?*')
    await sendForm(page)
    assert.equal(await page.locator('#registered').isVisible(), true)
    assert.deepEqual(realErrors(errors), [])
  },
)

test('reports a widget that does not load', { skip }, async (t) => {
  const app = await runFormApp(t, { challenge: altcha(LITTLE_WORK) })
  const { page } = await browser.openPage(t)
  await page.clock.install({ time: app.clock.ms })
  await page.route('**/assets/altcha.*.js', (route) => route.abort())
  await page.goto(`${app.origin}/en/early-access`)
  await fillForm(page)
  await page.locator('#send').click()
  await page.locator('#progress').getByText(TEXTS.en.earlyAccess.progress.checking).waitFor()
  await page.clock.fastForward(20_000)
  await page.locator('#mistakes').waitFor()
  assert.deepEqual(await mistakesOf(page), [mistakes.challengeBlocked])
})

/** The token that the stand-ins for the providers hand out, with a number. */
const TOKEN = 'hosted-token'

/** A stand-in for a provider's siteverify: it takes each token of the page's stand-in once, as the providers do. */
async function siteverify(t: TestContext, action: string | undefined) {
  const asked: string[] = []
  const spent = new Set<string>()
  const origin = await serve(t, (request, response) => {
    void text(request).then((body) => {
      const token = new URLSearchParams(body).get('response') ?? ''
      asked.push(token)
      const isGood = token.startsWith(TOKEN) && !spent.has(token)
      spent.add(token)
      response.end(
        JSON.stringify(
          isGood
            ? { success: true, ...(action === undefined ? {} : { action }) }
            : { success: false, 'error-codes': ['invalid-input-response'] },
        ),
      )
    })
  })
  return { asked, url: `${origin}/siteverify` }
}

/** A stand-in for a provider's script: a button that is passed by pressing it, in a frame's place. */
const standIn = (name: string): string => `
  let passed = 0
  window[${JSON.stringify(name)}] = {
    render(container, options) {
      const { callback, ...renderOptions } = options
      window.renderOptions = JSON.parse(JSON.stringify(renderOptions))
      window.resets = 0
      window.expire = options['expired-callback']
      const button = document.createElement('button')
      button.type = 'button'
      button.textContent = 'I am human'
      button.addEventListener('click', () => callback('${TOKEN}-' + ++passed))
      container.append(button)
      return 'widget-1'
    },
    reset(id) {
      if (id !== 'widget-1') throw new Error('expected the widget that was made')
      window.resets += 1
    },
  }
  window[new URL(document.currentScript.src).searchParams.get('onload')]()
`

const PROVIDERS = {
  turnstile: {
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    renderOptions: { action: 'register', language: 'zh-CN' },
  },
  hcaptcha: { script: 'https://js.hcaptcha.com/1/api.js', renderOptions: { hl: 'zh-CN' } },
} as const

for (const provider of ['turnstile', 'hcaptcha'] as const) {
  const { script, renderOptions } = PROVIDERS[provider]

  async function openHosted(t: TestContext, store?: RegisteringOptions['store']) {
    const verifier = await siteverify(t, provider === 'turnstile' ? 'register' : undefined)
    const app = await runFormApp(t, {
      ...(store === undefined ? {} : { store }),
      challenge: ({ counters, clock }) =>
        createHostedChallenge({
          provider,
          siteKey: 'site-key-1',
          secret: 'secret-1',
          verifyUrl: verifier.url,
          counters,
          clock,
        }),
    })
    const opened = await browser.openPage(t, { colorScheme: 'dark' })
    await opened.page.clock.setFixedTime(app.clock.ms)
    return { ...opened, app, verifier, url: `${app.origin}/zh-CN/early-access` }
  }

  test(
    `${provider} is shown in the page's language, and its token is accepted`,
    { skip },
    async (t) => {
      const { page, errors, app, verifier, url } = await openHosted(t)
      await page.route(`${script}?*`, (route) =>
        route.fulfill({ contentType: 'text/javascript', body: standIn(provider) }),
      )
      await page.goto(url)
      const words = TEXTS['zh-CN'].earlyAccess.mistakes
      const human = page.getByRole('button', { name: 'I am human' })
      await human.waitFor()
      assert.deepEqual(await page.evaluate('renderOptions'), {
        sitekey: 'site-key-1',
        theme: 'dark',
        size: 'normal',
        ...renderOptions,
      })
      await fillForm(page)
      await sendForm(page)
      assert.deepEqual(await mistakesOf(page), [words.CHALLENGE_REQUIRED])
      assert.deepEqual(await axeFaults(page), [])
      // One that ran out is one that is missing.
      await human.click()
      await page.evaluate('expire()')
      await sendForm(page)
      assert.deepEqual(await mistakesOf(page), [words.CHALLENGE_REQUIRED])
      assert.deepEqual(verifier.asked, [])
      await human.click()
      await sendForm(page)
      assert.equal(await page.locator('#registered').isVisible(), true)
      assert.deepEqual(verifier.asked, [`${TOKEN}-2`])
      assert.equal((await app.entries())[0]?.email, GOOD_BODY.email)
      assert.deepEqual(errors, [])
    },
  )

  test(`a token of ${provider} is sent only once`, { skip }, async (t) => {
    const state = { isDown: true }
    const { page, app, verifier, url } = await openHosted(t, failing(state))
    await page.route(`${script}?*`, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: standIn(provider) }),
    )
    await page.goto(url)
    const words = TEXTS['zh-CN'].earlyAccess.mistakes
    const human = page.getByRole('button', { name: 'I am human' })
    await fillForm(page)
    await human.click()
    await sendForm(page)
    assert.deepEqual(await mistakesOf(page), [words.REGISTRATION_UNAVAILABLE])
    assert.equal(await page.evaluate('resets'), 1)
    state.isDown = false
    await sendForm(page)
    assert.deepEqual(await mistakesOf(page), [words.CHALLENGE_REQUIRED])
    await human.click()
    await sendForm(page)
    assert.equal(await page.locator('#registered').isVisible(), true)
    assert.deepEqual(verifier.asked, [`${TOKEN}-1`, `${TOKEN}-2`])
    assert.equal((await app.entries()).length, 1)
  })

  test(`a script of ${provider} that does not load is reported`, { skip }, async (t) => {
    const { page, url } = await openHosted(t)
    await page.route(`${script}?*`, (route) => route.abort())
    await page.goto(url)
    await fillForm(page)
    await sendForm(page)
    const words = TEXTS['zh-CN'].earlyAccess.mistakes
    assert.deepEqual(await mistakesOf(page), [words.challengeBlocked])
  })
}
