import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { ERRORS } from '@public-api/contract/errors/errors'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { LIMITS } from '@public-api/contract/terms/limits'
import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import type { Page } from 'playwright-core'
import { plainText } from '../../src/pages/markup/rich-text.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { createAltchaChallenge } from '../../src/service/challenge/altcha-challenge.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { axeFaults } from '../support/page-checks.ts'
import { codeOf } from '../support/received-response.ts'
import { GOOD_BODY } from '../support/registering-app.ts'
import {
  failing,
  fillForm,
  openForm,
  mistakesOf,
  realErrors,
  runFormApp,
  sendForm,
} from '../support/registration-form.ts'
import {
  assertEveryField,
  assertKept,
  assertRateLimit,
  countSent,
  focusOf,
  TYPED,
} from './localized-form.ts'

const browser = useBrowser()
const skip = browserMissing
const { mistakes, duplicate, result } = TEXTS.en.earlyAccess
const REGISTER = `**${ENDPOINTS.register.path}`

/** The pause in typing after which the page announces what is left. */
const PAUSE_MS = 1000

/** The message next to a field, without the prefix for screen readers. */
async function besideField(page: Page, field: string): Promise<string> {
  const text = (await page.locator(`#${field}-error`).textContent()) ?? ''
  return text.replace(mistakes.prefix, '').trim()
}

test('stores every field and shows the ticket with its proof', { skip }, async (t) => {
  const app = await runFormApp(t)
  const { page, context, errors, console } = await openForm(t, browser, app)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const address = page.url()
  await fillForm(page, { useCase: '  Two\nlines 🦉 ', interests: ['research', 'api'] })
  await sendForm(page)
  const [entry, ...others] = await app.entries()
  assert.deepEqual(others, [])
  assert.ok(entry)
  assert.equal(await page.locator('#ticket').textContent(), entry.ticket)
  assert.equal(entry.email, GOOD_BODY.email)
  assert.equal(entry.useCase, '  Two\nlines 🦉 ')
  assert.deepEqual(entry.interests.toSorted(), ['api', 'research'])
  assert.equal(await focusOf(page), 'registered')
  assert.equal(await page.locator('#registration').isVisible(), false)

  const proof = page.locator('#proof.state-good')
  await proof.waitFor()
  const key = (await proof.locator('code').textContent()) ?? ''
  assert.equal(await proof.textContent(), plainText(result.proved, { key }))
  assert.equal(
    await page
      .locator('.provenance')
      .textContent()
      .then((text) => text?.includes(key)),
    true,
  )

  await page.locator('#registered .copy').click()
  const said = `${TEXTS.en.site.copyDone} ${result.what}`
  await page.locator('#announcement').filter({ hasText: said }).waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), entry.ticket)

  // Nothing of the person stays with the page: not in its fields, its address, a cookie, a storage or the console.
  assert.equal(await page.locator('#email').inputValue(), '')
  assert.equal(page.url(), address)
  assert.deepEqual(await context.cookies(), [])
  assert.equal(await page.evaluate('localStorage.length + sessionStorage.length'), 0)
  assert.deepEqual(console, [])
  assert.deepEqual(errors, [])
  assert.deepEqual(await axeFaults(page), [])
})

test('a tampered response shows its ticket with a warning', { skip }, async (t) => {
  const app = await runFormApp(t)
  const { page } = await openForm(t, browser, app)
  await page.route(REGISTER, async (route) => {
    const response = await route.fetch()
    const text = (await response.text()).replace(/EA-..../, 'EA-0000')
    await route.fulfill({ response, body: text })
  })
  await fillForm(page)
  await sendForm(page)
  const proof = page.locator('#proof.state-warn')
  await proof.waitFor()
  assert.equal(await proof.textContent(), plainText(result.disproved, { code: 'DIGEST' }))
})

test('an unsigned deployment promises no proof', { skip }, async (t) => {
  const app = await runFormApp(t, { parts: { signing: undefined } })
  const { page } = await openForm(t, browser, app)
  await fillForm(page)
  await sendForm(page)
  assert.equal(await page.locator('#registered').isVisible(), true)
  assert.equal(await page.locator('#proof').textContent(), '')
})

test('the form works with the keyboard alone', { skip }, async (t) => {
  const app = await runFormApp(t)
  const { page } = await openForm(t, browser, app)
  async function tabTo(id: string): Promise<void> {
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press('Tab')
      if ((await focusOf(page)) === id) return
    }
    assert.fail(`the tab key does not lead to ${id}`)
  }
  await tabTo('email')
  await page.keyboard.type('keys@example.org')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await tabTo('useCase')
  await page.keyboard.type('With keys')
  await tabTo('send')
  await page.keyboard.press('Enter')
  // The summary has the focus, and the next stop is its first link.
  await page.locator('#mistakes:focus').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  assert.equal(await focusOf(page), 'consent')
  await page.keyboard.press('Space')
  await tabTo('test-challenge')
  await page.keyboard.press('Space')
  await tabTo('send')
  await page.keyboard.press('Enter')
  await page.locator('#registered:focus').waitFor()
  const [entry] = await app.entries()
  assert.equal(entry?.email, 'keys@example.org')
  assert.deepEqual(entry?.interests, ['architecture'])
  assert.equal(entry?.useCase, 'With keys')
})

test('every field says what is wrong with it', { skip }, (t) => assertEveryField(t, browser, 'en'))

test('counts characters like the service and announces when few are left', { skip }, async (t) => {
  const app = await runFormApp(t)
  const { page } = await openForm(t, browser, app)
  await page.clock.install()
  const { count } = TEXTS.en.earlyAccess
  const most = LIMITS.maxUseCaseCodePoints
  const counter = page.locator('#useCase-count')
  const said = page.locator('#useCase-status')
  assert.equal(await counter.textContent(), plainText(count.left.other, { count: most }))
  for (const [length, text] of [
    [most - 1, plainText(count.left.one, { count: 1 })],
    [most, plainText(count.left.other, { count: 0 })],
    [most + 1, plainText(count.over.one, { count: 1 })],
    [most + 2, plainText(count.over.other, { count: 2 })],
  ] as const) {
    await page.locator('#useCase').fill('🦉'.repeat(length))
    assert.equal(await counter.textContent(), text)
    await page.clock.fastForward(PAUSE_MS)
    await said.getByText(text).waitFor()
  }
  await page.locator('#useCase').fill('short')
  await page.clock.fastForward(PAUSE_MS)
  await page.locator('#useCase-status:empty').waitFor({ state: 'attached' })
})

test('a duplicate address can be changed', { skip }, async (t) => {
  const app = await runFormApp(t)
  await app.register(GOOD_BODY)
  const { page, errors } = await openForm(t, browser, app)
  await fillForm(page, { ...TYPED, email: GOOD_BODY.email.toUpperCase() })
  await sendForm(page)
  assert.equal(await focusOf(page), 'duplicate')
  assert.equal(await page.locator('#duplicate-title').innerText(), duplicate.title)
  assert.equal(await page.locator('#ticket').textContent(), '')
  assert.deepEqual(await axeFaults(page), [])
  await page.getByRole('button', { name: duplicate.again }).click()
  assert.equal(await focusOf(page), 'email')
  await assertKept(page, GOOD_BODY.email.toUpperCase())
  await fillForm(page, { email: 'another@example.org' })
  await sendForm(page)
  assert.equal(await page.locator('#registered').isVisible(), true)
  assert.equal((await app.entries()).length, 2)
  assert.deepEqual(errors, [])
})

test('a rate limit states the wait and keeps the input', { skip }, (t) =>
  assertRateLimit(t, browser, 'en'),
)

test('an outage loses no input and is announced', { skip }, async (t) => {
  const state = { isDown: true }
  const app = await runFormApp(t, { store: failing(state) })
  const { page } = await openForm(t, browser, app)
  assert.equal(await page.locator('#closed').isVisible(), false)
  await fillForm(page, TYPED)
  await sendForm(page)
  assert.deepEqual(await mistakesOf(page), [mistakes.REGISTRATION_UNAVAILABLE])
  await assertKept(page)
  const { page: other } = await openForm(t, browser, app)
  await other.locator('#closed').waitFor()
  assert.equal(await other.locator('#closed').innerText(), TEXTS.en.earlyAccess.closed)
  assert.deepEqual(await axeFaults(other), [])
  state.isDown = false
  await sendForm(page)
  assert.equal(await page.locator('#registered').isVisible(), true)
  assert.equal((await app.entries()).length, 1)
})

test('a lost response loses no input, and resubmitting is safe', { skip }, async (t) => {
  const app = await runFormApp(t)
  const { page } = await openForm(t, browser, app)
  // The service has it, and its response is lost.
  await page.route(REGISTER, async (route) => {
    await route.fetch()
    await route.abort('connectionreset')
  })
  await fillForm(page, TYPED)
  await sendForm(page)
  assert.deepEqual(await mistakesOf(page), [mistakes.unanswered])
  await assertKept(page)
  await page.unroute(REGISTER)
  await page.locator('#test-challenge').check()
  await sendForm(page)
  assert.equal(await page.locator('#duplicate').isVisible(), true)
  assert.equal((await app.entries()).length, 1)
})

test(
  'every code of the catalog, and a response from something else, has a message',
  { skip },
  async (t) => {
    const app = await runFormApp(t)
    const { page, errors } = await openForm(t, browser, app)
    const beside: { readonly [code: string]: string } = {
      INVALID_EMAIL: 'email',
      INVALID_INTERESTS: 'interests',
      INVALID_USE_CASE: 'useCase',
      CONSENT_REQUIRED: 'consent',
      CHALLENGE_REQUIRED: 'challenge',
      CHALLENGE_FAILED: 'challenge',
    }
    const response = { status: 0, body: '', type: 'application/json' }
    await page.route(REGISTER, (route) =>
      route.fulfill({ status: response.status, contentType: response.type, body: response.body }),
    )
    await fillForm(page, TYPED)
    for (const [code, { status }] of Object.entries(ERRORS)) {
      if (code === 'DUPLICATE') continue
      response.status = status
      response.body = JSON.stringify({ ok: false, error: { code } })
      await page.locator('#test-challenge').evaluate((box: HTMLInputElement) => {
        if (!box.checked) box.click()
      })
      await sendForm(page, { byScript: true })
      const [mistake = '', ...others] = await mistakesOf(page)
      assert.deepEqual(others, [], code)
      const field = beside[code]
      if (field !== undefined) assert.equal(await besideField(page, field), mistake, code)
      const linked = await page.locator('#mistakes li a').count()
      assert.equal(linked, field === undefined ? 0 : 1, code)
      const isNamed = mistake.includes(code)
      const hasWords =
        field !== undefined || code === 'RATE_LIMITED' || code === 'REGISTRATION_UNAVAILABLE'
      assert.equal(isNamed, !hasWords, `${code}: ${mistake}`)
      if (isNamed) assert.equal(await page.locator('#mistakes li code').innerText(), code)
    }
    await assertKept(page)
    const refused = plainText(mistakes.refused, { code: '403' })
    Object.assign(response, { body: '<h1>Not this service</h1>', type: 'text/html' })
    for (const status of [200, 403, 429, 502]) {
      response.status = status
      await page.locator('#test-challenge').check()
      await sendForm(page)
      assert.deepEqual(await mistakesOf(page), [status === 403 ? refused : mistakes.unanswered])
    }
    assert.deepEqual(realErrors(errors), [])
  },
)

test('pressing the button again while sending sends nothing', { skip }, async (t) => {
  const app = await runFormApp(t)
  const { page } = await openForm(t, browser, app)
  const sent = countSent(page)
  let goOn = (): void => {}
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  await page.route(REGISTER, async (route) => {
    await held
    await route.continue()
  })
  await fillForm(page)
  await page.locator('#send').click()
  await page.locator('#progress').getByText(TEXTS.en.earlyAccess.progress.sending).waitFor()
  assert.equal(await page.locator('#send').getAttribute('aria-disabled'), 'true')
  assert.deepEqual(await axeFaults(page), [])
  // Not through playwright, which waits until what is marked as disabled no longer is.
  await page.locator('#send').evaluate((button: HTMLElement) => button.click())
  await page.locator('#email').press('Enter')
  goOn()
  await page.locator('#registered').waitFor()
  assert.equal(sent.count, 1)
  assert.equal((await app.entries()).length, 1)
})

/** The sum of all layout shifts without recent input. */
const SHIFTS = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) sum += value
  }).observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(sum), 300)
})`

test('no layout shift while the script and the challenge load', { skip }, async (t) => {
  const app = await runFormApp(t, { challenge: createAltchaChallenge })
  for (const width of [320, 1280]) {
    // High enough for the whole form: what is below the window does not count.
    const { page } = await openForm(t, browser, app, { viewport: { width, height: 2400 } })
    await page.locator('#send:enabled').waitFor()
    await page.locator('altcha-widget input[type="checkbox"]').waitFor()
    assert.equal(await page.evaluate(SHIFTS), 0, `at ${width} px`)
  }
})

async function withoutScripts(t: TestContext, locale: Locale) {
  const app = await runFormApp(t)
  const { page } = await browser.openPage(t, { javaScriptEnabled: false })
  await page.goto(`${app.origin}/${locale}/early-access`)
  return { app, page }
}

test('without scripts a command replaces the form', { skip }, async (t) => {
  for (const locale of LOCALES) {
    const { page } = await withoutScripts(t, locale)
    const { noScript } = TEXTS[locale].earlyAccess
    assert.equal(await page.locator('#registration').isVisible(), false)
    assert.equal(await page.getByRole('heading', { name: noScript.title }).isVisible(), true)
    assert.equal(await page.locator('#register-command').isVisible(), true)
  }
})

test('the command without a browser works', { skip }, async (t) => {
  const { app, page } = await withoutScripts(t, 'th')
  const command = await page.locator('#register-command').innerText()
  const [, path = ''] = /^curl http:\/\/[^/]+(\S+) /.exec(command) ?? []
  const [, body = ''] = /-d '(.*)'$/.exec(command) ?? []
  assert.equal(path, ENDPOINTS.register.path)
  assert.equal(codeOf(await app.register(body)), undefined)
  assert.deepEqual(
    (await app.entries()).map(({ locale }) => locale),
    ['th'],
  )
})
