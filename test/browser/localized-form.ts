import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { LIMITS } from '@public-api/contract/terms/limits'
import type { Locale } from '@public-api/contract/terms/locales'
import type { Page } from 'playwright-core'
import { plainText } from '../../src/pages/markup/rich-text.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import type { TestBrowser } from '../support/browser.ts'
import { axeFaults } from '../support/page-checks.ts'
import { GOOD_BODY } from '../support/registering-app.ts'
import {
  fillForm,
  openForm,
  mistakesOf,
  realErrors,
  runFormApp,
  sendForm,
} from '../support/registration-form.ts'

const numberIn = (locale: Locale, value: number): string =>
  new Intl.NumberFormat(locale).format(value)

/** Id of what has the focus. */
export const focusOf = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement?.id ?? ""')

/** What was typed is still there. */
export async function assertKept(page: Page, email: string = GOOD_BODY.email): Promise<void> {
  assert.equal(await page.locator('#email').inputValue(), email)
  assert.equal(await page.locator('#useCase').inputValue(), 'Typed text')
  assert.equal(await page.locator('#consent').isChecked(), true)
  assert.equal(await page.locator('[value="api"]').isChecked(), true)
}

/** What `assertKept` expects besides the required fields. */
export const TYPED = { useCase: 'Typed text', interests: ['api'] }

/** How often the form was sent from a page. */
export function countSent(page: Page): { count: number } {
  const sent = { count: 0 }
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.count += 1
  })
  return sent
}

/** Fails unless each field of the form says in a language what is wrong with it. */
export async function assertEveryField(
  t: TestContext,
  browser: TestBrowser,
  locale: Locale,
): Promise<void> {
  const app = await runFormApp(t)
  const { page, errors } = await openForm(t, browser, app, {
    locale,
    viewport: { width: 320, height: 700 },
  })
  const sent = countSent(page)
  const words = TEXTS[locale].earlyAccess.mistakes
  const title = await page.title()
  await sendForm(page)
  assert.deepEqual(await mistakesOf(page), [words.emailMissing, words.CONSENT_REQUIRED])
  assert.equal(await focusOf(page), 'mistakes')
  assert.equal(await page.title(), plainText(words.pageTitle, { title }))
  assert.deepEqual(await axeFaults(page), [])

  const most = LIMITS.maxUseCaseCodePoints
  await page.locator('#email').fill('invalid')
  await page.locator('#useCase').fill('🦉'.repeat(most + 1))
  await page.locator('[value="api"]').evaluate((box: HTMLInputElement) => (box.value = 'other'))
  await page.locator('[value="other"]').check()
  await sendForm(page)
  const expected = {
    email: words.INVALID_EMAIL,
    interests: plainText(words.INVALID_INTERESTS, {
      count: numberIn(locale, LIMITS.maxInterests),
    }),
    useCase: plainText(words.INVALID_USE_CASE, { count: numberIn(locale, most) }),
    consent: words.CONSENT_REQUIRED,
  }
  assert.deepEqual(await mistakesOf(page), Object.values(expected))
  const invalid = {
    email: '#email',
    interests: '[name="interests"]',
    useCase: '#useCase',
    consent: '#consent',
  }
  for (const [field, text] of Object.entries(expected)) {
    const beside = (await page.locator(`#${field}-error`).textContent()) ?? ''
    assert.equal(beside, `${words.prefix} ${text}`)
    const control = page.locator(invalid[field as keyof typeof invalid]).first()
    assert.equal(await control.getAttribute('aria-invalid'), 'true')
    await page.locator('#mistakes a', { hasText: text }).click()
    assert.equal(await control.evaluate((element) => element === document.activeElement), true)
    const place = page.locator(`[aria-describedby~="${field}-error"]`)
    assert.equal(await place.count(), 1)
  }
  assert.deepEqual(await axeFaults(page), [])
  assert.equal(
    await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
    true,
    'the page is wider than the window',
  )
  assert.equal(sent.count, 0)

  // Corrected fields lose their message; only that of the test mode's box is left.
  await fillForm(page)
  await page.locator('#useCase').fill('🦉'.repeat(most))
  await page.locator('[value="other"]').uncheck()
  await page.locator('#test-challenge').uncheck()
  await sendForm(page)
  assert.deepEqual(await mistakesOf(page), [words.CHALLENGE_REQUIRED])
  assert.equal(await page.locator('#email').getAttribute('aria-invalid'), null)
  await page.locator('#test-challenge').check()
  await sendForm(page)
  assert.equal(await page.locator('#registered').isVisible(), true)
  assert.equal(await page.locator('h1').textContent(), TEXTS[locale].earlyAccess.result.title)
  assert.equal(await page.locator('#invitation').isVisible(), false)
  assert.ok((await page.title()).startsWith(TEXTS[locale].earlyAccess.result.title), title)
  assert.deepEqual(errors, [])
  const [entry] = await app.entries()
  assert.equal(entry?.locale, locale)
  assert.equal(entry?.useCase, '🦉'.repeat(most))
}

/** Fails unless the form states the wait of a rate limit in a language and keeps the input. */
export async function assertRateLimit(
  t: TestContext,
  browser: TestBrowser,
  locale: Locale,
): Promise<void> {
  const app = await runFormApp(t)
  const { page, errors } = await openForm(t, browser, app, { locale })
  async function useUp(): Promise<void> {
    for (let sent = 0; sent < LIMITS.registrationPerActor.requests; sent += 1) {
      // From where the browser is, and not counted otherwise: no field is looked at before the limit.
      const headers = { 'Content-Type': 'application/json' }
      await fetch(`${app.origin}${ENDPOINTS.register.path}`, {
        method: 'POST',
        headers,
        body: '{}',
      })
    }
  }
  await useUp()
  await fillForm(page, TYPED)
  await sendForm(page)
  const seconds = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'long',
  }).format(60)
  const words = TEXTS[locale].earlyAccess.mistakes
  assert.deepEqual(await mistakesOf(page), [plainText(words.RATE_LIMITED, { wait: seconds })])
  assert.equal(await focusOf(page), 'mistakes')
  await assertKept(page)
  assert.deepEqual(await axeFaults(page), [])
  app.clock.ms += 60_000
  await sendForm(page)
  assert.equal(await page.locator('#registered').isVisible(), true)
  assert.deepEqual(realErrors(errors), [])
}
