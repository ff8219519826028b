import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import type { Page } from 'playwright-core'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { key } from '../client/scripted-client.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { axeFaults } from '../support/page-checks.ts'
import { rotatedSigning } from '../support/rotated-signing.ts'
import { runApp, TEST_NOW_MS } from '../support/running-app.ts'

const browser = useBrowser()
const skip = browserMissing
const { script } = TEXTS.en.verify

async function open(
  t: TestContext,
  options: Parameters<typeof browser.openPage>[1] = {},
  parts: Parameters<typeof runApp>[1] = {},
) {
  const app = await runApp(t, parts)
  const { page, errors } = await browser.openPage(t, options)
  await page.clock.setFixedTime(TEST_NOW_MS + 5000)
  await page.goto(`${app.origin}/en/verify`)
  return { page, errors }
}

/** Starts the check, waits for its result and returns the state of each step. */
async function check(page: Page): Promise<readonly (readonly [step: string, state: string])[]> {
  await page.locator('#check-start').click()
  await page.locator('#check-result > *').first().waitFor()
  return page.locator('#check-steps .step').evaluateAll((steps) =>
    steps.map((step) => {
      const { dataset } = step as HTMLElement
      return [dataset['step'] ?? '', dataset['state'] ?? ''] as const
    }),
  )
}

const resultOf = async (page: Page): Promise<string> =>
  (await page.locator('#check-result').textContent()) ?? ''

test('checks the status step by step and shows the lines of that response', { skip }, async (t) => {
  const { page, errors } = await open(t)
  const steps = await check(page)
  assert.ok(steps.length >= 6)
  assert.deepEqual(
    steps.filter(([, state]) => state !== 'passed'),
    [],
  )
  assert.match(await resultOf(page), /All \d+ checks passed/)
  assert.match((await page.locator('#line-signedat code').textContent()) ?? '', /^2026-11-21T09:/)
  assert.match(
    (await page.locator('#line-digest code').textContent()) ?? '',
    /^sha-256=:[^:]{44}:$/,
  )
  const freshness = page.locator('[data-step="freshness"] .step-detail')
  assert.match((await freshness.textContent()) ?? '', /^Signed \S.*, at 2026-11-21T09:/)
  const signer = page.locator('[data-step="key"] .step-detail')
  assert.ok((await signer.textContent())?.includes(key.keyId))
  assert.deepEqual(await axeFaults(page), [])
  // Again, for a list that was there before.
  assert.deepEqual(await check(page), steps)
  assert.deepEqual(errors, [])
})

test(
  'the footer of another page leads to the check of what that page shows',
  { skip },
  async (t) => {
    const { page } = await open(t)
    const requested: string[] = []
    page.on('request', (request) => requested.push(new URL(request.url()).pathname))
    await page.goto(new URL('/en/roadmap', page.url()).href)
    await page.locator('a[href*="/verify#of="]').click()
    await page.waitForURL('**/en/verify#of=*')
    await page.locator('#check-start').waitFor()
    await page.waitForFunction(() => {
      const { top } = document.querySelector('#browser')?.getBoundingClientRect() ?? { top: -1 }
      return top >= 0 && top < innerHeight
    })
    await check(page)
    const read = requested.filter((path) => /roadmap$|development-queue$|status$/.test(path))
    assert.deepEqual(
      new Set(read.filter((path) => path.startsWith('/api/'))),
      new Set([READ_PATHS.roadmap, READ_PATHS.developmentQueue]),
    )
  },
)

test('a changed body fails at the digest and shows both digests', { skip }, async (t) => {
  const { page } = await open(t)
  await page.route(`**${READ_PATHS.status}`, async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replace('"ok":true', '"ok":null')
    await route.fulfill({ response, body })
  })
  const failed = (await check(page)).filter(([, state]) => state === 'failed')
  assert.deepEqual(failed, [['digest', 'failed']])
  const [expected = '', found = ''] = await page
    .locator('[data-step="digest"] dd')
    .allTextContents()
  assert.notEqual(expected, found)
  assert.doesNotMatch(await resultOf(page), /checks passed/)
  assert.deepEqual(await axeFaults(page), [])
})

test('asks past a cache that has no key of the response yet', { skip }, async (t) => {
  const { page, errors } = await open(t, {}, { signing: rotatedSigning() })
  const before = await runApp(t)
  const response = await fetch(`${before.origin}${READ_PATHS.signingKey}`)
  const cached = { body: await response.text(), headers: Object.fromEntries(response.headers) }
  await page.route(`**${READ_PATHS.signingKey}`, (route) => route.fulfill(cached))
  const steps = await check(page)
  assert.deepEqual(
    steps.filter(([, state]) => state !== 'passed'),
    [],
  )
  assert.match(await resultOf(page), /All \d+ checks passed/)
  assert.deepEqual(errors, [])
})

test('gives up on a service that never responds', { skip }, async (t) => {
  const { page, errors } = await open(t)
  await page.clock.install()
  await page.route(`**${READ_PATHS.status}`, () => {})
  const start = page.locator('#check-start')
  await start.focus()
  // The timer of a request starts before the request.
  const requested = page.waitForRequest(`**${READ_PATHS.status}`)
  await page.keyboard.press('Enter')
  assert.equal(await start.getAttribute('aria-disabled'), 'true')
  await requested
  await page.clock.fastForward(30_000)
  await page.locator('#check-result > *').first().waitFor()
  assert.equal(await resultOf(page), script.connection)
  // Who asked by the keyboard can ask again.
  await page.unroute(`**${READ_PATHS.status}`)
  await page.keyboard.press('Enter')
  await page.locator('#check-steps .step').first().waitFor()
  assert.deepEqual(errors, [])
})

test('an unreachable service is not a failed check', { skip }, async (t) => {
  const { page } = await open(t)
  await page.route(`**${READ_PATHS.status}`, (route) => route.abort())
  assert.deepEqual(await check(page), [])
  assert.equal(await resultOf(page), script.connection)
  await page.unroute(`**${READ_PATHS.status}`)
  assert.ok((await check(page)).length > 0)
})

test('reports missing Ed25519 support', { skip }, async (t) => {
  const { page } = await open(t)
  await page.evaluate(() => {
    crypto.subtle.importKey = () => Promise.reject(new DOMException('No', 'NotSupportedError'))
  })
  assert.deepEqual(await check(page), [])
  assert.equal(await resultOf(page), script.unsupported)
})

test('the key ID can be copied', { skip }, async (t) => {
  const { page } = await open(t, { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.locator('.copy[data-copy="key-id"]').click()
  await page.getByRole('status').filter({ hasText: TEXTS.en.site.copyDone }).waitFor()
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key.keyId)
})

test('without scripts only the check is missing', { skip }, async (t) => {
  const { page } = await open(t, { javaScriptEnabled: false })
  assert.equal(await page.locator('#check-start').isVisible(), false)
  assert.equal(await page.locator('section[aria-labelledby=browser] .note').isVisible(), true)
  assert.equal(await page.locator('#key-id').textContent(), key.keyId)
  assert.equal(await page.locator('#curl-code').isVisible(), true)
})
