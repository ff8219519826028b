import assert from 'node:assert/strict'
import { test } from 'node:test'
import type * as auditEntry from '@public-api/client-internal/audit'
import type * as clientEntry from '@public-api/client-internal/index'
import type { Page } from 'playwright-core'
import { key } from '../client/scripted-client.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { serveClientPackage } from '../support/client-package.ts'
import { FAKE_KEYS } from '../support/fake-api-keys.ts'
import { dated, runFrontedService, type FrontedService } from '../support/fronted-service.ts'
import { TEST_NOW_MS } from '../support/running-app.ts'

const browser = useBrowser()

/** What the page receives. */
interface AuditSettings {
  readonly baseUrl: string
  readonly pinnedKeyIds: readonly string[]
  readonly nowMs: number
}

function createAuditSettings(service: FrontedService, nowMs: number): AuditSettings {
  return { baseUrl: service.origin, pinnedKeyIds: [key.keyId], nowMs }
}

/** One audit by a new client, as a freshly loaded page does it. */
function audit(page: Page, auditSettings: AuditSettings) {
  return page.evaluate(async ({ nowMs, ...settings }) => {
    const entries = ['/dist/client.min.js', '/dist/client/audit.js']
    const [{ createClient }, { auditHistory, createLocalStorageHeadStore }] = (await Promise.all(
      entries.map((entry) => import(entry)),
    )) as [typeof clientEntry, typeof auditEntry]
    const client = createClient({ ...settings, now: () => nowMs })
    try {
      const store = createLocalStorageHeadStore('head')
      const { head, previousHead, versionsRead } = await auditHistory({ client, store })
      return { head: head.snapshotId, previous: previousHead?.snapshotId, versionsRead }
    } catch (error) {
      return (error as { readonly code: string }).code
    }
  }, auditSettings)
}

test(
  'a page of another origin reads, revalidates, sends a key and sees every header it needs',
  { skip: browserMissing },
  async (t) => {
    const service = await runFrontedService(t, {
      nowMs: () => TEST_NOW_MS,
      added: dated(() => TEST_NOW_MS),
    })
    const { page } = await browser.openPage(t)
    await page.goto(await serveClientPackage(t))
    const auditSettings = { ...createAuditSettings(service, TEST_NOW_MS), apiKey: FAKE_KEYS.good }
    const found = await page.evaluate(async ({ apiKey, nowMs, ...settings }) => {
      const entry = '/dist/client.min.js'
      const { ApiResponseError, createClient, VerificationError } = (await import(
        entry
      )) as typeof clientEntry
      const anonymous = createClient({ ...settings, now: () => nowMs })
      const first = await anonymous.status()
      const second = await anonymous.status()
      const keyed = createClient({ ...settings, apiKey, now: () => nowMs })
      const self = await keyed.keySelf()
      const refused = await createClient({ ...settings, apiKey: 'svk_no', now: () => nowMs })
        .roadmap()
        .catch((error) => error instanceof ApiResponseError && error.code)
      const later = await createClient({ ...settings, now: () => nowMs - 61_000 })
        .roadmap()
        .catch((error) => error instanceof VerificationError && error.code)
      const { headers } = self.response as unknown as { readonly headers: Headers }
      return {
        state: first.data.state,
        isRenewed: first.data === second.data,
        keyId: self.data.keyId,
        remaining: headers.get('X-RateLimit-Remaining'),
        refused,
        later,
      }
    }, auditSettings)
    assert.deepEqual(found, {
      state: 'operational',
      isRenewed: true,
      keyId: '0123456789abcdef',
      remaining: '599',
      refused: 'KEY_INVALID',
      later: 'FUTURE',
    })
    const [first] = service.seen
    assert.equal(first?.header('origin'), new URL(page.url()).origin)
    assert.ok(
      service.seen.some(({ target, status }) => target === '/api/v1/status' && status === 304),
    )
    // Both If-None-Match and Authorization have the browser ask first whether they may be sent.
    assert.deepEqual(
      new Set(
        service.seen
          .filter(({ method }) => method === 'OPTIONS')
          .map((asked) => asked.header('access-control-request-headers')),
      ),
      new Set(['if-none-match', 'authorization']),
    )
  },
)

test(
  'a page audits the history and saves the head in localStorage',
  { skip: browserMissing },
  async (t) => {
    const clock = { ms: TEST_NOW_MS }
    const nowMs = () => clock.ms
    const service = await runFrontedService(t, { nowMs, added: dated(nowMs) })
    const { page, context } = await browser.openPage(t)
    const site = await serveClientPackage(t)
    await page.goto(site)
    const first = { head: 'VS-0002', previous: undefined, versionsRead: 2 }
    assert.deepEqual(await audit(page, createAuditSettings(service, clock.ms)), first)
    await page.close()

    clock.ms += 86_400_000
    await service.publish(3)
    const next = await context.newPage()
    await next.goto(site)
    const second = { head: 'VS-0003', previous: 'VS-0002', versionsRead: 1 }
    assert.deepEqual(await audit(next, createAuditSettings(service, clock.ms)), second)

    clock.ms += 86_400_000
    await service.publish(1)
    assert.equal(await audit(next, createAuditSettings(service, clock.ms)), 'SHORTENED')
  },
)
