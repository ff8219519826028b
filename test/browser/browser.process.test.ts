import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { runApp } from '../support/running-app.ts'

const browser = useBrowser()

test(
  'a page reaches the service on loopback, in a secure context',
  { skip: browserMissing },
  async (t) => {
    const app = await runApp(t)
    const { page } = await browser.openPage(t)
    const response = await page.goto(`${app.origin}/api/v1/status`)
    assert.equal(response?.status(), 200)
    assert.equal(await page.evaluate(() => isSecureContext), true)
    assert.deepEqual(browser.takeOutside(), [])
  },
)

test(
  'no request leaves the machine; attempts are reported',
  { skip: browserMissing },
  async (t) => {
    const app = await runApp(t)
    const { page, errors } = await browser.openPage(t)
    await page.goto(`${app.origin}/api/v1/status`)
    const refused = await page.evaluate(async () => {
      const urls = ['http://example.test/a', 'https://example.test/b', 'https://192.0.2.1/c']
      const ends = await Promise.allSettled(urls.map((url) => fetch(url, { mode: 'no-cors' })))
      return ends.map(({ status }) => status)
    })
    // The refusal of a plain request is a response, though one that no script can read.
    assert.deepEqual(refused, ['fulfilled', 'rejected', 'rejected'])
    assert.deepEqual(browser.takeOutside().toSorted(), [
      'CONNECT 192.0.2.1:443',
      'CONNECT example.test:443',
      'GET http://example.test/a',
    ])
    // They arrive on their own way.
    await eventually('errors on the console', () => errors.length >= 2 || undefined)
  },
)

test('browser contexts are isolated', { skip: browserMissing }, async (t) => {
  const app = await runApp(t)
  const pages = [await browser.openPage(t), await browser.openPage(t)]
  const found: (string | null)[] = []
  for (const { page } of pages) {
    await page.goto(`${app.origin}/api/v1/status`)
    found.push(await page.evaluate(() => localStorage.getItem('left')))
    await page.evaluate(() => localStorage.setItem('left', 'behind'))
  }
  assert.deepEqual(found, [null, null])
})

test('a page with a cache on the disk has its own profile', { skip: browserMissing }, async (t) => {
  const app = await runApp(t)
  const { page } = await browser.openPageWithDiskCache(t)
  const response = await page.goto(`${app.origin}/api/v1/status`)
  assert.equal(response?.status(), 200)
})
