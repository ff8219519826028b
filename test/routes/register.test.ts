import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Locale } from '@public-api/contract/terms/locales'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { JSON_TYPE, registerRaw } from '../support/raw-registration.ts'
import {
  assertSigned,
  codeOf,
  publishedKey,
  type ReceivedResponse,
} from '../support/received-response.ts'
import { GOOD_BODY, REGISTER, runRegisteringApp } from '../support/registering-app.ts'
import { OWN_ORIGIN } from './register-origins.ts'

const TICKET = /^EA-[0-9A-F]{16}$/

/** A success's data; fails for any other response. */
function resultOf(response: ReceivedResponse): {
  readonly ticket: string
  readonly status: string
  readonly message: string
} {
  const text = response.bytes.toString()
  assert.equal(response.status, 200, text)
  assert.equal(codeOf(response), undefined, text)
  return (JSON.parse(text) as { data: ReturnType<typeof resultOf> }).data
}

test('a registration gets a ticket in its own envelope, signed and uncacheable', async (t) => {
  const app = await runRegisteringApp(t)
  const headers = [...JSON_TYPE, `Origin: ${OWN_ORIGIN}`]
  const response = await registerRaw(app, { headers, body: JSON.stringify(GOOD_BODY) })
  const { ticket, status, message } = resultOf(response)
  assert.match(ticket, TICKET)
  assert.equal(status, 'WAITING')
  assert.match(message, /^[A-Z].*\.$/)
  assert.equal(
    response.bytes.toString(),
    JSON.stringify({
      ok: true,
      schema: 'svc.public.early-access.registration.v1',
      requestId: response.header('x-request-id'),
      issuedAt: new Date(app.clock.ms).toISOString(),
      // Canonical JSON, as everywhere: members in the order of their names.
      data: { message, status, ticket },
    }),
  )
  assertSigned(response, await publishedKey(app))
  assert.equal(response.header('cache-control'), 'no-store')
  assert.deepEqual(response.headerNames.toSorted(), [
    'Cache-Control',
    'Connection',
    'Content-Digest',
    'Content-Length',
    'Content-Type',
    'Date',
    'X-Request-Id',
    'X-SVC-API-Version',
    'X-SVC-Signature',
    'X-SVC-Signed-At',
  ])
})

/** The statement of the form in a locale, as it is stored: without the marks of line breaking. */
function consentIn(locale: Locale) {
  const text = TEXTS[locale].earlyAccess.form.consent.replaceAll(/[\u2060\u200b]/g, '')
  return { version: createHash('sha256').update(text).digest('hex').slice(0, 16), text }
}

test('the stored row decrypts to what was sent, with the consent statement in its locale', async (t) => {
  const app = await runRegisteringApp(t)
  const whole = {
    email: ' Reader.Name+List@BÜCHER.example ',
    locale: 'th',
    interests: ['research', 'api', 'kap-language'],
    useCase: ' 镜像版本历史 😀\nบรรทัดที่สอง ',
    consent: true,
    challengeToken: 'test-pass',
  }
  const first = resultOf(await app.register(whole))
  app.clock.ms += 1234
  const second = resultOf(await app.register(GOOD_BODY))
  assert.deepEqual(await app.entries(), [
    {
      ticket: first.ticket,
      email: 'Reader.Name+List@xn--bcher-kva.example',
      locale: 'th',
      interests: ['research', 'api', 'kap-language'],
      useCase: ' 镜像版本历史 😀\nบรรทัดที่สอง ',
      registeredAt: new Date(app.clock.ms - 1234).toISOString(),
      consent: consentIn('th'),
    },
    {
      ticket: second.ticket,
      email: 'reader@example.org',
      locale: 'en',
      interests: [],
      useCase: null,
      registeredAt: new Date(app.clock.ms).toISOString(),
      consent: consentIn('en'),
    },
  ])
})

test('tickets are unique and independent of the address', async (t) => {
  const app = await runRegisteringApp(t)
  const tickets = new Set<string>()
  for (let count = 0; count < 50; count += 1) {
    const { ticket } = resultOf(
      await app.register({ ...GOOD_BODY, email: `reader${count}@example.org` }),
    )
    assert.match(ticket, TICKET)
    tickets.add(ticket)
  }
  assert.equal(tickets.size, 50)
  const other = await runRegisteringApp(t)
  const { ticket } = resultOf(await other.register({ ...GOOD_BODY, email: 'reader0@example.org' }))
  assert.ok(!tickets.has(ticket))
})

test('status and headers do not reveal a known address', async (t) => {
  const app = await runRegisteringApp(t)
  const body = JSON.stringify(GOOD_BODY)
  const added = await registerRaw(app, { body })
  const known = await registerRaw(app, { body })
  resultOf(added)
  assert.equal(codeOf(known), 'DUPLICATE')
  assert.equal(known.status, added.status)
  assert.deepEqual(known.headerNames, added.headerNames)
  // The same values too, but for those that no two responses have in common.
  for (const name of added.headerNames.map((each) => each.toLowerCase())) {
    const isOfOne = ['date', 'content-length', 'x-request-id', 'content-digest', 'x-svc-signature']
    if (!isOfOne.includes(name)) assert.equal(known.header(name), added.header(name), name)
  }
  assertSigned(known, await publishedKey(app))
})

test('of concurrent registrations of one address, one gets the ticket', async (t) => {
  const app = await runRegisteringApp(t)
  const spellings = [
    'reader@bücher.example',
    'READER@BÜCHER.EXAMPLE',
    ' reader@xn--bcher-kva.example',
  ]
  for (const count of [2, 30]) {
    const responses = await Promise.all(
      Array.from({ length: count }, (_, at) =>
        app.register({ ...GOOD_BODY, email: `${count}.${spellings[at % 3]?.trim()}` }),
      ),
    )
    const refused = responses.filter((response) => codeOf(response) !== undefined)
    assert.deepEqual(
      refused.map(codeOf),
      Array.from({ length: count - 1 }, () => 'DUPLICATE'),
    )
    const accepted = responses.find((response) => codeOf(response) === undefined)
    assert.ok(accepted)
    const entries = await app.entries()
    assert.equal(entries.at(-1)?.ticket, resultOf(accepted).ticket)
  }
  assert.equal((await app.entries()).length, 2)
})

test('stores concurrent registrations of different addresses', async (t) => {
  const app = await runRegisteringApp(t)
  const emails = Array.from({ length: 40 }, (_, at) => `reader${at}@example.org`)
  const responses = await Promise.all(emails.map((email) => app.register({ ...GOOD_BODY, email })))
  const tickets = responses.map((response) => resultOf(response).ticket)
  const entries = await app.entries()
  assert.deepEqual(entries.map(({ email }) => email).toSorted(), emails.toSorted())
  assert.deepEqual(entries.map(({ ticket }) => ticket).toSorted(), tickets.toSorted())
})

test('a missing locale defaults to that of the page, of Accept-Language, or English', async (t) => {
  const app = await runRegisteringApp(t)
  // test/http/request-locale.test.ts has the rules of both headers.
  const cases = [
    ['th', `Referer: ${OWN_ORIGIN}/en/`, 'th'],
    [undefined, `Referer: ${OWN_ORIGIN}/th/early-access\r\nAccept-Language: zh`, 'th'],
    [undefined, 'Referer: https://other.example/th/\r\nAccept-Language: zh', 'zh-CN'],
    [undefined, 'Accept-Language: th;q=0.4\r\nAccept-Language: zh;q=0.5', 'zh-CN'],
    [undefined, 'X-Locale: th', 'en'],
  ] as const
  for (const [at, [locale, header]] of cases.entries()) {
    const body = JSON.stringify({ ...GOOD_BODY, email: `reader${at}@example.org`, locale })
    resultOf(await registerRaw(app, { headers: [...JSON_TYPE, header], body }))
  }
  assert.deepEqual(
    (await app.entries()).map((entry) => entry.locale),
    cases.map(([, , locale]) => locale),
  )
})

test('the query is signed and otherwise ignored', async (t) => {
  const app = await runRegisteringApp(t)
  const target = `${REGISTER}?email=other@example.org&consent=false&locale=th`
  const response = await registerRaw(app, { target, body: JSON.stringify(GOOD_BODY) })
  resultOf(response)
  assertSigned(response, await publishedKey(app))
  const [entry] = await app.entries()
  assert.equal(entry?.email, 'reader@example.org')
  assert.equal(entry.locale, 'en')
})
