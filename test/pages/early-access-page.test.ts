import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import { INTERESTS } from '@public-api/contract/waitlist/registration-schema'
import { escapeHtml } from '../../src/pages/markup/html.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { TEST_TOKEN, type ChallengeDescription } from '../../src/service/challenge/challenge.ts'
import { htmlFaults } from '../support/page-checks.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { UNSOLVABLE_CHALLENGE } from '../support/unsolvable-challenge.ts'

const CHALLENGES: {
  readonly [Provider in ChallengeDescription['provider']]: ChallengeDescription
} = {
  altcha: { provider: 'altcha', path: '/challenge', siteKey: null },
  test: { provider: 'test', path: null, siteKey: null },
  turnstile: { provider: 'turnstile', path: null, siteKey: '0x"<&' },
  hcaptcha: { provider: 'hcaptcha', path: null, siteKey: '10000000-ffff' },
}
const PROVIDERS = Object.keys(CHALLENGES) as readonly ChallengeDescription['provider'][]

/** The form's page of a service with this challenge. */
async function read(
  t: Parameters<typeof runApp>[0],
  provider: ChallengeDescription['provider'],
  locale: Locale = 'en',
) {
  const challenge = { ...UNSOLVABLE_CHALLENGE, description: CHALLENGES[provider] }
  const app = await runApp(t, { challenge })
  const response = await app.fetch(`/${locale}/early-access`)
  assert.equal(response.status, 200)
  const policy = response.headers.get('content-security-policy') ?? ''
  return { app, policy, text: await response.text() }
}

/** The opening tag that holds this text. */
function tagWith(text: string, part: string): string {
  const tags = text.replaceAll(/\s+/g, ' ').match(/<[a-z][^<>]*>/g)
  const found = tags?.find((tag) => tag.includes(part))
  assert.ok(found, `no tag has ${part}`)
  return found
}

function attributeOf(tag: string, name: string): string | undefined {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
}

const DIRECTIVE = /^([a-z-]+)(?: (.*))?$/

/** Sources of each directive of a policy. */
function sourcesOf(policy: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    policy.split('; ').map((text) => {
      const [, name = '', sources = ''] = DIRECTIVE.exec(text) ?? []
      return [name, sources.split(' ')]
    }),
  )
}

test('the form is valid HTML in every locale with every challenge', async (t) => {
  for (const provider of PROVIDERS) {
    for (const locale of LOCALES) {
      const { text } = await read(t, provider, locale)
      const faults = await htmlFaults(text)
      // Checkboxes that are one choice of several have one name, as radio buttons have.
      const others = faults.filter((fault) => !/form-dup-name.*"interests"/.test(fault))
      assert.deepEqual(others, [], `${provider} ${locale}`)
      assert.ok(Buffer.byteLength(text) < 60_000)
    }
  }
})

test('every field has a label, a hint and an error slot', async (t) => {
  const { text } = await read(t, 'test')
  for (const id of ['email', 'useCase', 'consent', 'interests', 'challenge']) {
    const described = attributeOf(tagWith(text, ` id="${id}"`), 'aria-describedby') ?? ''
    assert.ok(described.includes(`${id}-error`), id)
    for (const each of described.split(' ')) assert.ok(text.includes(` id="${each}"`), each)
  }
  for (const id of ['email', 'useCase']) assert.ok(text.includes(`<label for="${id}">`), id)
  const email = tagWith(text, ' id="email"')
  assert.equal(attributeOf(email, 'type'), 'email')
  assert.equal(attributeOf(email, 'autocomplete'), 'email')
  assert.equal(attributeOf(email, 'inputmode'), 'email')
  assert.equal(attributeOf(email, 'spellcheck'), 'false')
  // The service counts in its own way; a browser would cut off what is typed, and by another count.
  const [form = ''] = /<form\s[^>]*id="registration"[\s\S]*?<\/form>/.exec(text) ?? []
  assert.ok(form.includes('id="email"'))
  assert.ok(!form.includes('maxlength'))
  assert.doesNotMatch(text, /<input[^>]*\schecked/)
})

test('lists the interests of the contract with localized names', async (t) => {
  for (const locale of LOCALES) {
    const { text } = await read(t, 'test', locale)
    const found = Array.from(
      text
        .replaceAll('<wbr />', '')
        .matchAll(/name="interests" value="([^"]+)"[^>]*>\s*<span>([^<]+)<\/span>/g),
      ([, value, name]) => [value, name] as const,
    )
    const { interestNames } = TEXTS[locale].earlyAccess.form
    assert.deepEqual(
      found,
      INTERESTS.map((interest) => [interest, escapeHtml(interestNames[interest])]),
    )
    assert.equal(new Set(found.map(([, name]) => name)).size, INTERESTS.length)
  }
})

test('submits nothing without the script and never puts input into a URL', async (t) => {
  const { text } = await read(t, 'test')
  const form = tagWith(text, ' id="registration"')
  assert.equal(attributeOf(form, 'method'), 'post')
  assert.equal(attributeOf(form, 'data-path'), ENDPOINTS.register.path)
  assert.match(tagWith(text, ' id="send"'), / disabled/)
})

async function assetSize(app: RunningApp, path: string): Promise<number> {
  return gzipSync(await app.text(path), { level: 9 }).length
}

test('loads the widget and its worker from this origin in the page language', async (t) => {
  for (const provider of PROVIDERS) {
    for (const locale of LOCALES) {
      const { app, text } = await read(t, provider, locale)
      assert.equal(text.includes('/assets/altcha'), provider === 'altcha', provider)
      const scripts = Array.from(text.matchAll(/<script[^>]*src="([^"]+)"/g), ([, src = '']) => src)
      const own = scripts.filter((src) => !src.includes('altcha'))
      let size = 0
      for (const src of own) size += await assetSize(app, src)
      assert.ok(size > 1000 && size < 40_000, `${size} bytes of script`)
      if (provider !== 'altcha') continue
      const widget = tagWith(text, '<altcha-widget')
      assert.equal(attributeOf(widget, 'challenge'), '/challenge?for=register')
      assert.equal(attributeOf(widget, 'language'), locale.toLowerCase())
      const worker = await app.fetch(attributeOf(widget, 'data-worker') ?? '')
      assert.match(worker.headers.get('content-type') ?? '', /^text\/javascript/)
    }
  }
})

test('CSP allows the origins of a hosted challenge only', async (t) => {
  for (const [provider, foreign] of [
    ['altcha', []],
    ['test', []],
    ['turnstile', ['https://challenges.cloudflare.com']],
    ['hcaptcha', ['https://hcaptcha.com', 'https://*.hcaptcha.com']],
  ] as const) {
    const { policy } = await read(t, provider)
    assert.doesNotMatch(policy, /unsafe|blob:|data:/)
    const sources = sourcesOf(policy)
    for (const directive of ['script-src', 'style-src', 'connect-src']) {
      assert.deepEqual(sources.get(directive), ["'self'", ...foreign], `${provider} ${directive}`)
    }
    assert.deepEqual(sources.get('frame-src') ?? [], foreign)
    assert.deepEqual(sources.get('worker-src'), ["'self'"])
  }
})

test('pages other than the form allow no third-party origin in CSP', async (t) => {
  const challenge = { ...UNSOLVABLE_CHALLENGE, description: CHALLENGES.turnstile }
  const app = await runApp(t, { challenge })
  const response = await app.fetch('/en')
  assert.doesNotMatch(response.headers.get('content-security-policy') ?? '', /https:/)
})

test('a hosted challenge has its site key and names its provider', async (t) => {
  for (const provider of ['turnstile', 'hcaptcha'] as const) {
    const { text } = await read(t, provider)
    const box = tagWith(text, `data-provider="${provider}"`)
    assert.equal(attributeOf(box, 'data-site-key'), escapeHtml(CHALLENGES[provider].siteKey ?? ''))
    const hint = /id="challenge-hint">([^<]*)</.exec(text)?.[1] ?? ''
    assert.ok(hint.includes(TEXTS.en.privacy.providers[provider]), hint)
  }
})

test('shows a no-JavaScript fallback when one exists', async (t) => {
  for (const provider of PROVIDERS) {
    const { text } = await read(t, provider, 'th')
    const noScript = /<noscript>([\s\S]*?)<\/noscript>/.exec(text)?.[1] ?? ''
    assert.ok(noScript.includes('/th/reference/early-access#register'), provider)
    const isSolvable = provider === 'altcha' || provider === 'test'
    assert.equal(noScript.includes(ENDPOINTS.register.path), isSolvable, provider)
    assert.equal(noScript.includes('waitlist join'), provider === 'altcha', provider)
    assert.equal(noScript.includes(TEST_TOKEN), provider === 'test', provider)
  }
})
