import { createServer } from 'node:http'
import type { TestContext } from 'node:test'
import type { Locale } from '@public-api/contract/terms/locales'
import type { Page } from 'playwright-core'
import { listen } from '../../src/http/connection/listener.ts'
import { StorageError } from '../../src/storage/stores/storage-error.ts'
import type { Storage } from '../../src/storage/stores/storage.ts'
import type { OpenedPage, TestBrowser } from './browser.ts'
import { passOn } from './http-proxy.ts'
import { closeServer } from './loopback-server.ts'
import {
  runRegisteringApp,
  type RegisteringApp,
  type RegisteringOptions,
} from './registering-app.ts'

/**
 * A registering app at its configured origin, because it accepts registrations only from pages of that origin. A
 * server that listens first forwards everything, so that the origin is known when the app is created.
 */
export async function runFormApp(
  t: TestContext,
  options: RegisteringOptions = {},
): Promise<RegisteringApp> {
  const target = { port: 0 }
  const server = createServer((request, response) => passOn(request, response, target.port))
  const port = await listen(server, 0, '127.0.0.1')
  t.after(() => closeServer(server))
  const origin = `http://127.0.0.1:${port}`
  const app = await runRegisteringApp(t, {
    ...options,
    parts: { baseUrl: origin, ...options.parts },
  })
  target.port = app.port
  return { ...app, origin, port }
}

/** A store that fails on demand. */
export function failing(state: { isDown: boolean }): (storage: Storage) => Storage {
  return (storage) => ({
    ...storage,
    waitlist: {
      ...storage.waitlist,
      add: (registration) =>
        state.isDown
          ? Promise.reject(new StorageError('IO', 'service.sqlite'))
          : storage.waitlist.add(registration),
    },
  })
}

/** The form in a browser. */
export interface OpenedForm extends OpenedPage {
  /** All that was written to the console. */
  readonly console: readonly string[]
}

/** Opens the form of an app; the page has the app's clock. */
export async function openForm(
  t: TestContext,
  browser: TestBrowser,
  { origin, clock }: Pick<RegisteringApp, 'origin' | 'clock'>,
  { locale = 'en', ...context }: Parameters<TestBrowser['openPage']>[1] & { locale?: Locale } = {},
): Promise<OpenedForm> {
  const opened = await browser.openPage(t, context)
  const { page } = opened
  const lines: string[] = []
  page.on('console', (message) => lines.push(message.text()))
  await page.clock.setFixedTime(clock.ms)
  await page.goto(`${origin}/${locale}/early-access`)
  return { ...opened, console: lines }
}

/** Fills in the required fields, including the test challenge, and others only if given. */
export async function fillForm(
  page: Page,
  values: {
    readonly email?: string
    readonly useCase?: string
    readonly interests?: readonly string[]
  } = {},
): Promise<void> {
  const { email = 'reader@example.org', useCase, interests = [] } = values
  await page.locator('#email').fill(email)
  for (const interest of interests) await page.locator(`[value="${interest}"]`).check()
  if (useCase !== undefined) await page.locator('#useCase').fill(useCase)
  await page.locator('#consent').check()
  const box = page.locator('#test-challenge')
  if ((await box.count()) > 0) await box.check()
}

/** Sends the form and waits until something came of it. `byScript` presses the button without a pointer, in less time. */
export async function sendForm(page: Page, { byScript = false } = {}): Promise<void> {
  if (byScript) await page.locator('#send').evaluate((button: HTMLElement) => button.click())
  else await page.locator('#send').click()
  await page.locator('#mistakes, #registered, #duplicate').filter({ visible: true }).waitFor()
  await page.locator('#send:not([aria-disabled])').waitFor({ state: 'attached' })
}

/** Unexpected errors; Chromium also logs expected statuses to the console. */
export function realErrors(errors: readonly string[]): readonly string[] {
  return errors.filter((text) => !text.startsWith('Failed to load resource'))
}

/** The texts of the summary, as a person reads them. */
export function mistakesOf(page: Page): Promise<readonly string[]> {
  return page.locator('#mistakes li').allInnerTexts()
}
