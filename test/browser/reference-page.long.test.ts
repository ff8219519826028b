import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test, type TestContext } from 'node:test'
import { VERIFICATION_STEPS } from '@public-api/client-internal/verification-step'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { plainText } from '../../src/pages/markup/rich-text.ts'
import { SAMPLE_LANGUAGES } from '../../src/pages/reference/request-samples.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { createAltchaChallenge } from '../../src/service/challenge/altcha-challenge.ts'
import { createMemoryCounters } from '../../src/storage/counters/memory-counters.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import type { ProxiedResponse } from '../support/http-proxy.ts'
import { runKeyedApp } from '../support/keyed-app.ts'
import { PUBLISHED_COMMANDS } from '../support/made-content.ts'
import { axeFaults } from '../support/page-checks.ts'
import { otherSigningKey, runApp, testSigning } from '../support/running-app.ts'
import { runTamperingProxy, type TamperingProxy } from '../support/tampering-proxy.ts'
import { useFileScope, type TestScope } from '../support/test-scope.ts'

// Closes its pages before the browser ends.
const fileScope = useFileScope()
const browser = useBrowser()
const skip = browserMissing

const { reference: t0, proof } = TEXTS.en
const STATUS = ENDPOINTS.status.path
const KEYS = ENDPOINTS.signingKey.path
const MINUTE_MS = 60_000

const STILL: BrowserContextOptions = { reducedMotion: 'reduce' }
const REAL_TIME = { nowMs: () => Date.now() }

/** The reference behind a proxy. The clocks of the service and of the browser run. */
async function startReference(t: TestScope, options: BrowserContextOptions) {
  const clock = { offsetMs: 0 }
  const nowMs = (): number => Date.now() + clock.offsetMs
  const app = await runApp(t, { clock: { nowMs } })
  const proxy = await runTamperingProxy(t, app.origin)
  const { page, errors } = await browser.openPage(t, options)
  return { app, proxy, page, errors, clock }
}

let shared: ReturnType<typeof startReference> | undefined

/** Opens the reference as it was loaded; tests with the default options share its service, proxy and browser page. */
async function openReference(t: TestContext, locale = 'en', options = STILL) {
  const isShared = options === STILL
  const reference = await (isShared
    ? (shared ??= startReference(fileScope, options))
    : startReference(t, options))
  const { proxy, page, errors, clock } = reference
  await page.unrouteAll()
  proxy.tamper = () => {}
  clock.offsetMs = 0
  proxy.asked.length = 0
  await page.goto(`${proxy.origin}/${locale}/reference/snapshots`)
  errors.length = 0
  return reference
}

/** The form of an endpoint, opened where it is not yet. */
async function openForm(page: Page, name: string): Promise<Locator> {
  if ((await page.locator(`section#${name}`).count()) === 0) {
    const tag = Object.entries<{ readonly tag: string }>(ENDPOINTS).find(
      ([key]) => key === name,
    )?.[1].tag
    await page.goto(new URL(tag ?? '', page.url()).href)
  }
  const place = page.locator(`#${name} .try`)
  if ((await place.getAttribute('open')) === null) await place.locator('summary').first().click()
  await place.locator('form').waitFor()
  return place
}

/** Opens the form, fills the parameter in where one is given, and sends it. */
async function tryEndpoint(page: Page, name: string, parameter?: string): Promise<Locator> {
  const place = await openForm(page, name)
  if (parameter !== undefined) await place.locator(`#${name}-parameter`).fill(parameter)
  // What a response before has left, so that the next one can be waited for.
  await place.locator('.verdict').evaluate((verdict) => verdict.replaceChildren())
  await place.locator('button[aria-disabled="true"]').waitFor({ state: 'detached' })
  await place.locator('button[type="submit"]').click()
  return place
}

/** Waits for the end of a check and gives the state of each step, by its name. */
async function statesOf(place: Locator): Promise<{ readonly [step: string]: string }> {
  await place.locator('.verdict .state').waitFor()
  await place.locator('button[aria-disabled="true"]').waitFor({ state: 'detached' })
  const entries = await place
    .locator('.step')
    .evaluateAll((steps) =>
      steps.map((step) => [
        (step as HTMLElement).dataset['step'] ?? '',
        (step as HTMLElement).dataset['state'] ?? '',
      ]),
    )
  return Object.fromEntries(entries) as { readonly [step: string]: string }
}

const ALL_PASSED = Object.fromEntries(VERIFICATION_STEPS.map((step) => [step, 'passed']))

/** The states of a check in which a step fails: those before it passed, those after it were not reached. */
function failedAt(failed: (typeof VERIFICATION_STEPS)[number]) {
  const end = VERIFICATION_STEPS.indexOf(failed)
  return Object.fromEntries(
    VERIFICATION_STEPS.map((step, index) => [
      step,
      index < end ? 'passed' : index === end ? 'failed' : 'skipped',
    ]),
  )
}

/** Changes the responses for one path only. */
function tamperWith(
  proxy: TamperingProxy,
  path: string,
  change: (response: ProxiedResponse) => void,
) {
  proxy.tamper = (response) => {
    if (response.target === path) change(response)
  }
}

function editBody(response: ProxiedResponse, from: string, to: string): void {
  const before = response.body.toString()
  assert.ok(before.includes(from), `${before} has no ${from}`)
  response.body = Buffer.from(before.replace(from, to))
}

test(
  'query parameters have an input each, and only those filled in are sent',
  { skip },
  async (t) => {
    const { proxy, page } = await openReference(t)
    const place = await openForm(page, 'versions')
    assert.deepEqual(await place.locator('label').allTextContents(), [
      t0.try.parameter.replace('{name}', 'limit'),
      t0.try.parameter.replace('{name}', 'before'),
      t0.try.key,
    ])
    const targets = () =>
      proxy.asked
        .map(({ target }) => target)
        .filter((target) => target.startsWith('/api/v1/versions'))
    for (const [limit, before, target] of [
      ['', '', '/api/v1/versions'],
      ['1', '', '/api/v1/versions?limit=1'],
      ['1', ' VS-0002 ', '/api/v1/versions?limit=1&before=VS-0002'],
      ['', 'a&b=#ü', '/api/v1/versions?before=a%26b%3D%23%C3%BC'],
    ] as const) {
      await place.locator('#versions-limit').fill(limit)
      await place.locator('#versions-before').fill(before)
      await tryEndpoint(page, 'versions')
      assert.deepEqual(await statesOf(place), ALL_PASSED)
      assert.equal(targets().at(-1), target)
    }
    const body = (await place.locator('[data-part="body"] pre').textContent()) ?? ''
    assert.match(body, /VS-0002/)
    assert.deepEqual(await axeFaults(page), [])
  },
)

test('valid responses pass, errors included', { skip }, async (t) => {
  const { proxy, page } = await openReference(t)
  for (const [name, parameter, target, status] of [
    ['status', undefined, STATUS, 200],
    ['index', undefined, ENDPOINTS.index.path, 200],
    ['time', undefined, ENDPOINTS.time.path, 200],
    ['openapi', undefined, ENDPOINTS.openapi.path, 200],
    ['signingKey', undefined, KEYS, 200],
    ['versionById', 'VS-0002', '/api/v1/versions/VS-0002', 200],
    ['versionById', 'VS-9999', '/api/v1/versions/VS-9999', 404],
    ['versionById', 'a b/ü?', '/api/v1/versions/a%20b/%C3%BC%3F', 404],
    ['preview', '', '/api/v1/preview', 403],
    ['keySelf', undefined, ENDPOINTS.keySelf.path, 401],
  ] as const) {
    await t.test(target, async () => {
      let sent: ProxiedResponse | undefined
      tamperWith(proxy, target, (response) => {
        sent ??= { ...response }
      })
      const place = await tryEndpoint(page, name, parameter)
      assert.deepEqual(await statesOf(place), ALL_PASSED)
      assert.ok(sent)
      const { headers, body } = sent
      assert.match(
        (await place.locator('.verdict .state').textContent()) ?? '',
        /^All 9 checks passed\. Signed .+\.$/,
      )
      assert.match(
        (await place.locator('.try-status').textContent()) ?? '',
        new RegExp(`${status}`),
      )
      const shown = (await place.locator('[data-part="body"] pre').textContent()) ?? ''
      assert.deepEqual(JSON.parse(shown), JSON.parse(body.toString()))
      assert.deepEqual(
        (await place.locator('[data-part="lines"] pre').textContent())?.split('\n'),
        [
          'svc-response-v1',
          'GET',
          target,
          String(status),
          headers.get('x-svc-signed-at'),
          headers.get('content-digest'),
        ],
      )
      const names = await headerNamesIn(place)
      for (const field of ['content-digest', 'x-svc-signature', 'x-request-id']) {
        assert.ok(names.includes(field), `${field} in ${names.join(', ')}`)
      }
    })
  }
})

test('a tampered response fails at the right step', { skip }, async (t) => {
  const cases: readonly (readonly [
    what: string,
    step: (typeof VERIFICATION_STEPS)[number],
    code: keyof typeof proof.faults,
    change: (response: ProxiedResponse) => void,
  ])[] = [
    [
      'a byte of the body',
      'digest',
      'DIGEST',
      (response) => editBody(response, 'ok":true', 'ok":TRUE'),
    ],
    [
      'the body together with its digest',
      'signature',
      'SIGNATURE',
      (response) => {
        editBody(response, '"data":{', '"data":{"made":"up",')
        const digest = createHash('sha256').update(response.body).digest('base64')
        response.headers.set('content-digest', `sha-256=:${digest}:`)
      },
    ],
    [
      'a character of the signature',
      'signature',
      'SIGNATURE',
      ({ headers }) => {
        const signature = headers.get('x-svc-signature') ?? ''
        const first = signature.startsWith('A') ? 'B' : 'A'
        headers.set('x-svc-signature', first + signature.slice(1))
      },
    ],
    [
      'the time',
      'signature',
      'SIGNATURE',
      ({ headers }) => headers.set('x-svc-signed-at', new Date(0).toISOString()),
    ],
    ['the status', 'signature', 'SIGNATURE', (response) => void (response.status = 203)],
    [
      'no signature any more',
      'proof',
      'UNSIGNED',
      ({ headers }) => headers.delete('x-svc-signature'),
    ],
  ]
  const { proxy, page } = await openReference(t)
  for (const [what, step, code, change] of cases) {
    await t.test(`${what}: ${code}`, async () => {
      tamperWith(proxy, STATUS, change)
      const place = await tryEndpoint(page, 'status')
      assert.deepEqual(await statesOf(place), failedAt(step))
      assert.equal(
        await place.locator('.verdict').textContent(),
        plainText(proof.failed, { code, meaning: proof.faults[code] }),
      )
      const failed = place.locator('.step[data-state="failed"]')
      assert.deepEqual(await failed.locator('dt').allTextContents(), [proof.expected, proof.found])
      const [expected = '', found = ''] = await failed.locator('dd').allTextContents()
      assert.ok(expected !== '' && found !== '' && expected !== found, `${expected} / ${found}`)
      assert.doesNotMatch(`${expected}${found}`, /undefined|[{}]/)
    })
  }
})

/** Names of the headers that the form shows. */
async function headerNamesIn(place: Locator): Promise<readonly string[]> {
  const text = await place.locator('[data-part="headers"] pre').textContent()
  return (text ?? '').split('\n').map((line) => line.split(': ')[0] ?? '')
}

describe('an untrusted response', { skip }, () => {
  test('shows the expected and found digests', async (t) => {
    const { proxy, page } = await openReference(t)
    let stated: string | undefined
    let came: string | undefined
    tamperWith(proxy, STATUS, (response) => {
      stated = /:(.*):/.exec(response.headers.get('content-digest') ?? '')?.[1]
      editBody(response, 'ok":true', 'ok":false')
      came = createHash('sha256').update(response.body).digest('base64')
    })
    const place = await tryEndpoint(page, 'status')
    await statesOf(place)
    assert.deepEqual(await place.locator('.step[data-state="failed"] dd').allTextContents(), [
      stated,
      came,
    ])
  })

  test('a replayed response', async (t) => {
    const { proxy, page, clock } = await openReference(t)
    clock.offsetMs = -16 * MINUTE_MS
    let old: ProxiedResponse | undefined
    tamperWith(proxy, STATUS, (response) => (old = { ...response }))
    await page.evaluate((path) => fetch(path, { cache: 'no-store' }), STATUS)
    clock.offsetMs = 0
    tamperWith(proxy, STATUS, (response) => Object.assign(response, old))
    const place = await tryEndpoint(page, 'status')
    assert.deepEqual(await statesOf(place), failedAt('freshness'))
    const [expected, found] = await place.locator('.step[data-state="failed"] dd').allTextContents()
    assert.match(expected ?? '', /15 minutes/)
    assert.match(found ?? '', /16 minutes ago/)
  })

  test('a service whose key differs from the page', async (t) => {
    const { app } = await openReference(t)
    const other = await runApp(t, { clock: REAL_TIME, signing: testSigning(otherSigningKey()) })
    const front = await runTamperingProxy(t, other.origin)
    const { page: copied } = await browser.openPage(t, STILL)
    // The page of the one, before the responses of the other.
    await copied.route('**/en/reference/snapshots', async (route) => {
      await route.fulfill({
        response: await route.fetch({ url: `${app.origin}/en/reference/snapshots` }),
      })
    })
    await copied.goto(`${front.origin}/en/reference/snapshots`)
    const place = await tryEndpoint(copied, 'status')
    assert.deepEqual(await statesOf(place), failedAt('keys'))
    const verdict = (await place.locator('.verdict').textContent()) ?? ''
    assert.ok(verdict.includes('UNKNOWN_KEY'), verdict)
  })

  test('a missing key document fails, and one that no service sent is an outage', async (t) => {
    const { proxy, page } = await openReference(t)
    for (const status of [404, 502]) {
      tamperWith(proxy, KEYS, (response) => {
        response.status = status
        response.headers = new Map([['content-type', 'text/html']])
        response.body = Buffer.from('<h1>Not here</h1>')
      })
      const place = await tryEndpoint(page, 'status')
      const states = await statesOf(place)
      const verdict = await place.locator('.verdict').textContent()
      const compared = await place.locator('.step[data-state="failed"] dd').allTextContents()
      if (status === 404) {
        assert.deepEqual(states, failedAt('keys'))
        assert.deepEqual(compared, ['HTTP 200', 'HTTP 404'])
        const said = { code: 'UNSIGNED', meaning: proof.noDocument }
        assert.equal(verdict, plainText(proof.failed, said))
      } else {
        assert.deepEqual(new Set(Object.values(states)), new Set(['skipped']))
        assert.equal(verdict, plainText(proof.unavailable, { status }))
      }
    }
  })

  test('a check that fails to run is not reported as a timeout', async (t) => {
    const { page } = await openReference(t)
    for (const address of [`**${KEYS}`, '**/en/verify']) {
      await page.route(address, (route) => route.abort())
      const place = await tryEndpoint(page, 'status')
      // What the round before has left is there too, until the response has come.
      await place.locator('button[aria-disabled="true"]').waitFor({ state: 'detached' })
      await place.locator('[data-part="steps"] .note-warn').waitFor()
      assert.match((await place.locator('.try-status').textContent()) ?? '', /200/)
      assert.equal(
        await place.locator('[data-part="steps"]').textContent(),
        TEXTS.en.verify.script.failed,
      )
      assert.equal(await place.locator('.verdict').textContent(), '')
      await page.unroute(address)
    }
  })

  test('shows a non-JSON response verbatim', async (t) => {
    const { proxy, page } = await openReference(t)
    tamperWith(proxy, STATUS, (response) => void (response.body = Buffer.from('<b>not found</b>')))
    const place = await tryEndpoint(page, 'status')
    assert.deepEqual(await statesOf(place), failedAt('digest'))
    const shown = place.locator('[data-part="body"] pre')
    assert.equal(await shown.textContent(), '<b>not found</b>')
  })

  test('a valid response after an invalid one passes', async (t) => {
    const { proxy, page } = await openReference(t)
    tamperWith(proxy, STATUS, ({ headers }) => headers.delete('x-svc-signature'))
    const place = await tryEndpoint(page, 'status')
    assert.deepEqual(await statesOf(place), failedAt('proof'))
    proxy.tamper = () => {}
    await place.locator('button[type="submit"]').click()
    await place.locator('.verdict .state-good').waitFor()
    assert.deepEqual(await statesOf(place), ALL_PASSED)
  })
})

describe('user input', { skip }, () => {
  test('sends the API key in one header and stores it nowhere', async (t) => {
    const app = await runKeyedApp(t, { parts: { clock: REAL_TIME } })
    const key = await app.makeKey({ nowMs: Date.now() })
    const proxy = await runTamperingProxy(t, app.origin)
    const { page, context } = await browser.openPage(t, STILL)
    await page.goto(`${proxy.origin}/en/reference/snapshots`)
    const place = await openForm(page, 'keySelf')
    const input = place.locator('#keySelf-key')
    assert.equal(await input.getAttribute('type'), 'password')
    assert.equal(await input.getAttribute('autocomplete'), 'off')
    await input.fill(` ${key} `)
    await place.locator('button[type="submit"]').click()
    assert.deepEqual(await statesOf(place), ALL_PASSED)
    const names = await headerNamesIn(place)
    assert.ok(names.includes('x-ratelimit-remaining'))
    const withKey = proxy.asked.filter((each) => JSON.stringify(each).includes(key))
    assert.deepEqual(
      withKey.map(({ target, headers }) => [target, headers['authorization']]),
      [[ENDPOINTS.keySelf.path, `Bearer ${key}`]],
    )
    const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))
    assert.equal(kept, '[{},{}]')
    assert.deepEqual(await context.cookies(), [])
    assert.ok(!page.url().includes(key))
  })

  for (const [what, value, expected] of [
    ['nothing', ' ', t0.try.missing.replace('{name}', 'snapshotId')],
    ['two dots', '..', t0.try.badPath.replace('{value}', '..')],
  ] as const) {
    test(`${what} as a parameter is reported at its field without a request`, async (t) => {
      const { page, proxy, errors } = await openReference(t)
      const place = await tryEndpoint(page, 'versionById', value)
      const said = place.locator('.try-status')
      await said.filter({ hasText: expected }).waitFor()
      const input = place.locator('#versionById-parameter')
      assert.equal(await input.getAttribute('aria-invalid'), 'true')
      assert.ok(await input.evaluate((element) => element === document.activeElement))
      assert.ok(proxy.asked.every(({ target }) => !target.startsWith('/api/')))
      assert.deepEqual(errors, [])
    })
  }

  test('reports a lone surrogate at its field', async (t) => {
    const { page, errors } = await openReference(t)
    const place = await openForm(page, 'versionById')
    // No keyboard gives one, and a driver cannot hand it over: pasting can.
    const input = place.locator('#versionById-parameter')
    await input.evaluate((element: HTMLInputElement) => {
      element.value = String.fromCharCode(0xd800)
    })
    await place.locator('button[type="submit"]').click()
    const [before = ''] = t0.try.badPath.split('{value}')
    await place.locator('.try-status').filter({ hasText: before.trim() }).waitFor()
    assert.equal(await input.getAttribute('aria-invalid'), 'true')
    assert.deepEqual(errors, [])
  })

  test('reports a key that no header can carry', async (t) => {
    const { page } = await openReference(t)
    const place = await openForm(page, 'status')
    await place.locator('.try-key summary').click()
    await place.locator('#status-key').fill('clé')
    await place.locator('button[type="submit"]').click()
    await place.locator('.try-status').filter({ hasText: t0.try.badKey }).waitFor()
  })

  test('reports an unreachable service', async (t) => {
    const { page } = await openReference(t)
    await page.route(`**${STATUS}`, (route) => route.abort())
    const place = await tryEndpoint(page, 'status')
    await place.locator('.try-status').filter({ hasText: t0.try.notReached }).waitFor()
    // It can be tried again.
    await page.unroute(`**${STATUS}`)
    await place.locator('button[type="submit"]').click()
    assert.deepEqual(await statesOf(place), ALL_PASSED)
  })

  test('hides the old response when a new request fails', async (t) => {
    const { page } = await openReference(t)
    const place = await tryEndpoint(page, 'versionById')
    assert.deepEqual(await statesOf(place), ALL_PASSED)
    const response = place.locator('.try-response')
    assert.equal(await response.isVisible(), true)
    await tryEndpoint(page, 'versionById', '..')
    await response.waitFor({ state: 'hidden' })
    await tryEndpoint(page, 'versionById', 'VS-0001')
    assert.deepEqual(await statesOf(place), ALL_PASSED)
    assert.equal(await response.isVisible(), true)
    await page.route('**/api/v1/versions/*', (route) => route.abort())
    await tryEndpoint(page, 'versionById', 'VS-0001')
    await place.locator('.try-status').filter({ hasText: t0.try.notReached }).waitFor()
    assert.equal(await response.isVisible(), false)
  })

  test('works with the keyboard alone', async (t) => {
    const { page } = await openReference(t)
    await page.goto(new URL('history', page.url()).href)
    await page.locator('#versionById .try summary').focus()
    await page.keyboard.press('Enter')
    await page.locator('#versionById-parameter').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('VS-0001')
    await page.keyboard.press('Enter')
    const place = page.locator('#versionById .try')
    assert.deepEqual(await statesOf(place), ALL_PASSED)
    // Over the place for a key to the button.
    for (const key of ['Tab', 'Tab']) await page.keyboard.press(key)
    await place.locator('.verdict').evaluate((verdict) => verdict.replaceChildren())
    await page.keyboard.press('Space')
    assert.deepEqual(await statesOf(place), ALL_PASSED)
    const button = place.locator('button[type="submit"]')
    assert.ok(await button.evaluate((element) => element === document.activeElement))
  })
})

describe('a browser without Ed25519', { skip }, () => {
  for (const [name, script] of [
    ['insecure', "Object.defineProperty(window, 'isSecureContext', { value: false })"],
    ['unsupported', "SubtleCrypto.prototype.importKey = () => Promise.reject(new Error('no'))"],
  ] as const) {
    test(`${name}: says so and still shows the response`, async (t) => {
      const app = await runApp(t)
      const { page } = await browser.openPage(t, STILL)
      await page.addInitScript(script)
      await page.goto(`${app.origin}/en/reference/snapshots`)
      const place = await tryEndpoint(page, 'status')
      await place.locator('.note').filter({ hasText: proof.cannot[name] }).waitFor()
      assert.ok(await place.locator('[data-part="body"] pre').isVisible())
      assert.equal(await place.locator('.verdict').textContent(), '')
    })
  }

  test('without scripts the reference has no forms', async (t) => {
    const app = await runApp(t, { releases: PUBLISHED_COMMANDS })
    const { page } = await browser.openPage(t, { javaScriptEnabled: false })
    await page.goto(`${app.origin}/en/reference/snapshots`)
    assert.equal(await page.locator('#status pre.json').count(), 1)
    // All samples can be read, each with its name.
    for (const [language, name] of Object.entries(SAMPLE_LANGUAGES)) {
      const sample = page.locator(`#status [data-language="${language}"]`)
      assert.ok(await sample.locator('pre').isVisible(), language)
      assert.equal(await sample.locator('p').innerText(), name)
    }
    assert.equal(await page.locator('.try').count(), 0)
  })
})

describe('the page with its script', { skip }, () => {
  for (const locale of ['en', 'th', 'zh-CN'] as const) {
    test(`${locale}: localized steps without axe violations`, async (t) => {
      const { page, errors } = await openReference(t, locale)
      const place = await tryEndpoint(page, 'status')
      assert.deepEqual(await statesOf(place), ALL_PASSED)
      const { steps } = TEXTS[locale].proof
      assert.deepEqual(
        await place.locator('.step-label').allTextContents(),
        VERIFICATION_STEPS.map((step) => steps[step].label),
      )
      assert.deepEqual(await axeFaults(page), [])
      assert.deepEqual(errors, [])
    })
  }

  test('a failed check has no axe violations', async (t) => {
    const { proxy, page } = await openReference(t, 'en', { ...STILL, colorScheme: 'dark' })
    tamperWith(proxy, STATUS, ({ headers }) => headers.delete('x-svc-signature'))
    await statesOf(await tryEndpoint(page, 'status'))
    assert.deepEqual(await axeFaults(page), [])
  })

  test('steps run in sequence unless reduced motion is preferred', async (t) => {
    const { page } = await openReference(t, 'en', { reducedMotion: 'no-preference' })
    const place = await tryEndpoint(page, 'status')
    await place.locator('.step[data-state="running"]').first().waitFor()
    assert.deepEqual(await statesOf(place), ALL_PASSED)
  })

  test('the example does not cover the form below it while the page scrolls', async (t) => {
    const app = await runApp(t)
    const { page } = await browser.openPage(t, { viewport: { width: 1280, height: 900 } })
    await page.goto(`${app.origin}/en/reference/history`)
    await page.locator('#changelog .try').waitFor()
    const covered = await page.evaluate(() => {
      const worst: number[] = []
      for (let top = 0; top < document.documentElement.scrollHeight; top += 120) {
        scrollTo({ top, behavior: 'instant' })
        for (const entry of document.querySelectorAll('.endpoint:has(.try)')) {
          const [example, form] = [entry.querySelector('figure'), entry.querySelector('.try')]
          const end = example?.getBoundingClientRect().bottom ?? 0
          worst.push(end - (form?.getBoundingClientRect().top ?? end))
        }
      }
      return Math.max(...worst)
    })
    assert.ok(covered <= 0, `${covered} px`)
  })

  test('the example does not cover an open form', async (t) => {
    const app = await runApp(t)
    const { page } = await browser.openPage(t, { viewport: { width: 1280, height: 700 } })
    await page.goto(`${app.origin}/en/reference/snapshots`)
    await page.locator('#status .try summary').click()
    await page.locator('#status .try button').evaluate((button) => button.scrollIntoView())
    const [example, form] = await Promise.all(
      ['#status figure', '#status .try'].map((each) => page.locator(each).boundingBox()),
    )
    assert.ok(example && form && example.y + example.height <= form.y)
  })

  test('only GET endpoints have a form', async (t) => {
    const { page } = await openReference(t)
    const idsOf = (selector: string) =>
      page.locator(selector).evaluateAll((entries) => entries.map(({ id }) => id))
    const rows = Object.entries<{ readonly tag: string; readonly method: string }>(ENDPOINTS)
    for (const group of new Set(rows.map(([, { tag }]) => tag))) {
      await page.goto(new URL(group, page.url()).href)
      const own = rows.filter(([, { tag }]) => tag === group)
      assert.equal((await idsOf('.endpoint')).length, own.length, group)
      const reads = own.filter(([, { method }]) => method === 'GET').map(([name]) => name)
      assert.deepEqual((await idsOf('.endpoint:has(.try)')).toSorted(), reads.toSorted())
    }
  })

  test('copies a request verbatim', async (t) => {
    const { page } = await openReference(t)
    await page.goto(new URL(ENDPOINTS.register.tag, page.url()).href)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.locator('#register .samples .copy').click()
    const said = `${TEXTS.en.site.copyDone} ${t0.request}`
    await page.locator('#announcement').filter({ hasText: said }).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    assert.equal(copied, await page.locator('#register-curl').textContent())
    assert.match(copied, /^curl -i -X POST http/)
  })

  test('the samples are tabs, and the chosen language is remembered', async (t) => {
    const app = await runApp(t, { releases: PUBLISHED_COMMANDS })
    const { page, errors } = await browser.openPage(t, STILL)
    await page.goto(`${app.origin}/en/reference/snapshots`)
    const tabs = page.locator('#roadmap').getByRole('tab')
    assert.deepEqual(await tabs.allTextContents(), Object.values(SAMPLE_LANGUAGES))
    const shownOf = (name: string) =>
      page
        .locator(`#${name} .samples [data-language]:visible`)
        .evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset['language']))
    const selected = page.locator('#roadmap').getByRole('tab', { selected: true })
    assert.deepEqual(await shownOf('roadmap'), ['curl'])
    // The samples above change, too, and the tab stays where it is.
    await tabs.nth(3).scrollIntoViewIfNeeded()
    const before = await tabs.nth(3).boundingBox()
    await tabs.nth(3).click()
    assert.ok(Math.abs(((await tabs.nth(3).boundingBox())?.y ?? 0) - (before?.y ?? 0)) < 2)
    assert.deepEqual([await shownOf('roadmap'), await shownOf('status')], [['go'], ['go']])
    for (const [key, expected] of [
      ['ArrowRight', 'svc'],
      ['ArrowRight', 'curl'],
      ['ArrowLeft', 'svc'],
      ['Home', 'curl'],
      ['End', 'svc'],
      ['ArrowLeft', 'go'],
    ] as const) {
      await page.keyboard.press(key)
      assert.deepEqual(await shownOf('roadmap'), [expected], key)
      assert.equal(await selected.textContent(), SAMPLE_LANGUAGES[expected])
      assert.ok(await selected.evaluate((tab) => tab === document.activeElement))
    }
    const panel = page.locator(`#${await selected.getAttribute('aria-controls')}`)
    assert.equal(await panel.getAttribute('aria-labelledby'), await selected.getAttribute('id'))
    // It holds on the next page, where an endpoint without that language shows curl.
    await page.goto(`${app.origin}/en/reference/early-access`)
    await page.locator('#earlyAccess').getByRole('tab', { selected: true }).waitFor()
    assert.deepEqual([await shownOf('earlyAccess'), await shownOf('register')], [['go'], ['curl']])
    assert.equal(
      await page.locator('#earlyAccess .copy').first().getAttribute('data-copy'),
      'earlyAccess-go',
    )
    assert.deepEqual(await axeFaults(page), [])
    assert.deepEqual(errors, [])
  })

  test('a challenge token is solved here, and the samples contain it', async (t) => {
    const clock = { nowMs: () => Date.now() }
    const counters = createMemoryCounters({ clock })
    const work = { cost: 1, maxCounter: 20 }
    const challenge = createAltchaChallenge({ counters, clock, work })
    const app = await runApp(t, { clock, challenge, releases: PUBLISHED_COMMANDS })
    const { page, errors } = await browser.openPage(t, STILL)
    await page.goto(`${app.origin}/en/reference/early-access`)
    const sample = page.locator('#register-curl')
    assert.match((await sample.textContent()) ?? '', /"CHALLENGE_TOKEN"/)
    const { title } = t0.challenge
    await page.getByRole('button', { name: title, exact: true }).click()
    const output = page.locator('#register-token')
    await output.waitFor()
    const token = (await output.textContent()) ?? ''
    for (const language of ['curl', 'javascript']) {
      const text = (await page.locator(`#register-${language}`).textContent()) ?? ''
      assert.ok(text.includes(token) && !text.includes('CHALLENGE_TOKEN'), text)
    }
    await challenge.verify(token, 'register')
    assert.deepEqual(await axeFaults(page), [])
    assert.deepEqual(errors, [])
  })

  test('a field links to itself', async (t) => {
    const { page } = await openReference(t)
    const link = page.locator('[id="status.components.state"] > a')
    assert.equal(await link.textContent(), 'state')
    await link.click()
    assert.equal(new URL(page.url()).hash, '#status.components.state')
    // One in a closed list opens it.
    await page.goto(new URL('discovery#policy.runtime.values', page.url()).href)
    await page.locator('[id="policy.runtime.values"]').waitFor()
    // One of the time when all endpoints were on one page.
    await page.goto(new URL('/en/reference#status.components.state', page.url()).href)
    await page.waitForURL('**/en/reference/snapshots#status.components.state')
  })

  test('the body is the first part of a response', async (t) => {
    const { page } = await openReference(t)
    const place = await tryEndpoint(page, 'status')
    assert.deepEqual(await statesOf(place), ALL_PASSED)
    const parts = await place
      .locator('.try-response > *')
      .evaluateAll((all) =>
        all.map((each) => (each as HTMLElement).dataset['part'] ?? each.tagName),
      )
    assert.deepEqual(parts.slice(0, 2), ['body', 'headers'])
  })

  test('each field and each heading links to itself', async (t) => {
    const app = await runApp(t)
    const { page } = await browser.openPage(t)
    await page.goto(`${app.origin}/en/reference/snapshots`)
    await page.locator('#status-errors > a[href="#status-errors"]').waitFor()
    const without = await page
      .locator('.fields dt, .endpoint > div > :is(h2, h3)')
      .evaluateAll((places) =>
        places
          .filter((place) => {
            const { id } =
              place.localName === 'h2' ? (place.parentElement?.parentElement ?? place) : place
            return place.querySelector('a')?.getAttribute('href') !== `#${id}`
          })
          .map(({ textContent }) => textContent),
      )
    assert.deepEqual(without, [])
  })

  test('no layout shift', async (t) => {
    const app = await runApp(t)
    const positionsOf = (page: Page): Promise<readonly number[]> =>
      page
        .locator('.endpoint')
        .evaluateAll((entries) =>
          entries.map((each) => Math.round(each.getBoundingClientRect().top)),
        )
    const shown = []
    for (const isScripted of [true, false]) {
      const { page } = await browser.openPage(t, STILL)
      if (!isScripted) await page.route('**/assets/reference-page.*', (route) => route.abort())
      await page.goto(`${app.origin}/en/reference/snapshots`)
      shown.push(await positionsOf(page))
    }
    const [scripted = [], bare = []] = shown
    for (const [index, top] of scripted.entries()) {
      // Heights are rounded once for each entry above.
      assert.ok(Math.abs(top - (bare[index] ?? 0)) <= 2, `entry ${index} moved`)
    }
  })
})
