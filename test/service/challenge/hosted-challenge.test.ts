import assert from 'node:assert/strict'
import { type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { ChallengeUnavailableError } from '../../../src/service/challenge/challenge.ts'
import {
  createHostedChallenge,
  type HostedOptions,
} from '../../../src/service/challenge/hosted-challenge.ts'
import { CountersError } from '../../../src/storage/counters/counters.ts'
import { createMemoryCounters } from '../../../src/storage/counters/memory-counters.ts'
import { setClock } from '../../storage/counters/counters-behavior.ts'
import { serve, silentOrigin } from '../../support/loopback-server.ts'

const TOKEN = 'visitor-token-1'
const SECRET = 'server-secret-1'

interface Asked {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly form: readonly (readonly [string, string])[]
}

/** A stand-in for a provider; `respond` answers a request whose body was read. */
async function provider(
  t: TestContext,
  respond: (response: ServerResponse) => void,
): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = []
  const origin = await serve(t, (request, response) => {
    const { method, url, headers } = request
    void text(request).then((body) => {
      asked.push({ method, url, headers, form: [...new URLSearchParams(body)] })
      respond(response)
    })
  })
  return { url: `${origin}/siteverify`, asked }
}

function says(body: unknown, status = 200): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

function rig(verifyUrl: string, overrides: Partial<HostedOptions> = {}) {
  const clock = setClock()
  const counters = createMemoryCounters({ clock })
  const challenge = createHostedChallenge({
    provider: 'turnstile',
    siteKey: 'site-key-1',
    secret: SECRET,
    verifyUrl,
    counters,
    clock,
    deadlineMs: 20_000,
    ...overrides,
  })
  return { challenge, counters, clock }
}

/** Unavailable; and the logged message contains nothing secret. */
function isUnavailable(message: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof ChallengeUnavailableError, String(error))
    assert.match(error.message, message)
    const shown = `${error.message} ${error.stack} ${String(error.cause)}`
    assert.ok(!shown.includes(TOKEN) && !shown.includes(SECRET))
    return true
  }
}

const isFailed = { name: 'ApiError', code: 'CHALLENGE_FAILED' }

test('sends the provider only the token and the keys', async (t) => {
  for (const name of ['turnstile', 'hcaptcha'] as const) {
    const { url, asked } = await provider(t, says({ success: true }))
    const { challenge } = rig(url, { provider: name })
    await challenge.verify(TOKEN, 'register')
    assert.equal(asked.length, 1)
    const [{ method, url: target, headers, form } = assert.fail()] = asked
    assert.equal(method, 'POST')
    assert.equal(target, '/siteverify')
    assert.match(headers['content-type'] ?? '', /^application\/x-www-form-urlencoded/)
    assert.deepEqual(form, [
      ['secret', SECRET],
      ['response', TOKEN],
      ...(name === 'hcaptcha' ? [['sitekey', 'site-key-1']] : []),
    ])
  }
})

test('spends an accepted token, also for two concurrent requests', async (t) => {
  const { url } = await provider(t, says({ success: true, 'error-codes': [] }))
  const { challenge, counters, clock } = rig(url)
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, () => challenge.verify(TOKEN, 'register')),
  )
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  const accepted = outcomes.find((each) => each.status === 'fulfilled')
  // The provider takes it only once, so there is nothing to give back.
  await accepted?.value.release()
  clock.now += 9 * 60_000
  await assert.rejects(challenge.verify(TOKEN, 'register'), isFailed)
  assert.equal(counters.size(), 1)
})

test('a refused token is a failed challenge and is not remembered', async (t) => {
  for (const codes of [
    ['invalid-input-response'],
    ['timeout-or-duplicate'],
    ['already-seen-response'],
    ['a-code-of-tomorrow'],
    [],
    undefined,
    'no list',
    [7, null, { toString: 1 }],
  ]) {
    const { url } = await provider(t, says({ success: false, 'error-codes': codes }))
    const { challenge, counters } = rig(url)
    await assert.rejects(challenge.verify(TOKEN, 'register'), isFailed)
    assert.equal(counters.size(), 0)
  }
})

test('an impossible token is refused without a request to the provider', async (t) => {
  const { url, asked } = await provider(t, says({ success: false, 'error-codes': ['bad-request'] }))
  const { challenge, counters } = rig(url)
  for (const token of [
    '',
    'x'.repeat(4097),
    'two words',
    ' token',
    'token\n',
    'to\0ken',
    'to\u007fken',
    'tøken',
    '😀',
    '\ud800',
  ]) {
    await assert.rejects(challenge.verify(token, 'register'), isFailed, JSON.stringify(token))
  }
  assert.equal(asked.length, 0)
  assert.equal(counters.size(), 0)
})

test('sends the longest token of any printable characters unchanged', async (t) => {
  const { url, asked } = await provider(t, says({ success: true }))
  const printable = String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 33 + index))
  const token = printable.repeat(44).slice(0, 4096)
  await rig(url).challenge.verify(token, 'register')
  assert.deepEqual(asked[0]?.form[1], ['response', token])
})

test('invalid provider keys are an outage, not a failed challenge', async (t) => {
  for (const code of [
    'missing-input-secret',
    'invalid-input-secret',
    'sitekey-secret-mismatch',
    'invalid-sitekey',
    'not-using-dummy-passcode',
    'not-using-dummy-secret',
    'bad-request',
    'internal-error',
  ]) {
    const codes = ['invalid-input-response', code]
    const { url } = await provider(t, says({ success: false, 'error-codes': codes }))
    await assert.rejects(
      rig(url).challenge.verify(TOKEN, 'register'),
      isUnavailable(new RegExp(`^The verification service of turnstile .* \\(${code}\\)$`)),
    )
  }
})

test('refuses a Turnstile token for another action', async (t) => {
  for (const [action, isAccepted] of [
    ['register', true],
    ['', true],
    [null, true],
    ['issue-key', false],
    ['login', false],
  ] as const) {
    const { url } = await provider(t, says({ success: true, action }))
    const call = rig(url).challenge.verify(TOKEN, 'register')
    await (isAccepted ? call : assert.rejects(call, isFailed))
  }
})

test('an invalid response is an outage, and its message contains nothing of the token', async (t) => {
  const cases: readonly (readonly [string, (response: ServerResponse) => void, RegExp])[] = [
    ['HTML', says('<!doctype html><title>Sorry</title>'), /sent an invalid response$/],
    ['nothing', says(''), /sent an invalid response$/],
    ['truncated JSON', says('{"success":true,'), /sent an invalid response$/],
    ['a text for a boolean', says({ success: 'true' }), /sent an invalid response$/],
    ['a number for a boolean', says({ success: 1 }), /sent an invalid response$/],
    ['no success', says({ 'error-codes': [] }), /sent an invalid response$/],
    ['null', says('null'), /sent an invalid response$/],
    ['a list', says('[true]'), /sent an invalid response$/],
    ['true', says('true'), /sent an invalid response$/],
    ['too much', says({ success: true, pad: 'x'.repeat(20_000) }), /sent an invalid response$/],
    [
      'too much once unpacked',
      (response) => {
        response.writeHead(200, { 'Content-Encoding': 'gzip' })
        response.end(gzipSync(JSON.stringify({ success: true, pad: 'x'.repeat(10_000_000) })))
      },
      /sent an invalid response$/,
    ],
    [
      'no UTF-8',
      (response) => response.end(Buffer.from('{"success":true,"pad":"\u00ff"}', 'latin1')),
      /sent an invalid response$/,
    ],
    ['status 500', says({ success: true }, 500), /responded with status 500$/],
    ['status 429', says({ success: false }, 429), /responded with status 429$/],
    ['status 201', says({ success: true }, 201), /responded with status 201$/],
    [
      'a body that breaks off',
      (response) => {
        response.writeHead(200, { 'Content-Length': '100' })
        response.write('{"success":true')
        setImmediate(() => response.destroy())
      },
      /could not be reached/,
    ],
  ]
  for (const [what, response, message] of cases) {
    const { url } = await provider(t, response)
    const { challenge, counters } = rig(url)
    await assert.rejects(challenge.verify(TOKEN, 'register'), isUnavailable(message), what)
    assert.equal(counters.size(), 0, what)
  }
})

test('a redirect is not followed, so the secret is sent nowhere else', async (t) => {
  const elsewhere = await provider(t, says({ success: true }))
  for (const status of [301, 302, 303, 307, 308]) {
    const { url } = await provider(t, (response) => {
      response.writeHead(status, { Location: elsewhere.url })
      response.end()
    })
    await assert.rejects(
      rig(url).challenge.verify(TOKEN, 'register'),
      isUnavailable(new RegExp(`responded with status ${status}$`)),
    )
  }
  assert.equal(elsewhere.asked.length, 0)
})

test('a provider that does not respond in time, or stops midway', async (t) => {
  const silent = await provider(t, () => {})
  const halting = await provider(t, (response) => {
    response.writeHead(200)
    response.write('{"success"')
  })
  for (const { url } of [silent, halting]) {
    await assert.rejects(
      rig(url, { deadlineMs: 50 }).challenge.verify(TOKEN, 'register'),
      isUnavailable(/did not respond within 50 ms$/),
    )
  }
  assert.equal(silent.asked.length, 1)
})

test('a provider that responds slowly but in time', async (t) => {
  const { url } = await provider(t, (response) => {
    response.writeHead(200)
    response.write('{"succ')
    setTimeout(() => response.end('ess":true}'), 50)
  })
  await rig(url).challenge.verify(TOKEN, 'register')
})

test('an unreachable provider is an outage', async () => {
  await assert.rejects(
    rig(`${await silentOrigin()}/`).challenge.verify(TOKEN, 'register'),
    isUnavailable(/could not be reached \(ECONNREFUSED\)$/),
  )
})

test('without counters a valid token is an outage', async (t) => {
  const { url } = await provider(t, says({ success: true }))
  const { counters } = rig(url)
  const gone = new CountersError('gone')
  const { challenge } = rig(url, {
    counters: { ...counters, spend: () => Promise.reject(gone) },
  })
  await assert.rejects(challenge.verify(TOKEN, 'register'), gone)
})
