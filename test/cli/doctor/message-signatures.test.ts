import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import { test } from 'node:test'
import type { FindingId } from '@public-api/cli/src/doctor/finding-catalog.ts'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { TEST_BASE_URL, TEST_SIGNING_KEY } from '../../support/running-app.ts'
import {
  deployBehindProxy,
  examine,
  idsOf,
  type Mischief,
  type Passing,
} from './proxied-deployment.ts'

const isAsked = ({ asked, path }: Passing): boolean =>
  path === READ_PATHS.status && asked['accept-signature'] !== undefined
const hasNonce = ({ asked }: Passing): boolean =>
  (asked['accept-signature'] ?? '').includes('nonce')

/** A cache that gives the first response to a path to everyone, also to who asks for a signature. */
function cacheWithoutVary(first: (passing: Passing) => boolean): Mischief {
  let stored: Passing | undefined
  return (passing) => {
    const { method, path, target } = passing
    if (method !== 'GET' || path !== READ_PATHS.status || target.includes('?')) return
    if (hasNonce(passing) || passing.asked['if-none-match'] !== undefined) return
    if (stored === undefined && first(passing)) {
      stored = { ...passing, headers: new Map(passing.headers) }
    } else if (stored !== undefined) {
      Object.assign(passing, { ...stored, headers: new Map(stored.headers) })
    }
  }
}

const edit =
  (name: string, change: (value: string) => string): Mischief =>
  (passing) => {
    const value = passing.headers.get(name)
    if (isAsked(passing) && value !== undefined) passing.headers.set(name, change(value))
  }

const CASES: readonly (readonly [title: string, Mischief, expected: readonly [FindingId]])[] = [
  [
    'a proxy that removes the fields',
    ({ headers }) => {
      headers.delete('signature')
      headers.delete('signature-input')
    },
    ['message-signature-missing'],
  ],
  [
    'another signature',
    edit('signature', (value) => value.replace(/:../, ':AA')),
    ['message-signature-wrong'],
  ],
  [
    'another form',
    edit('signature-input', (value) => `${value};more`),
    ['message-signature-wrong'],
  ],
  ['a cache without Vary, unsigned', cacheWithoutVary(() => true), ['message-signature-vary']],
  ['a cache without Vary, signed', cacheWithoutVary(isAsked), ['message-signature-vary']],
  [
    'a cache that may store a response to a nonce',
    (passing) => {
      if (isAsked(passing) && hasNonce(passing)) passing.headers.set('cache-control', 'public')
    },
    ['message-signature-stored'],
  ],
  [
    'a HEAD with the signature of a GET',
    (passing) => {
      if (isAsked(passing) && passing.method === 'HEAD')
        passing.headers.set('signature', 'svc=:AA==:')
    },
    ['message-signature-derived'],
  ],
]

for (const [title, mischief, expected] of CASES) {
  test(`${title}: ${expected.join()}`, async (t) => {
    const deployed = await deployBehindProxy(t, mischief)
    assert.deepEqual(idsOf(await examine(t, deployed)), expected)
  })
}

/** Signs the responses to requests with Accept-Signature again, for another URI or time. */
function resigned(change: { readonly scheme?: string; readonly laterSeconds?: number }): Mischief {
  return ({ asked, target, method, status, headers }) => {
    const input = headers.get('signature-input')
    if (input === undefined) return
    const { scheme = 'http', laterSeconds = 0 } = change
    const parameters = input
      .slice('svc='.length)
      .replace(/created=(\d+)/, (_all, at: string) => `created=${Number(at) + laterSeconds}`)
    const base = [
      `"@method";req: ${method}`,
      `"@target-uri";req: ${scheme}://${asked.host}${target}`,
      `"@status": ${status}`,
      `"content-digest": ${headers.get('content-digest')}`,
      `"@signature-params": ${parameters}`,
    ].join('\n')
    const signature = sign(null, Buffer.from(base), TEST_SIGNING_KEY).toString('base64')
    headers.set('signature-input', `svc=${parameters}`)
    headers.set('signature', `svc=:${signature}:`)
  }
}

for (const [title, change, expected] of [
  ['as it was', {}, []],
  ['of the other scheme', { scheme: 'https' }, ['message-signature-uri']],
  ['too old', { laterSeconds: -1000 }, ['message-signature-time']],
  ['in the future', { laterSeconds: 120 }, ['message-signature-time']],
] as const) {
  test(`a signature ${title}: ${expected.join() || 'no finding'}`, async (t) => {
    const deployed = await deployBehindProxy(t, resigned(change))
    assert.deepEqual(idsOf(await examine(t, deployed)), expected)
  })
}

test('a signature of another host than the configured one is not valid for the requested one', async (t) => {
  const deployed = await deployBehindProxy(t, undefined, { baseUrl: TEST_BASE_URL })
  assert.ok(idsOf(await examine(t, deployed)).includes('message-signature-wrong'))
})

test('an older service that does not offer them is not accused', async (t) => {
  const deployed = await deployBehindProxy(t, (passing) => {
    for (const name of ['signature', 'signature-input']) passing.headers.delete(name)
    const vary = passing.headers.get('vary')
    if (vary !== undefined) passing.headers.set('vary', 'Authorization, X-SVC-Key')
    if (passing.path !== READ_PATHS.index) return
    const text = passing.body
      .toString()
      .replace(/"registryVersion":"[^"]+"/, '"registryVersion":"1.0.0"')
    passing.body = Buffer.from(text)
  })
  const { checks } = await examine(t, deployed)
  const found = checks.find(({ check }) => check === 'message signatures')
  assert.match(found?.notRun ?? '', /does not offer them/)
})
