import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { serve } from '../support/loopback-server.ts'
import { releasesOf } from '../support/made-content.ts'
import { axeFaults } from '../support/page-checks.ts'
import { runApp } from '../support/running-app.ts'

const browser = useBrowser()
const skip = browserMissing

const CREATED = '2026-03-04T05:00:00Z'

const maintenance = {
  id: 'disk-swap',
  title: 'Disk swap',
  state: 'in_progress',
  startsAt: '2026-03-04T05:00:00Z',
  endsAt: '2026-03-04T06:00:00Z',
  components: ['read-api'],
  updates: [{ at: CREATED, state: 'in_progress', text: 'It has begun.' }],
} as const

const releases = () =>
  releasesOf({
    status: {
      state: 'maintenance',
      summary: 'The disk is replaced.',
      updatedAt: CREATED,
      components: [
        {
          id: 'read-api',
          name: 'Read API',
          summary: 'Reads.',
          state: 'maintenance',
          since: CREATED,
        },
      ],
      incidents: [],
      maintenances: [maintenance],
    },
  })

test('a planned end that has passed is said, and only then', { skip }, async (t) => {
  const app = await runApp(t, { releases: releases() })
  for (const [now, expected] of [
    ['2026-03-04T05:30:00Z', undefined],
    ['2026-03-04T06:40:00Z', /40 minutes ago/],
  ] as const) {
    const { page, errors } = await browser.openPage(t)
    await page.clock.setFixedTime(now)
    await page.goto(`${app.origin}/en/status/maintenances/disk-swap`)
    const note = page.locator('[data-planned]').first()
    await page.locator('html[data-script=on]').waitFor()
    if (expected === undefined) assert.equal(await note.isVisible(), false)
    else {
      await note.waitFor({ state: 'visible' })
      assert.match((await note.textContent()) ?? '', expected)
    }
    assert.deepEqual(await axeFaults(page), [])
    assert.deepEqual(errors, [])
  }
})

test('another site that isolates itself can show the badge', { skip }, async (t) => {
  const app = await runApp(t, { releases: releases() })
  const other = await serve(t, (_request, response) => {
    response.writeHead(200, {
      'Content-Type': 'text/html',
      'Cross-Origin-Embedder-Policy': 'require-corp',
      'Cross-Origin-Opener-Policy': 'same-origin',
    })
    response.end(`<!doctype html><title>Other</title><img src="${app.origin}/en/badge.svg" alt="">`)
  })
  const { page } = await browser.openPage(t)
  await page.goto(other.replace('127.0.0.1', 'localhost'))
  const width = await page
    .locator('img')
    .evaluate(async (image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))
  assert.ok(width > 100, String(width))
})
