import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { test, type TestContext } from 'node:test'
import { formatSuccess, SCHEMA_IDS } from '@public-api/contract/http/envelope'
import { createChallengePage } from '../../src/pages/serving/challenge.ts'
import { describeEarlyAccess } from '../../src/routes/early-access.ts'
import type { Challenge, ChallengeDescription } from '../../src/service/challenge/challenge.ts'
import { createMemoryCounters } from '../../src/storage/counters/memory-counters.ts'
import { setClock } from '../storage/counters/counters-behavior.ts'
import { challengeOf } from '../support/challenge-of.ts'
import { serve, silentOrigin } from '../support/loopback-server.ts'
import { runRegisteringApp } from '../support/registering-app.ts'
import { argsOf, failedWith, succeeded, svc } from '../support/run-svc.ts'
import { runTamperingProxy } from '../support/tampering-proxy.ts'

const IDENTITY = {
  requestId: '3f2c8a5e-0000-4000-8000-000000000000',
  issuedAt: '2026-05-01T12:00:00.000Z',
}

interface Deployment {
  readonly origin: string
  readonly challenge: Challenge
  readonly targets: string[]
}

/** What of a deployment the command sees: whether registration is open, and the page of challenges. */
async function deploy(
  t: TestContext,
  provider: ChallengeDescription['provider'],
  state: 'open' | 'unavailable' = 'open',
  change: Partial<ChallengeDescription> = {},
): Promise<Deployment> {
  const clock = setClock()
  const work = { cost: 10, maxCounter: 200 }
  const challenge = challengeOf(provider, work, {
    counters: createMemoryCounters({ clock }),
    clock,
  })
  const write = () => {}
  const log = { debug: write, info: write, warn: write, error: write }
  const page = createChallengePage({ challenge, deployment: 'primary', log })
  const targets: string[] = []
  const origin = await serve(t, (request, response) => {
    const { method = '', url: target = '' } = request
    targets.push(target)
    if (target === '/api/v1/early-access') {
      const note = state === 'open' ? undefined : 'The list ends with May.\n\u202e'
      const data = describeEarlyAccess(state, { ...challenge.description, ...change }, note)
      response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' })
      response.end(formatSuccess(SCHEMA_IDS.response, IDENTITY, JSON.stringify(data)))
    } else if (page !== undefined && target.startsWith('/challenge')) {
      void page({ method, target }).then(({ status, headers, body }) => {
        response.writeHead(status, [...headers])
        response.end(body)
      })
    } else {
      response.writeHead(404, { 'Content-Type': 'text/html' })
      response.end('<h1>Page not found</h1>')
    }
  })
  return { origin, challenge, targets }
}

test('solves an ALTCHA challenge and prints only its token', async (t) => {
  const { origin, challenge, targets } = await deploy(t, 'altcha')
  for (const [address, purpose, options] of [
    [origin, 'register', []],
    [`${origin}/`, 'register', ['--for', 'register']],
    [`${origin}/api/v1`, 'issue-key', ['--for=issue-key']],
    [`${origin}/api/v1/`, 'issue-key', ['--for', 'issue-key']],
  ] as const) {
    const { status, out, error } = await svc(
      ...argsOf('waitlist join --token-only'),
      address,
      ...options,
    )
    assert.equal(error, '')
    assert.equal(status, 0)
    assert.match(out, /^[A-Za-z0-9+/]+=*\n$/)
    await challenge.verify(out.trim(), purpose)
    assert.equal(targets.pop(), `/challenge?for=${purpose}`)
    assert.equal(targets.pop(), '/api/v1/early-access')
  }
})

test('reports the provider and the expiry with --json', async (t) => {
  const altcha = await deploy(t, 'altcha')
  const solved = succeeded(await svc('waitlist', 'join', '--token-only', altcha.origin, '--json'))
  const { token, ...rest } = JSON.parse(solved) as { token: string }
  assert.deepEqual(rest, { ok: true, provider: 'altcha', expiresAt: '2026-05-01T12:10:00.000Z' })
  await altcha.challenge.verify(token, 'register')

  const { origin } = await deploy(t, 'test')
  const { out } = await svc('waitlist', 'join', '--token-only', origin, '--json')
  assert.deepEqual(JSON.parse(out), {
    ok: true,
    provider: 'test',
    token: 'test-pass',
    expiresAt: null,
  })
})

test('refuses a field before it asks for a challenge', async (t) => {
  const { origin, targets } = await deploy(t, 'altcha')
  for (const [code, email, ...options] of [
    ['INVALID_EMAIL', 'a@b'],
    ['INVALID_USE_CASE', 'a@example.org', '--use-case', 'x'.repeat(10_000)],
  ] as const) {
    const joined = await svc(
      ...argsOf('waitlist join --consent --json --email'),
      email,
      ...options,
      origin,
    )
    failedWith(1, joined)
    assert.equal((JSON.parse(joined.out) as { code: string }).code, code)
  }
  assert.deepEqual(targets, [])
})

test('reports that a hosted challenge needs a browser, and why a waitlist is closed', async (t) => {
  for (const provider of ['turnstile', 'hcaptcha'] as const) {
    const { origin } = await deploy(t, provider)
    assert.deepEqual(await svc('waitlist', 'join', '--token-only', origin), {
      status: 1,
      out: '',
      error: `error: ${origin} uses ${provider}, which is solved in a browser; open ${origin}/ there\n`,
    })
  }
  const { origin } = await deploy(t, 'altcha', 'unavailable')
  const message = `${origin} does not accept registrations now: The list ends with May. \\u202e`
  assert.deepEqual(await svc('waitlist', 'join', '--token-only', origin, '--json'), {
    status: 1,
    out: `${JSON.stringify({ ok: false, code: 'CLOSED', message })}\n`,
    error: `error: ${message}\n`,
  })
})

test('fetches a challenge only from the deployment itself', async (t) => {
  for (const path of ['http://127.0.0.1:9/challenge', '//127.0.0.1:9/challenge', 'data:,x', null]) {
    const { origin, targets } = await deploy(t, 'altcha', 'open', { path })
    const { status, out, error } = await svc('waitlist', 'join', '--token-only', origin)
    assert.deepEqual([status, out], [1, ''])
    assert.match(error, /^error: .* does not name a challenge path .*\n$/)
    assert.deepEqual(targets, ['/api/v1/early-access'])
  }
})

test('reports a response of another service in one line', async (t) => {
  const json =
    (text: string, status = 200): RequestListener =>
    (_request, response) => {
      response.writeHead(status, { 'Content-Type': 'application/json' })
      response.end(text)
    }
  const envelope = (data: unknown) =>
    json(formatSuccess(SCHEMA_IDS.response, IDENTITY, JSON.stringify(data)))
  const cases: readonly (readonly [string, RequestListener, RegExp])[] = [
    ['HTML', (_request, response) => response.end('<h1>Hello</h1>'), /did not return JSON/],
    ['404', json('{}', 404), /responded with status 404, expected 200/],
    ['503', json('{"ok":false}', 503), /responded with status 503, expected 200/],
    [
      'a redirect',
      (_request, response) => response.writeHead(301, { Location: 'http://127.0.0.1:9/' }).end(),
      /redirects \(status 301\)/,
    ],
    [
      'other JSON',
      json('{"data":{"challenge":{"provider":"test"}}}'),
      /not a response of this service/,
    ],
    ['broken JSON', json('{"ok":true,'), /is not a response of this service/],
    ['null', json('null'), /is not a response of this service/],
    ['no challenge', envelope({ state: 'open' }), /is not a response of this service/],
    ['null in it', envelope(null), /is not a response of this service/],
    [
      'a challenge of tomorrow',
      envelope({ state: 'open', challenge: { provider: '\u001B[31mred' } }),
      /a challenge that this program does not support/,
    ],
  ]
  await Promise.all(
    cases.map(async ([what, onRequest, message]) => {
      const origin = await serve(t, onRequest)
      const { status, out, error } = await svc('waitlist', 'join', '--token-only', origin)
      assert.deepEqual([status, out], [1, ''], what)
      assert.match(error, /^error: [^\n]+\n$/, what)
      assert.ok(!error.includes('\u001B'), what)
      assert.match(error, message, what)
    }),
  )
})

test('reports a deployment that is absent as unreachable', async () => {
  const refusing = await silentOrigin()
  const message = `${refusing}/api/v1/early-access could not be reached: nothing listens there`
  assert.deepEqual(await svc('waitlist', 'join', '--token-only', refusing), {
    status: 3,
    out: '',
    error: `error: ${message}\n`,
  })
  const { status, out } = await svc('waitlist', 'join', '--token-only', refusing, '--json')
  assert.equal(status, 3)
  assert.deepEqual(JSON.parse(out), { ok: false, code: 'UNREACHABLE', message })
})

test('an invalid or too expensive challenge is not solved', async (t) => {
  const parameters = {
    algorithm: 'PBKDF2/SHA-256',
    cost: 1,
    keyLength: 32,
    keyPrefix: '00',
    nonce: '00',
    salt: '00',
  }
  const of = (change: object) =>
    JSON.stringify({ parameters: { ...parameters, ...change }, signature: 'x' })
  const cases: readonly (readonly [text: string, message: RegExp, options?: readonly string[]])[] =
    [
      ['<h1>', /expected an ALTCHA challenge as JSON; challenge: expected the type object/],
      ['null', /expected an ALTCHA challenge as JSON; challenge: expected the type object/],
      ['{"parameters":null}', /challenge\/signature: expected this member/],
      [of({ algorithm: 'ARGON2ID' }), /\/algorithm: expected one of PBKDF2/],
      [of({ algorithm: ['PBKDF2/SHA-256'] }), /\/algorithm: expected one of PBKDF2/],
      [of({ cost: 2_000_000_000 }), /\/cost: expected at most 1000000/],
      [of({ keyLength: 1e9 }), /\/keyLength: expected at most 64/],
      [of({ keyPrefix: '' }), /\/keyPrefix: expected text/],
      [of({ keyLength: 1, keyPrefix: '0000' }), /whose keyPrefix fits its keyLength/],
      [of({ nonce: 'zz' }), /\/nonce: expected text/],
      [of({ expiresAt: 'soon' }), /\/expiresAt: expected the type integer/],
      [of({ keyPrefix: '00'.repeat(32) }), /no solution was found within 1 s/, ['--timeout=1']],
    ]
  const data = describeEarlyAccess('open', {
    provider: 'altcha',
    path: '/challenge',
    siteKey: null,
  })
  for (const [text, message, options = []] of cases) {
    const origin = await serve(t, ({ url }, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' })
      const isChallenge = url?.startsWith('/challenge') === true
      const envelope = formatSuccess(SCHEMA_IDS.response, IDENTITY, JSON.stringify(data))
      response.end(isChallenge ? text : envelope)
    })
    const { status, out, error } = await svc('waitlist', 'join', '--token-only', origin, ...options)
    assert.deepEqual([status, out], [1, ''], text)
    assert.match(error, /^error: the challenge of [^\n]+ cannot be solved: [^\n]+\n$/)
    assert.match(error, message)
  }
})

test('registers an address with the challenge solved, and verifies the response', async (t) => {
  const app = await runRegisteringApp(t)
  app.clock.ms = Date.now()
  const args = ['waitlist', 'join', app.origin, '--email', 'ada@example.org']
  const joined = await svc(...args, '--consent', '--interest', 'api', '--use-case', 'To read.')
  assert.deepEqual([joined.status, joined.error], [0, ''])
  assert.match(joined.out, /^Registered\. The ticket is EA-[0-9A-F]{16}\.\n$/)
  const again = await svc(...args, '--consent', '--json')
  assert.deepEqual(JSON.parse(again.out), { ok: true, outcome: 'DUPLICATE', ticket: null })
  const refused = failedWith(1, await svc(...args.with(4, 'no address'), '--consent'))
  assert.match(refused, /^error: http[^\n]+\n$/)
  let limited = again
  while (limited.status === 0) limited = await svc(...args, '--consent', '--json')
  assert.equal(limited.status, 3)
  const { retryAfterSeconds } = JSON.parse(limited.out) as { retryAfterSeconds: number }
  assert.ok(retryAfterSeconds > 0)
  assert.match(
    limited.error,
    new RegExp(`: RATE_LIMITED: .* \\(Retry-After: ${retryAfterSeconds}\\)\n$`),
  )
  const [entry, ...others] = await app.entries()
  assert.deepEqual(others, [])
  assert.partialDeepStrictEqual(entry, { email: 'ada@example.org', interests: ['api'] })
})

test('says that a registration without a signed response may be repeated', async (t) => {
  const app = await runRegisteringApp(t)
  app.clock.ms = Date.now()
  const proxy = await runTamperingProxy(t, app.origin)
  const change: { status?: number; headers?: Map<string, string> } = {}
  proxy.tamper = (response) => {
    if (response.method === 'POST') Object.assign(response, change)
  }
  const join = () =>
    svc('waitlist', 'join', proxy.origin, '--email', 'ada@example.org', '--consent', '--json')
  change.headers = new Map([['content-type', 'text/html']])
  for (const [status, exit] of [
    [504, 3],
    [429, 3],
    [302, 1],
    [200, 1],
  ] as const) {
    change.status = status
    const joined = await join()
    assert.equal(joined.status, exit, `${status}`)
    assert.match(joined.error, /; joining again is safe: each address is listed once\n$/)
  }
  proxy.tamper = () => {}
  assert.deepEqual(JSON.parse((await join()).out), { ok: true, outcome: 'DUPLICATE', ticket: null })
})

test('wrong usage exits with 2 and one line', async () => {
  const url = 'http://127.0.0.1:9'
  const token = '--token-only'
  const cases: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [[token], /expected one URL of a service/],
    [[url], /expected either --email ADDRESS or --token-only/],
    [[url, token, '--email', 'a@example.org'], /expected either --email ADDRESS or --token-only/],
    [[url, '--email', 'a@example.org'], /expected --consent beside --email/],
    [[url, '--email', 'a@example.org', '--consent', '--for=issue-key'], /--for needs --token-only/],
    [[url, '--email', 'a@example.org', '--consent', '--interest', 'x'], /--interest expects arch/],
    [[url, 'more', token], /expected one URL/],
    [['127.0.0.1:9', token], /expected the URL of a deployment, such as/],
    [['example', token], /expected the URL of a deployment, such as/],
    [['ftp://127.0.0.1', token], /expected the URL of a deployment, such as/],
    [['file:///etc/passwd', token], /expected the URL of a deployment, such as/],
    [['http://me:word@127.0.0.1', token], /expected the URL of a deployment, such as/],
    [['http://127.0.0.1/?a', token], /expected the URL of a deployment, such as/],
    [['http://127.0.0.1/api/v2', token], /expected the URL of a deployment, such as/],
    [[url, token, '--for', 'x'], /--for expects register or issue-key/],
    [[url, token, '--timeout', '0'], /--timeout expects whole seconds/],
    [[url, token, '--timeout', '1e3'], /--timeout expects whole seconds/],
    [[url, token, '--jsn'], /unknown option '--jsn'; did you mean --json\?/],
  ]
  for (const [args, message] of cases) {
    const { status, out, error } = await svc('waitlist', 'join', ...args)
    assert.deepEqual([status, out], [2, ''], args.join(' '))
    assert.match(error, /^error: [^\n]+\n$/)
    assert.match(error, message)
    assert.ok(!error.includes('word'))
  }
})
