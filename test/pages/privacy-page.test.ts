import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import type { Challenge } from '../../src/service/challenge/challenge.ts'
import { htmlFaults } from '../support/page-checks.ts'
import { parsePage, attributeOf, unescapeHtml } from '../support/page-markup.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { UNSOLVABLE_CHALLENGE } from '../support/unsolvable-challenge.ts'

const pageOf = (app: RunningApp, locale = 'en'): Promise<string> => app.text(`/${locale}/privacy`)

function challengeOf(description: Challenge['description']): Challenge {
  return { ...UNSOLVABLE_CHALLENGE, description }
}

const { privacy } = TEXTS.en

for (const locale of LOCALES) {
  test(`the page in ${locale} is valid and its contents list every section`, async (t) => {
    const text = await pageOf(await runApp(t), locale)
    assert.deepEqual(await htmlFaults(text), [])
    const page = parsePage(text)
    const contents = page.all('nav.contents a').map((link) => attributeOf(link, 'href'))
    const sections = page
      .all('main section')
      .map((section) => `#${attributeOf(section, 'aria-labelledby')}`)
    assert.deepEqual(contents, sections)
    for (const { what, how } of Object.values(TEXTS[locale].privacy.rows)) {
      const plain = unescapeHtml(text.replaceAll('<wbr />', ''))
      assert.ok(plain.includes(what) && plain.includes(how))
    }
    assert.ok(text.includes(TEXTS[locale].privacy.eraseHow))
  })
}

for (const [contact, shown] of [
  ['mailto:a%2Bb@example.test?subject=x', 'a+b@example.test'],
  ['tel:+1-201-555-0123', '+1-201-555-0123'],
  ['https://example.test/security?a=%zz&b', 'https://example.test/security?a=%zz&b'],
] as const) {
  test(`the contact ${contact} is a link, and so is security.txt`, async (t) => {
    const text = await pageOf(await runApp(t, { securityContact: contact }))
    const links = parsePage(text)
      .all('section[aria-labelledby="report"] a')
      .filter((link) => attributeOf(link, 'href') !== '#report')
      .map((link) => [attributeOf(link, 'href'), link.textContent])
    assert.deepEqual(links, [
      [contact, shown],
      ['/.well-known/security.txt', '/.well-known/security.txt'],
    ])
    assert.ok(!text.includes(privacy.noContact))
  })
}

test('without a contact the page does not link to security.txt', async (t) => {
  const text = await pageOf(await runApp(t))
  assert.ok(text.includes(privacy.noContact))
  assert.ok(!text.includes('security.txt'))
})

for (const provider of ['turnstile', 'hcaptcha'] as const) {
  test(`with ${provider} the page names what the provider learns`, async (t) => {
    const challenge = challengeOf({ provider, path: null, siteKey: 'site' })
    const text = unescapeHtml(await pageOf(await runApp(t, { challenge })))
    const notice = privacy.challenge.hosted.replaceAll('{provider}', privacy.providers[provider])
    assert.ok(text.includes(notice))
    assert.ok(text.includes(privacy.ownButForm))
    assert.ok(!text.includes(privacy.ownOnly) && !text.includes(privacy.challenge.altcha))
  })
}

test('with its own challenge the page names no third party', async (t) => {
  for (const [provider, notice] of [
    ['altcha', privacy.challenge.altcha],
    ['test', privacy.challenge.test],
  ] as const) {
    const challenge = challengeOf({ provider, path: '/challenge', siteKey: null })
    const text = unescapeHtml(await pageOf(await runApp(t, { challenge })))
    assert.ok(text.includes(notice) && text.includes(privacy.ownOnly), provider)
    assert.ok(!text.includes(privacy.ownButForm))
  }
})
