import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChallengePage } from '../../src/pages/serving/challenge.ts'
import type { Challenge } from '../../src/service/challenge/challenge.ts'
import { CountersError, type Counters } from '../../src/storage/counters/counters.ts'
import { createMemoryCounters } from '../../src/storage/counters/memory-counters.ts'
import { setClock } from '../storage/counters/counters-behavior.ts'
import { challengeOf } from '../support/challenge-of.ts'

interface Rig {
  readonly page: ReturnType<typeof createChallengePage>
  readonly logged: string[]
}

function rig(
  provider: Challenge['description']['provider'] = 'altcha',
  deployment: 'primary' | 'preview' = 'primary',
  change: Partial<Counters> = {},
): Rig {
  const clock = setClock()
  const counters = { ...createMemoryCounters({ clock }), ...change }
  const challenge = challengeOf(provider, { cost: 1, maxCounter: 2 }, { counters, clock })
  const logged: string[] = []
  const write = (fields: object, message: string) => {
    logged.push(`${message} ${JSON.stringify(fields)}`)
  }
  const log = { debug: write, info: write, warn: write, error: write }
  return { page: createChallengePage({ challenge, deployment, log }), logged }
}

async function ask({ page }: Rig, method: string, target: string) {
  assert.ok(page !== undefined)
  const { status, headers, body } = await page({ method, target })
  const named = new Map<string, string>()
  for (let each = 0; each < headers.length; each += 2) {
    named.set(headers[each] ?? '', headers[each + 1] ?? '')
  }
  assert.equal(named.size, headers.length / 2)
  return { status, named, body }
}

function purposeIn(body: string | undefined): unknown {
  const { parameters } = JSON.parse(body ?? '') as { parameters: { data: { purpose: unknown } } }
  return parameters.data.purpose
}

test('GET returns an uncacheable challenge that other origins cannot read', async () => {
  const { status, named, body } = await ask(rig(), 'GET', '/challenge')
  assert.equal(status, 200)
  assert.deepEqual(Object.fromEntries(named), {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(body?.length),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  assert.equal(purposeIn(body), 'register')
})

test('HEAD returns the headers of GET without a body', async () => {
  const made = rig()
  const head = await ask(made, 'HEAD', '/challenge')
  assert.equal(head.status, 200)
  assert.equal(head.body, undefined)
  const get = await ask(made, 'GET', '/challenge')
  assert.deepEqual([...head.named.keys()], [...get.named.keys()])
})

test('reads the purpose from "for" and ignores other parameters', async () => {
  const made = rig()
  for (const [target, purpose] of [
    ['/challenge?', 'register'],
    ['/challenge?for=register', 'register'],
    ['/challenge?for=issue-key', 'issue-key'],
    ['/challenge?utm=1&for=issue-key&x', 'issue-key'],
    ['/challenge?for=issue%2Dkey', 'issue-key'],
    ['/challenge?%ff%', 'register'],
  ] as const) {
    const { status, body } = await ask(made, 'GET', target)
    assert.equal(status, 200, target)
    assert.equal(purposeIn(body), purpose, target)
  }
  for (const target of [
    '/challenge?for',
    '/challenge?for=',
    '/challenge?for=Register',
    '/challenge?for=register&for=register',
    '/challenge?for=__proto__',
    '/challenge?for=<script>',
  ]) {
    const { status, named, body } = await ask(made, 'GET', target)
    assert.equal(status, 400, target)
    assert.equal(named.get('Cache-Control'), 'no-store')
    assert.deepEqual(JSON.parse(body ?? ''), {
      error: 'Ask with for=register or for=issue-key, or without "for".',
    })
  }
  assert.deepEqual(made.logged, [])
})

test('rejects other methods and lists the allowed ones', async () => {
  const made = rig()
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'get', 'BREW']) {
    const { status, named, body } = await ask(made, method, '/challenge')
    assert.equal(status, 405, method)
    assert.equal(named.get('Allow'), 'GET, HEAD')
    assert.equal(named.get('Cache-Control'), 'no-store')
    assert.deepEqual(JSON.parse(body ?? ''), { error: 'Use GET or HEAD.' })
  }
})

test('hosted challenges have no challenge endpoint', () => {
  for (const provider of ['turnstile', 'hcaptcha', 'test'] as const) {
    assert.equal(rig(provider).page, undefined, provider)
  }
})

test('returns 503 and logs when the counters are unavailable', async () => {
  const made = rig('altcha', 'primary', {
    secret: async () => {
      throw new CountersError('The primary process cannot be reached')
    },
  })
  const { status, named, body } = await ask(made, 'GET', '/challenge?for=issue-key')
  assert.equal(status, 503)
  assert.equal(named.get('Cache-Control'), 'no-store')
  assert.deepEqual(JSON.parse(body ?? ''), {
    error: 'No challenge is available at the moment; try again later.',
  })
  assert.deepEqual(made.logged, [
    'A challenge could not be created {"reason":"The primary process cannot be reached"}',
  ])
})

test('preview responses carry noindex', async () => {
  const made = rig('altcha', 'preview')
  for (const [method, target] of [
    ['GET', '/challenge'],
    ['POST', '/challenge'],
    ['GET', '/challenge?for=x'],
  ] as const) {
    const { named } = await ask(made, method, target)
    assert.equal(named.get('X-Robots-Tag'), 'noindex, nofollow', `${method} ${target}`)
  }
})
