import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test, type TestContext } from 'node:test'
import {
  verifyEvidence,
  type HistoryEvidence,
} from '@public-api/client-internal/history/history-evidence'
import { ROLLOUT_MS, type HistoryFault } from '@public-api/client-internal/history/history-proofs'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { type PublishedHistory } from '../../src/service/releases/releases.ts'
import { rewrittenReleases } from '../client/rewritten-releases.ts'
import { key } from '../client/scripted-client.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { madeHistory } from '../support/made-releases.ts'
import { axeFaults } from '../support/page-checks.ts'
import { runApp, TEST_NOW_MS } from '../support/running-app.ts'

const browser = useBrowser()
const skip = browserMissing
const KEPT = 'svc-history-head'
const { script } = TEXTS.en.history
const { states } = TEXTS.en.proof

/** One service whose history becomes another one when the test says so, as an operator could do it. */
function turningReleases(...histories: readonly PublishedHistory[]) {
  const turning = { turn: 0 }
  const now = (): PublishedHistory => {
    const releases = histories[turning.turn]
    if (releases === undefined) throw new Error('There is no such history')
    return releases
  }
  const releases: PublishedHistory = {
    payload: (name) => now().payload(name),
    resource: (name) => now().resource(name),
    readResource: (name, digest) => now().readResource(name, digest),
    namesResource: (name, digest) => now().namesResource(name, digest),
    readCard: (name) => now().readCard(name),
    readRecord: () => now().readRecord(),
    version: (id) => now().version(id),
    historyPage: (request) => now().historyPage(request),
    get head() {
      return now().head
    },
    get headSnapshotId() {
      return now().headSnapshotId
    },
    get served() {
      return now().served
    },
    faults: [],
    redactions: [],
    tlog: undefined,
  }
  return Object.assign(turning, { releases })
}

interface Opened {
  readonly page: Page
  readonly origin: string
  readonly errors: readonly string[]
  /** Which of the histories is served. */
  readonly histories: { turn: number }
  /** Moves the clocks of the service and of the page. */
  advance(ms: number): Promise<void>
}

async function open(
  t: TestContext,
  histories: readonly PublishedHistory[],
  { options = {}, path = '/en/history' }: { options?: BrowserContextOptions; path?: string } = {},
): Promise<Opened> {
  const turning = turningReleases(...histories)
  const app = await runApp(t, { releases: turning.releases })
  const { page, errors } = await browser.openPage(t, { acceptDownloads: true, ...options })
  await page.clock.setFixedTime(TEST_NOW_MS)
  await page.goto(`${app.origin}${path}`)
  const advance = async (ms: number): Promise<void> => {
    app.clock.ms += ms
    await page.clock.setFixedTime(app.clock.ms)
  }
  return { page, origin: app.origin, errors, histories: turning, advance }
}

/** Starts an audit and waits for its end. Gives the word of each step. */
async function audit(page: Page): Promise<readonly (readonly [step: string, state: string])[]> {
  await page.locator('#audit-start').click()
  await page.locator('#audit-result > *').first().waitFor()
  // The saved head is shown after the result.
  await page.locator('#audit-start:enabled').waitFor()
  return stepsOf(page)
}

function stepsOf(page: Page): Promise<readonly (readonly [step: string, state: string])[]> {
  return page.locator('#audit-steps .step').evaluateAll((steps) =>
    steps.map((step) => {
      const { dataset } = step as HTMLElement
      return [dataset['step'] ?? '', dataset['state'] ?? ''] as const
    }),
  )
}

/** The steps of a first audit, which has nothing to compare with. */
const firstAudit = () =>
  allOf('passed').map(([step, state]) => [step, step === 'previous' ? 'skipped' : state] as const)

const allOf = (state: string) => Object.keys(script.steps).map((step) => [step, state] as const)

/** The mark of each entry as a reader sees it, newest first. */
function marksOf(page: Page): Promise<readonly string[]> {
  return page.locator('.chain-entry .entry-proof').allInnerTexts()
}

function keptIn(page: Page): Promise<string | null> {
  return page.evaluate((name) => localStorage.getItem(name), KEPT)
}

const markLabels = (words: readonly (keyof typeof script.marks | '')[]): readonly string[] =>
  words.map((word) => (word === '' ? '' : script.marks[word]))

/** A text of the locale file as a pattern, with any text for its placeholders. */
function patternOf(text: string): RegExp {
  const parts = text
    .split(/\{[a-zA-Z]+\}/)
    .map((part) => part.replaceAll(/[.*+?^$()[\]\\|]/g, '\\$&'))
  return new RegExp(parts.join('.+'))
}

describe('a consistent history', { skip }, () => {
  test('passes every step, marks entries and saves the head', async (t) => {
    const { page, errors } = await open(t, [madeHistory(4)])
    await page.locator('#kept-head').getByText(script.nothingKept, { exact: true }).waitFor()
    assert.equal(await page.locator('#audit-forget').isHidden(), true)
    assert.deepEqual(await audit(page), firstAudit())
    const steps = page.locator('#audit-steps .step')
    assert.deepEqual(
      await steps.locator('.step-state').allTextContents(),
      firstAudit().map(([, state]) => states[state as keyof typeof states]),
    )
    const details = await steps.locator('.step-detail').allTextContents()
    assert.ok(details[0]?.includes(key.keyId))
    assert.match(details[0] ?? '', patternOf(script.details.keysOwnWord))
    assert.equal(details[3], script.details.previousNone)
    assert.match(details[4] ?? '', patternOf(script.details.versions.other))
    assert.deepEqual(await marksOf(page), markLabels(Array.from({ length: 4 }, () => 'recomputed')))
    assert.match((await page.locator('#audit-result').textContent()) ?? '', /VS-0004/)
    const kept = JSON.parse((await keptIn(page)) ?? '{}') as { response: { target: string } }
    assert.ok(kept.response.target.startsWith(READ_PATHS.version))
    assert.match((await page.locator('#kept-head').textContent()) ?? '', /VS-0004/)
    assert.deepEqual(await axeFaults(page), [])
    assert.deepEqual(errors, [])
  })

  for (const locale of ['th', 'zh-CN'] as const) {
    test(`passes with the texts of ${locale}`, async (t) => {
      const { page, errors } = await open(t, [madeHistory(2)], {
        path: `/${locale}/history`,
      })
      assert.deepEqual(await audit(page), firstAudit())
      const detail = page.locator('[data-step="keep"] .step-detail')
      assert.equal(await detail.textContent(), TEXTS[locale].history.script.details.keep)
      assert.deepEqual(
        await marksOf(page),
        [1, 2].map(() => TEXTS[locale].history.script.marks.recomputed),
      )
      assert.deepEqual(errors, [])
    })
  }

  test('is compared with the saved head, also after it has grown', async (t) => {
    const { page, histories } = await open(t, [madeHistory(3), madeHistory(5)])
    await audit(page)
    await page.reload()
    await page.locator('#kept-head').filter({ hasText: 'VS-0003' }).waitFor()
    assert.deepEqual(await audit(page), allOf('passed'))
    const previous = page.locator('[data-step="previous"] .step-detail')
    assert.match((await previous.textContent()) ?? '', patternOf(script.details.previousSame))
    assert.match(
      (await page.locator('[data-step="keys"] .step-detail').textContent()) ?? '',
      patternOf(script.details.keysSame),
    )
    const versions = page.locator('[data-step="versions"] .step-detail')
    assert.equal(await versions.textContent(), script.details.versionsNone)
    assert.deepEqual(await marksOf(page), markLabels(['held', 'held', 'held']))

    histories.turn = 1
    assert.deepEqual(await audit(page), allOf('passed'))
    assert.match((await previous.textContent()) ?? '', patternOf(script.details.previousGrown))
    assert.match((await page.locator('#kept-head').textContent()) ?? '', /VS-0005/)

    await page.locator('#every-version').check()
    assert.deepEqual(await audit(page), allOf('passed'))
    assert.deepEqual(await marksOf(page), markLabels(['recomputed', 'recomputed', 'recomputed']))
  })

  test('is read from the start after the head is cleared', async (t) => {
    const { page } = await open(t, [madeHistory(2)])
    await audit(page)
    await page.locator('#audit-forget').click()
    assert.equal(await page.locator('#kept-head').textContent(), script.forgotten)
    assert.equal(await keptIn(page), null)
    await audit(page)
    assert.deepEqual(await marksOf(page), markLabels(['recomputed', 'recomputed']))
  })

  test('is checked against the pinned key ID', async (t) => {
    const { page } = await open(t, [madeHistory(2)])
    await page.locator('#pin').fill('short')
    await page.locator('#audit-start').click()
    await page.locator('#pin-error').getByText(script.pinMistake, { exact: true }).waitFor()
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'pin')
    assert.equal(await page.locator('#pin').getAttribute('aria-invalid'), 'true')
    assert.deepEqual(await axeFaults(page), [])

    await page.locator('#pin').fill(key.keyId)
    assert.deepEqual(await audit(page), firstAudit())
    const detail = page.locator('[data-step="keys"] .step-detail')
    assert.match((await detail.textContent()) ?? '', patternOf(script.details.keysPinned))

    await page.locator('#pin').fill(`A${key.keyId.slice(1)}`)
    const [first, ...rest] = await audit(page)
    assert.deepEqual(first, ['keys', 'failed'])
    assert.ok(rest.every(([, state]) => state === 'skipped'))
    const result = (await page.locator('#audit-result').textContent()) ?? ''
    assert.ok(result.includes(script.failures.verification))
    assert.ok(result.includes(TEXTS.en.proof.faults.UNKNOWN_KEY))
    assert.ok(!result.includes('VerificationError'), 'no words of a program')
    const compared = page.locator('#audit-result')
    assert.equal(await compared.locator('.step-expected').textContent(), `A${key.keyId.slice(1)}`)
    assert.equal(await compared.locator('.step-found').textContent(), key.keyId)

    await page.locator('#pin').fill('short')
    await page.locator('#audit-start').click()
    assert.equal(await page.locator('#audit-result').textContent(), '')
    assert.equal(await page.locator('#audit-steps .step').count(), 0)
  })

  test('is audited without storage and reports that nothing is saved', async (t) => {
    const app = await runApp(t, { releases: madeHistory(2) })
    const { page } = await browser.openPage(t)
    await page.clock.setFixedTime(TEST_NOW_MS)
    await page.addInitScript(() => {
      Object.defineProperty(window, 'localStorage', {
        get() {
          throw new DOMException('Denied', 'SecurityError')
        },
      })
    })
    await page.goto(`${app.origin}/en/history`)
    await page.locator('#kept-head').getByText(script.noStorage, { exact: true }).waitFor()
    const steps = await audit(page)
    assert.deepEqual(steps, [...firstAudit().slice(0, -1), ['keep', 'skipped']])
  })
})

test('a full storage fails only the last step', { skip }, async (t) => {
  const { page } = await open(t, [madeHistory(2)])
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('Full', 'QuotaExceededError')
    }
  })
  assert.deepEqual(await audit(page), [...firstAudit().slice(0, -1), ['keep', 'failed']])
  const detail = page.locator('[data-step="keep"] .step-detail')
  assert.equal(await detail.textContent(), script.details.keepFailed)
  assert.match((await page.locator('#audit-result').textContent()) ?? '', /VS-0002/)
})

describe('a history that contradicts itself', { skip }, () => {
  /** The page's evidence, checked with only the key ID. */
  async function evidenceOf(page: Page, fault: HistoryFault, time = '090000'): Promise<void> {
    const download = page.waitForEvent('download')
    await page.locator('#audit-result a[download]').click()
    const file = await download
    assert.equal(file.suggestedFilename(), `svc-evidence-${fault}-20261121T${time}Z.json`)
    const evidence = JSON.parse(await readFile(await file.path(), 'utf8')) as HistoryEvidence
    const { fault: proved } = await verifyEvidence(evidence, { pinnedKeyIds: [key.keyId] })
    assert.equal(proved, fault)
    const result = (await page.locator('#audit-result').textContent()) ?? ''
    assert.ok(!result.includes('--check-evidence'))
  }

  /** What the broken link on the page is drawn between. */
  function sidesOf(page: Page): Promise<readonly string[]> {
    return page.locator('.break .break-side code').allTextContents()
  }

  test('rewritten: shows the entry, both hashes and the evidence, and keeps the saved head', async (t) => {
    const before = madeHistory(3)
    const after = rewrittenReleases(4, 2, (entry) => ({ ...entry, note: 'Never mind.' }))
    const { page, histories, errors } = await open(t, [before, after])
    await audit(page)
    const kept = await keptIn(page)
    histories.turn = 1
    const steps = new Map(await audit(page))
    assert.equal(steps.get('previous'), 'failed')
    assert.equal(steps.get('versions'), 'skipped')
    const hashOf = ({ version }: PublishedHistory) =>
      (JSON.parse(version('VS-0003')?.json ?? '{}') as { hash: string }).hash
    assert.deepEqual(await sidesOf(page), [hashOf(before), hashOf(after)])
    const failed = page.locator('[data-step="previous"] dd')
    assert.deepEqual(await failed.allTextContents(), [hashOf(before), hashOf(after)])
    const result = (await page.locator('#audit-result').textContent()) ?? ''
    assert.match(result, patternOf(script.faults.REWRITTEN))
    assert.ok(result.includes('VS-0003') && result.includes(script.brokenLink))
    assert.deepEqual(await marksOf(page), markLabels(['broken', '', '']))
    await evidenceOf(page, 'REWRITTEN')
    assert.equal(await keptIn(page), kept)
    assert.deepEqual(await axeFaults(page), [])
    assert.deepEqual(errors, [])
  })

  test('shortened: the signed head is missing', async (t) => {
    const { page, histories, advance } = await open(t, [madeHistory(5), madeHistory(4)])
    await audit(page)
    histories.turn = 1
    await audit(page)
    const unsettled = (await page.locator('#audit-result').textContent()) ?? ''
    assert.ok(unsettled.includes(script.failures.unsettled), unsettled)
    assert.equal(await page.locator('#audit-result a[download]').count(), 0)
    await advance(ROLLOUT_MS + 1)
    const steps = new Map(await audit(page))
    assert.equal(steps.get('previous'), 'failed')
    assert.deepEqual(await sidesOf(page), ['VS-0005', 'VS-0004'])
    assert.deepEqual(await marksOf(page), markLabels(['broken', '', '', '', '']))
    await evidenceOf(page, 'SHORTENED', '091000')
  })

  test('an entry that differs from the index is found without a saved head', async (t) => {
    const liar = rewrittenReleases(3, 2, (entry) => ({ ...entry, note: 'Never mind.' }))
    const honest = madeHistory(3)
    const releases: PublishedHistory = {
      ...honest,
      version: (id) => (id === 'VS-0002' ? liar : honest).version(id),
    }
    const { page } = await open(t, [releases])
    const steps = new Map(await audit(page))
    assert.equal(steps.get('previous'), 'skipped')
    assert.equal(steps.get('versions'), 'failed')
    assert.equal((await marksOf(page))[1], script.marks.broken)
    await evidenceOf(page, 'REWRITTEN')
  })

  test('reports a page rendered from another history', async (t) => {
    const after = rewrittenReleases(3, 2, (entry) => ({ ...entry, note: 'Never mind.' }))
    const { page, histories } = await open(t, [madeHistory(3), after])
    histories.turn = 1
    assert.deepEqual(await audit(page), firstAudit())
    assert.deepEqual(await marksOf(page), markLabels(['otherHash', 'otherHash', 'recomputed']))
  })
})

describe('an unfinished audit', { skip }, () => {
  test('stops by its button and saves nothing', async (t) => {
    const { page } = await open(t, [madeHistory(3)])
    // The list of versions is never answered.
    const asked = page.waitForRequest((request) =>
      request.url().includes(`${READ_PATHS.versions}?`),
    )
    await page.route(`**${READ_PATHS.versions}?*`, () => {})
    await page.locator('#audit-start').click()
    await asked
    assert.equal(await page.locator('#audit-start').isDisabled(), true)
    await page.locator('#audit-stop').click()
    await page.locator('#audit-result > *').first().waitFor()
    assert.equal(await page.locator('#audit-result').textContent(), script.stopped)
    assert.deepEqual((await stepsOf(page)).slice(0, 3), [
      ['keys', 'passed'],
      ['head', 'passed'],
      ['index', 'skipped'],
    ])
    assert.equal(await keptIn(page), null)
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'audit-start')
    await page.unroute(`**${READ_PATHS.versions}?*`)
    assert.deepEqual(await audit(page), firstAudit())
  })

  test('reports an unreadable saved head and restarts after it is cleared', async (t) => {
    const { page } = await open(t, [madeHistory(2)])
    await audit(page)
    const kept = (await keptIn(page)) ?? ''
    for (const damaged of ['{', kept.replace('"status":200', '"status":404')]) {
      await page.evaluate(([name, text]) => localStorage.setItem(name, text), [
        KEPT,
        damaged,
      ] as const)
      await page.reload()
      await page.locator('#audit-forget').waitFor()
      assert.equal(await page.locator('#kept-head').textContent(), script.keptUnreadable)
      await page.locator('#audit-start').click()
      await page.locator('#audit-result > *').first().waitFor()
      assert.equal(await page.locator('#audit-result').textContent(), script.keptUnreadable)
      assert.deepEqual(await stepsOf(page), [])
      assert.equal(await keptIn(page), damaged, 'it is left for the reader to look at')
      await page.locator('#audit-forget').click()
      assert.deepEqual(await audit(page), firstAudit())
    }
  })

  test('reports missing Ed25519 support', async (t) => {
    const { page } = await open(t, [madeHistory(2)])
    await page.evaluate(() => {
      crypto.subtle.importKey = () => Promise.reject(new DOMException('No', 'NotSupportedError'))
    })
    const [first] = await audit(page)
    assert.deepEqual(first, ['keys', 'failed'])
    const result = (await page.locator('#audit-result').textContent()) ?? ''
    assert.ok(result.includes(script.failures.unsupported))
    assert.ok(!result.includes(script.failures.verification))
  })

  test('says that its script could not be loaded, and loads it again', async (t) => {
    const { page } = await open(t, [madeHistory(2)])
    await page.route('**/assets/audit*', (route) => route.abort())
    await page.locator('#audit-start').click()
    const result = page.locator('#audit-result')
    await result.getByText(script.failures.connection, { exact: true }).waitFor()
    await page.unroute('**/assets/audit*')
    const steps = await audit(page)
    assert.ok(steps.every(([, state]) => state !== 'failed'))
  })

  test('names a tampered response', async (t) => {
    const { page } = await open(t, [madeHistory(2)])
    await page.route(`**${READ_PATHS.version}?*`, async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replace('Made by a test.', 'Never mind.')
      await route.fulfill({ response, body })
    })
    const steps = new Map(await audit(page))
    assert.deepEqual([steps.get('keys'), steps.get('head')], ['passed', 'failed'])
    const result = (await page.locator('#audit-result').textContent()) ?? ''
    assert.ok(result.includes(script.failures.verification))
    assert.ok(result.includes(TEXTS.en.proof.faults.DIGEST), result)
    assert.ok(result.includes(`GET ${READ_PATHS.version}?`), result)
  })
})

test('without scripts the chain is readable and the command is shown', { skip }, async (t) => {
  const { page } = await open(t, [madeHistory(3)], { options: { javaScriptEnabled: false } })
  assert.equal(await page.locator('.chain-entry').count(), 3)
  for (const entry of await page.locator('.chain-entry').all())
    assert.equal(await entry.isVisible(), true)
  for (const hash of await page.locator('.chain-entry .hash').allTextContents())
    assert.match(hash, /^[0-9a-f]{64}$/)
  assert.equal(await page.locator('#audit-form').isVisible(), false)
  assert.match((await page.locator('main .note').first().textContent()) ?? '', /JavaScript/)
  for (const path of ['/en', '/en/status', '/en/history', '/en/verify']) {
    await page.goto(new URL(path, page.url()).href)
    assert.doesNotMatch(await page.locator('main').innerText(), /Your browser|run in your browser/)
  }
})

describe('the search for a version', { skip }, () => {
  async function find(page: Page, query: string): Promise<readonly string[]> {
    await page.locator('#find-result').evaluate((result) => result.replaceChildren())
    await page.locator('#find-input').fill(query)
    await page.locator('#find-version button').click()
    await page.locator('#find-result > *').first().waitFor()
    return page
      .locator('#find-result a')
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).pathname))
  }

  test('finds it by number, hash and digest, beyond the shown versions', async (t) => {
    const releases = madeHistory(30)
    const { page, errors } = await open(t, [releases])
    const entry = JSON.parse(releases.version('VS-0002')?.json ?? '') as {
      hash: string
      resources: Record<string, string>
    }
    for (const query of [
      '2',
      'VS-0002',
      'vs-2',
      entry.hash,
      entry.hash.slice(0, 12).toUpperCase(),
    ]) {
      assert.deepEqual(await find(page, ` ${query} `), ['/en/history/VS-0002'], query)
    }
    const digest = entry.resources['status'] ?? ''
    for (const query of [digest, `"${digest}"`]) {
      assert.ok((await find(page, query)).includes('/en/history/VS-0002'), query)
    }
    assert.deepEqual(await axeFaults(page), [])
    await page.locator('#find-result a').first().click()
    await page.waitForURL('**/en/history/VS-0002')
    assert.deepEqual(errors, [])
  })

  test('says why nothing is found', async (t) => {
    const { page } = await open(t, [madeHistory(2)], { path: '/th/history' })
    const { script: words } = TEXTS.th.history.find
    const result = page.locator('#find-result')
    assert.deepEqual(await find(page, 'abc'), [])
    assert.equal(await result.innerText(), words.short)
    await find(page, '99999')
    await page.getByText(words.none.replace('{query}', '99999')).waitFor()
    await page.route('**/history-index/*', (route) => route.abort())
    await find(page, 'abcd')
    await page.getByText(words.failed).waitFor()
  })
})
