import assert from 'node:assert/strict'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import {
  verifyForkEvidence,
  type ForkEvidence,
} from '@public-api/client-internal/log/fork-evidence'
import { verifyLogMismatch, type LogMismatch } from '@public-api/client-internal/log/log-mismatch'
import { openPolicy } from '@public-api/client-internal/log/log-policy'
import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import type { Page } from 'playwright-core'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { liveDependencies } from '../cli/verifying/live-app.ts'
import { key } from '../client/scripted-client.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { folderWithLog, folderWithReleases, LOG_ORIGIN } from '../support/logged-releases.ts'
import { axeFaults } from '../support/page-checks.ts'
import { succeeded, svcIn } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'
import { openStubWitness } from '../support/stub-witness.ts'

const browser = useBrowser()
const skip = browserMissing
const { script } = TEXTS.en.log
const KEPT = 'svc-history-head'
const BUNDLE = '/log/tile/entries/000.p/3'

const serve = (t: TestContext, folder: string) =>
  runApp(t, {
    ...liveDependencies(),
    releases: loadReleases(openReleaseStore(path.join(folder, 'releases'))),
  })

/** A service whose log a witness cosigned. */
async function runLogged(t: TestContext) {
  const log = await folderWithLog(t)
  const witness = await openStubWitness(t, 'w1', 0x41, log.vkey)
  const policy = `log ${log.vkey}\nwitness harbor ${witness.vkey} ${witness.url}\nquorum harbor\n`
  writeFileSync(path.join(log.releases, 'log', 'policy'), policy)
  succeeded(await svcIn(log.folder, ['tlog', 'cosign']))
  return { ...log, app: await serve(t, log.folder), policy }
}

/** Its history page in a browser. */
async function openPage(t: TestContext, origin: string, locale: Locale = 'en') {
  const { page, errors } = await browser.openPage(t, { acceptDownloads: true })
  await page.goto(`${origin}/${locale}/history`)
  return { page, errors }
}

async function openHistory(t: TestContext) {
  const logged = await runLogged(t)
  return { ...logged, ...(await openPage(t, logged.app.origin)) }
}

/** Another history of the same operator, with the same log key. */
async function forkOf(t: TestContext, folder: string) {
  const other = folderWithReleases(t, 2)
  await svcIn(other, ['rollback', 'VS-0001', '--note', 'Another history'])
  cpSync(path.join(folder, 'secrets', 'log-key.pem'), path.join(other, 'secrets', 'log-key.pem'))
  succeeded(await svcIn(other, ['tlog', 'init', '--origin', LOG_ORIGIN]))
  return serve(t, other)
}

async function audit(page: Page) {
  await page.locator('#audit-start').click()
  await page.locator('#audit-result > *').first().waitFor()
  await page.locator('#audit-start:enabled').waitFor()
  const step = page.locator('[data-step="log"]')
  return {
    state: await step.getAttribute('data-state'),
    detail: (await step.locator('.step-detail').textContent()) ?? '',
    result: (await page.locator('#audit-result').textContent()) ?? '',
  }
}

const replaceLog = (page: Page, files: (target: string) => Promise<Response> | Response) =>
  page.route('**/log/**', async (route) => {
    const response = await files(new URL(route.request().url()).pathname)
    await route.fulfill({
      status: response.status,
      body: Buffer.from(await response.arrayBuffer()),
    })
  })

test('the log is checked by the suggested policy or by one of the visitor', { skip }, async (t) => {
  const { page, errors, policy } = await openHistory(t)
  const first = await audit(page)
  assert.equal(first.state, 'passed', first.result)
  assert.match(first.detail, /^3 versions in the log/)
  assert.ok(first.detail.includes('Cosigned by harbor.'))
  assert.ok(first.detail.endsWith(script.suggestedPolicy))
  assert.match(
    (await page.evaluate((name) => localStorage.getItem(name), KEPT)) ?? '',
    /— harbor|w1/,
  )

  assert.equal(await page.locator('#log-policy').getAttribute('maxlength'), '131072')
  await page.locator('#log-policy').fill(policy)
  const second = await audit(page)
  assert.equal(second.state, 'passed')
  assert.ok(second.detail.includes(script.grown))
  assert.ok(second.detail.endsWith(script.ownPolicy))
  assert.deepEqual(await axeFaults(page), [])

  for (const [text, code, detail] of [
    ['quorum none\nwitness\n', 'MALFORMED', /the policy, line 2/],
    [policy.replace('quorum harbor', 'quorum none').replace(/^log .*/, ''), 'UNKNOWN_LOG', /log/],
  ] as const) {
    await page.locator('#log-policy').fill(text)
    const refused = await audit(page)
    assert.deepEqual([refused.state, refused.detail], ['failed', script.faults[code]])
    assert.match(refused.result, detail)
  }
  assert.deepEqual(errors, [])
})

test('a log that was changed fails by its name', { skip }, async (t) => {
  const { page, app, policy } = await openHistory(t)
  const { vkey } = await folderWithLog(t)
  const read = async (target: string) => (await app.fetch(target)).text()
  const checkpoint = await read('/log/checkpoint')
  const bundle = Buffer.from(await (await app.fetch(BUNDLE)).arrayBuffer()).toString('latin1')
  const entries = (from: string, to: string) =>
    Uint8Array.from(Buffer.from(bundle.replace(from, to), 'latin1'))
  const other = await openStubWitness(t, 'w9', 0x49, vkey)
  let changed:
    | { readonly target: string; readonly body: string | Uint8Array<ArrayBuffer> }
    | undefined
  await replaceLog(page, (target) =>
    target === changed?.target ? new Response(changed.body) : app.fetch(target),
  )
  for (const [code, target, body] of [
    ['SIGNATURE', '/log/checkpoint', checkpoint.replace('\n3\n', '\n2\n')],
    ['MALFORMED', '/log/checkpoint', checkpoint.replace('\n\n', '\n')],
    ['UNWITNESSED', '/log/checkpoint', checkpoint.replace(/— witness.*\n/, '')],
    ['UNWITNESSED', '/log/policy', policy.replace(/^witness .*$/m, `witness harbor ${other.vkey}`)],
    ['MALFORMED', BUNDLE, entries('"note":"', '"note":"!')],
    ['ENTRY', BUNDLE, entries('svc-version-v1', 'svc-version-v2')],
    ['LOG_MISMATCH', BUNDLE, entries('"apiVersion":"v1"', '"apiVersion":"v2"')],
  ] as const) {
    changed = { target, body }
    const { state, detail, result } = await audit(page)
    assert.deepEqual([state, detail], ['failed', script.faults[code]], result)
    assert.match(result, new RegExp(`${code}: http`))
  }
  await page.route('**/log-audit*', (route) => route.abort())
  await page.reload()
  const { detail: unloaded } = await audit(page)
  assert.equal(unloaded, script.faults.CONNECTION)
  await page.unroute('**/log-audit*')
  changed = undefined
  assert.equal((await audit(page)).state, 'passed')
  await replaceLog(page, () => new Response('', { status: 503 }))
  assert.equal((await audit(page)).detail, script.faults.CONNECTION)
})

test('two histories are found, with evidence that others can check', { skip }, async (t) => {
  const { app, folder, policy } = await runLogged(t)
  const fork = await forkOf(t, folder)
  for (const locale of LOCALES) {
    const { page } = await openPage(t, app.origin, locale)
    await page.locator('#log-policy').fill(policy.replace('quorum harbor', 'quorum none'))
    assert.equal((await audit(page)).state, 'passed')
    await replaceLog(page, (target) => fork.fetch(target))
    const { state, detail, result } = await audit(page)
    assert.deepEqual([state, detail], ['failed', TEXTS[locale].log.script.faults.FORK])
    assert.ok(result.includes(TEXTS[locale].log.script.evidenceWhat))
    const download = page.waitForEvent('download')
    await page.locator('#audit-result a.button').click()
    const file = readFileSync(await (await download).path(), 'utf8')
    const evidence = JSON.parse(file) as ForkEvidence
    const trusted = await openPolicy(policy.replace('quorum harbor', 'quorum none'))
    assert.equal(await verifyForkEvidence(evidence, trusted), LOG_ORIGIN)
  }
})

test('a log with other versions than the signed ones is proved', { skip }, async (t) => {
  const { page, app, folder, policy } = await openHistory(t)
  const fork = await forkOf(t, folder)
  // Only a page of a service with a log checks one.
  await page.goto(`${fork.origin}/en/history`)
  await page.locator('#log-policy').fill(policy)
  await replaceLog(page, (target) => app.fetch(target))
  const { detail, result } = await audit(page)
  assert.equal(detail, script.faults.LOG_MISMATCH, result)
  const download = page.waitForEvent('download')
  await page.locator('#audit-result a.button').click()
  const file = readFileSync(await (await download).path(), 'utf8')
  const trust = { policy: await openPolicy(policy), pinnedKeyIds: [key.keyId], nowMs: Date.now() }
  assert.equal(await verifyLogMismatch(JSON.parse(file) as LogMismatch, trust), 'VS-0003')
})

test(
  'without a log the page neither asks for a policy nor loads the script',
  { skip },
  async (t) => {
    const app = await runApp(t)
    const text = await (await app.fetch('/en/history')).text()
    assert.doesNotMatch(text, /log-policy|data-log/)
  },
)
