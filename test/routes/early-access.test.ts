import assert from 'node:assert/strict'
import { test } from 'node:test'
import { releasesOf } from '../support/made-content.ts'
import { ask, envelopeOf } from '../support/received-response.ts'
import { runApp } from '../support/running-app.ts'
import { assertRead } from '../support/successful-read.ts'

const REGISTER = '/api/v1/early-access/register'
const REGISTRATION = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: '{"email":"reader@example.org","consent":true,"challengeToken":"solved"}',
}

test('the availability says where to register, with which fields and limits', async (t) => {
  const app = await runApp(t)
  const data = await assertRead(app, '/api/v1/early-access', {
    schema: 'EarlyAccess',
    cacheClass: 'short-lived',
  })
  assert.equal(data['state'], 'unavailable')
  assert.deepEqual(data['registration'], {
    method: 'POST',
    path: REGISTER,
    contentType: 'application/json',
    maxBodyBytes: 8192,
  })
  assert.deepEqual(data['form'], {
    required: ['email', 'consent', 'challengeToken'],
    optional: ['locale', 'interests', 'useCase'],
    locales: ['en', 'th', 'zh-CN'],
    interests: [
      'architecture',
      'agents',
      'api',
      'kap-language',
      'k-language',
      'research',
      'developer-tools',
      'early-preview',
      'business',
      'education',
    ],
    maxInterests: 10,
    maxUseCaseLength: 500,
  })
  assert.deepEqual(data['challenge'], { provider: 'altcha', path: null, siteKey: null })
})

test('a waitlist that the operator closed refuses registrations, and its page has no form', async (t) => {
  const text = 'The list closed in May.'
  const thai = { locale: 'th', resources: { 'site/early-access': { text: 'ปิดแล้ว' } } }
  const site = { 'site/early-access': { state: 'closed', text }, 'site/translations/th': thai }
  const served = async (state: 'open' | 'closed') => {
    const stated = { ...site, 'site/early-access': { state, text } }
    const app = await runApp(t, { releases: releasesOf({}, { site: stated }) })
    const { data } = envelopeOf(await ask(app, '/api/v1/early-access'))
    const page = async (locale: string) =>
      (await ask(app, `/${locale}/early-access`)).bytes.toString()
    return { app, data: data, page }
  }
  const closed = await served('closed')
  assert.equal(closed.data['state'], 'unavailable')
  assert.equal(closed.data['note'], text)
  const response = await ask(closed.app, REGISTER, REGISTRATION)
  assert.equal(response.status, 503)
  const { error } = JSON.parse(response.bytes.toString()) as { readonly error: unknown }
  assert.deepEqual(error, {
    code: 'REGISTRATION_UNAVAILABLE',
    status: 503,
    message: `The waitlist is closed, and nothing was stored. ${text}`,
    retryable: true,
  })
  assert.equal(response.header('retry-after'), undefined)
  for (const [locale, shown] of [
    ['en', text],
    ['th', 'ปิดแล้ว'],
    ['zh-CN', text],
  ] as const) {
    const page = await closed.page(locale)
    assert.ok(page.includes(shown), locale)
    assert.doesNotMatch(page, /<form[^>]*id="registration"|early-access-page/)
  }
  const open = await served('open')
  assert.notEqual(open.data['note'], text)
  assert.match(await open.page('en'), /id="registration"/)
})
