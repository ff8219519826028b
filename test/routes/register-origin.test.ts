import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JSON_TYPE, registerRaw } from '../support/raw-registration.ts'
import { codeOf } from '../support/received-response.ts'
import { GOOD_BODY, runRegisteringApp } from '../support/registering-app.ts'
import { ORIGINS } from './register-origins.ts'

test("accepts a registration only from the service's own pages or without an Origin", async (t) => {
  const app = await runRegisteringApp(t)
  for (const [at, [lines, isAdmitted]] of ORIGINS.entries()) {
    const body = JSON.stringify({ ...GOOD_BODY, email: `reader${at}@example.org` })
    const response = await registerRaw(app, { headers: [...JSON_TYPE, ...lines], body })
    const what = lines.join(' | ')
    assert.equal(response.status, isAdmitted ? 200 : 403, what)
    assert.equal(codeOf(response), isAdmitted ? undefined : 'REQUEST_REJECTED', what)
  }
  assert.equal((await app.entries()).length, ORIGINS.filter(([, isAdmitted]) => isAdmitted).length)
})

test('every refusal has the same text', async (t) => {
  const app = await runRegisteringApp(t)
  const texts = new Set<string>()
  const names = new Set<string>()
  for (const [lines, isAdmitted] of ORIGINS) {
    if (isAdmitted) continue
    const response = await registerRaw(app, { headers: [...JSON_TYPE, ...lines], body: '{}' })
    texts.add(response.bytes.toString().replace(response.header('x-request-id') ?? '', ''))
    names.add(response.headerNames.join())
  }
  assert.equal(texts.size, 1)
  assert.equal(names.size, 1)
})

test("the service's origin is the configured one, not that of Host", async (t) => {
  const app = await runRegisteringApp(t, { parts: { baseUrl: 'https://svc.example' } })
  const body = JSON.stringify(GOOD_BODY)
  const send = (origin: string) =>
    registerRaw(app, { headers: [...JSON_TYPE, `Origin: ${origin}`], body })
  for (const origin of [
    app.origin,
    'http://localhost',
    'http://svc.example',
    'https://svc.example:443',
  ]) {
    assert.equal(codeOf(await send(origin)), 'REQUEST_REJECTED', origin)
  }
  assert.equal((await send('https://svc.example')).status, 200)
})
