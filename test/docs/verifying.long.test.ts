import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test, type TestContext } from 'node:test'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import { documentedBlocks } from '../support/documented-blocks.ts'
import { madeHistory } from '../support/made-releases.ts'
import { succeeded } from '../support/run-svc.ts'
import { otherSigningKey, runApp, TEST_SIGNING_KEY, testSigning } from '../support/running-app.ts'
import type { Vector } from '../support/vector.ts'
import { openLyingProxy, type Lie, type Latin1Response } from './lying-proxy.ts'
import {
  clientCommands,
  missingProgram,
  missingPython,
  openGoFolder,
  PYTHON,
  runCommand,
} from './verifiers.ts'

const go = openGoFolder()
after(() => go.close())
const PIN = derivePublicSigningKey(TEST_SIGNING_KEY).keyId
const STATUS = '/api/v1/status'

function read(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
}

/** The service by the machine's clock, which is the one that the programs read, or some seconds beside it. */
function runService(t: TestContext, { aheadSeconds = 0, ...parts }: RunOptions = {}) {
  return runApp(t, { clock: { nowMs: () => Date.now() + aheadSeconds * 1000 }, ...parts })
}

/** What a service is asked, and with which parts it runs. */
type Attempt = RunOptions & { readonly target?: string; readonly etag?: readonly string[] }

type RunOptions = { readonly aheadSeconds?: number } & NonNullable<Parameters<typeof runApp>[1]>

/** Applies to the response that the test is about, and leaves the key document alone. */
function onlyFor(target: string, change: Change): Lie {
  return { change: (response) => void (response.target === target && change(response)) }
}

/** Changes one letter of a header. */
function bend({ headers }: Latin1Response, name: string): void {
  const value = headers.get(name)
  assert.ok(value !== undefined && value.length > 40, `there is ${name}`)
  const at = value.length - 20
  const letter = value[at] === 'A' ? 'B' : 'A'
  headers.set(name, `${value.slice(0, at)}${letter}${value.slice(at + 1)}`)
}

/** Puts header fields of another response into this one. */
function put(response: Latin1Response, { headers }: Response, ...names: readonly string[]): void {
  for (const name of names) response.headers.set(name, headers.get(name) ?? '')
}

const SIGNATURE_HEADERS = ['content-digest', 'x-svc-signed-at', 'x-svc-signature'] as const

type Change = (response: Latin1Response) => void

/** What may happen to one response on its way, with the step that must notice. */
const CHANGES: readonly (readonly [what: string, step: string, change: Change])[] = [
  [
    'one changed byte of the body',
    'DIGEST',
    (response) => void (response.body = response.body.replace('"ok":true', '"ok":trie')),
  ],
  ['another status', 'SIGNATURE', (response) => void (response.status = 203)],
  ['another signature', 'SIGNATURE', (response) => bend(response, 'x-svc-signature')],
  [
    'another spelling of the signature',
    'SIGNATURE',
    ({ headers }) =>
      headers.set('x-svc-signature', String(headers.get('x-svc-signature')).replace(/==$/, '')),
  ],
  [
    'another time',
    'SIGNATURE',
    ({ headers }) => headers.set('x-svc-signed-at', new Date(Date.now() + 5000).toISOString()),
  ],
  ['no digest', 'UNSIGNED', ({ headers }) => headers.delete('content-digest')],
  ['no time', 'UNSIGNED', ({ headers }) => headers.delete('x-svc-signed-at')],
  ['no signature', 'UNSIGNED', ({ headers }) => headers.delete('x-svc-signature')],
]

for (const { file, missing, run } of clientCommands(go)) {
  void test(file, { skip: missing ?? false }, async (t) => {
    /** What it says of a response to a target, fetched through a proxy. */
    const through = async (
      part: TestContext,
      lie: Lie,
      { target = STATUS, etag = [], ...parts }: Attempt = {},
    ) => {
      const app = await runService(part, parts)
      const origin = await openLyingProxy(part, app.port, lie)
      return run(`${origin}${target}`, PIN, ...etag)
    }
    const refuses = async (part: TestContext, step: string, lie: Lie, attempt?: Attempt) => {
      const { status, out, error } = await through(part, lie, attempt)
      assert.deepEqual([status, out, error.split(':')[0]], [1, '', step], error)
    }

    await t.test(
      'verifies a valid response for the target as typed, and writes its body',
      async (part) => {
        const app = await runService(part)
        for (const target of [
          STATUS,
          `${STATUS}?`,
          `${STATUS}?a=%2f%2F&&b=%41#part`,
          '/api/v1/version',
          '/api/v1/openapi.json',
          '/api/v1/policy',
          '/api/v1/nope',
          '/api/v1/../nope/./%6e',
        ]) {
          const { status, out, error } = await run(`${app.origin}${target}`, PIN)
          assert.equal(status, 0, `${target}: ${error}`)
          const [sent] = target.split('#')
          const code = target.includes('nope') ? 404 : 200
          assert.ok(error.startsWith(`Verified: GET ${sent}, status ${code}, signed at 20`), error)
          const { ok } = JSON.parse(out) as { ok?: boolean }
          assert.equal(ok, target.includes('openapi') ? undefined : code === 200)
        }
      },
    )

    await t.test(
      'accepts upper-case header names and what a proxy leaves unchanged',
      async (part) => {
        assert.equal((await through(part, {})).status, 0)
      },
    )

    for (const [name, step, change] of CHANGES) {
      await t.test(`refuses ${name}: ${step}`, (part) =>
        refuses(part, step, onlyFor(STATUS, change)),
      )
    }

    await t.test('refuses a changed error response', async (part) => {
      const target = '/api/v1/nope'
      const change = (response: Latin1Response) => void (response.status = 410)
      await refuses(part, 'SIGNATURE', onlyFor(target, change), { target })
    })

    await t.test('refuses the response to another target', async (part) => {
      const lies = [
        { target: STATUS, redirect: (target: string) => target.replace('status', 'roadmap') },
        { target: `${STATUS}?`, redirect: (target: string) => target.replace('?', '') },
        { target: `${STATUS}?a=%2F`, redirect: (target: string) => target.replace('%2F', '%2f') },
      ]
      for (const { target, redirect } of lies) {
        // A client loads the key document again before it refuses.
        const lie = (sent: string) => (sent === target ? redirect(sent) : sent)
        await refuses(part, 'SIGNATURE', { redirect: lie }, { target })
      }
    })

    await t.test('refuses an old response, and one from the future', async (part) => {
      await refuses(part, 'STALE', {}, { aheadSeconds: -1000 })
      const old = await runService(part, { aheadSeconds: -1000 })
      const replayed = await fetch(`${old.origin}${STATUS}`)
      const body = await replayed.text()
      const replay = onlyFor(STATUS, (response) => {
        put(response, replayed, ...SIGNATURE_HEADERS)
        response.body = body
      })
      await refuses(part, 'STALE', replay)
      await refuses(part, 'FUTURE', {}, { aheadSeconds: 300 })
    })

    await t.test('refuses another key, whatever it claims to be called', async (part) => {
      await refuses(part, 'UNKNOWN_KEY', {}, { signing: testSigning(otherSigningKey()) })
      const own = derivePublicSigningKey(TEST_SIGNING_KEY)
      const another = derivePublicSigningKey(otherSigningKey())
      const change = (response: Latin1Response) => {
        if (!response.target.startsWith('/api/v1/keys/signing-key')) return
        response.body = response.body.replaceAll(own.jwk.x, another.jwk.x)
      }
      await refuses(part, 'UNKNOWN_KEY', { change })
      // The document offers the pinned key, and another one signs.
      const thief = await runService(part, { signing: testSigning(otherSigningKey()) })
      const signed = await fetch(`${thief.origin}${STATUS}`)
      const body = await signed.text()
      const forge = onlyFor(STATUS, (response) => {
        put(response, signed, ...SIGNATURE_HEADERS)
        response.body = body
      })
      await refuses(part, 'SIGNATURE', forge)
    })

    await t.test('accepts a 304 with its proof and refuses one without', async (part) => {
      const app = await runService(part)
      const tag = (await fetch(`${app.origin}${STATUS}`)).headers.get('etag') ?? ''
      const etag = [tag]
      const { status, out, error } = await run(`${app.origin}${STATUS}`, PIN, tag)
      assert.deepEqual([status, out], [0, ''], error)
      assert.match(error, /^Verified: GET \/api\/v1\/status, status 304, signed at 20/)
      const remove = onlyFor(STATUS, ({ headers }) => headers.delete('x-svc-revalidated'))
      await refuses(part, 'UNSIGNED', remove, { etag })
      const change = onlyFor(STATUS, (response) => bend(response, 'x-svc-revalidated'))
      await refuses(part, 'REVALIDATION', change, { etag })
      const rename = onlyFor(STATUS, ({ headers }) => headers.set('etag', tag.replace('W/', '')))
      const renamed = await through(part, rename, { etag })
      assert.equal(renamed.status, 0, renamed.error)
      assert.match(renamed.error, /^warning: ETAG: /m)
      // A proof that is right, and about what the client does not hold.
      const headers = { 'If-None-Match': tag }
      const renewed = await fetch(`${app.origin}${STATUS}`, { headers })
      const lead = onlyFor(STATUS, (response) => {
        put(response, renewed, 'etag', 'x-svc-revalidated')
        ;[response.status, response.body] = [304, '']
      })
      await refuses(part, 'ETAG', lead, { etag: ['W/"another"'] })
    })

    await t.test(
      'accepts an old body that a 304 renewed, if its data matches the ETag',
      async (part) => {
        const old = await runService(part, { aheadSeconds: -1000 })
        const stored = await fetch(`${old.origin}${STATUS}`)
        const body = await stored.text()
        const tag = stored.headers.get('etag') ?? ''
        const now = await runService(part)
        const renewed = await fetch(`${now.origin}${STATUS}`, { headers: { 'If-None-Match': tag } })
        assert.equal(renewed.status, 304)
        /** The service's response replaced by what a cache holds. */
        const merged = (change: Change = () => {}): Lie =>
          onlyFor(STATUS, (response) => {
            put(response, stored, ...SIGNATURE_HEADERS, 'etag', 'x-request-id')
            put(response, renewed, 'x-svc-revalidated')
            response.body = body
            change(response)
          })
        const good = await through(part, merged())
        assert.deepEqual([good.status, good.out], [0, body], good.error)
        await refuses(
          part,
          'STALE',
          merged(({ headers }) => headers.delete('x-svc-revalidated')),
        )
        await refuses(
          part,
          'REVALIDATION',
          merged((response) => bend(response, 'x-svc-revalidated')),
        )
        // An old body of other data beside the proof for today's.
        const past = await runService(part, {
          aheadSeconds: -1000,
          releases: madeHistory(1),
        })
        const earlier = await fetch(`${past.origin}${STATUS}`)
        const earlierBody = await earlier.text()
        const mixed = merged((response) => {
          put(response, earlier, ...SIGNATURE_HEADERS, 'x-request-id')
          response.body = earlierBody
        })
        await refuses(part, 'ETAG', mixed)
      },
    )

    await t.test('warns of an ETag or a request ID that a proxy changed', async (part) => {
      for (const [name, code] of [
        ['etag', 'ETAG'],
        ['x-request-id', 'REQUEST_ID'],
      ] as const) {
        for (const target of [STATUS, '/api/v1/nope']) {
          const change = onlyFor(target, ({ headers }) => headers.set(name, 'x'))
          const changed = await through(part, change, { target })
          assert.equal(changed.status, 0, changed.error)
          assert.match(changed.error, new RegExp(`^warning: ${code}: .*found x$`, 'm'))
          const remove = onlyFor(target, ({ headers }) => headers.delete(name))
          const removed = await through(part, remove, { target })
          assert.deepEqual([removed.status, removed.error.includes('warning')], [0, false])
        }
      }
    })

    await t.test('refuses what a key signed outside its dates', async (part) => {
      const { signer, keys } = testSigning()
      const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
      const other = derivePublicSigningKey(otherSigningKey())
      const dated = (dates: { readonly notBefore?: string; readonly notAfter?: string }) => ({
        signing: { signer, keys: keys.map((key) => ({ ...key, ...dates })) },
      })
      await refuses(part, 'KEY_PERIOD', {}, dated({ notBefore: at(50) }))
      await refuses(part, 'KEY_PERIOD', {}, dated({ notAfter: at(-50) }))
      succeeded(await through(part, {}, dated({ notBefore: at(-50), notAfter: at(50) })))
      // The dates of another key are its own.
      const [own] = keys
      assert.ok(own)
      const next = { ...own, ...other, status: 'next' as const, notBefore: at(50), notAfter: null }
      for (const both of [
        [own, next],
        [next, own],
      ]) {
        succeeded(await through(part, {}, { signing: { signer, keys: both } }))
      }
    })

    await t.test(
      'accepts several pins and rejects a published key that is not pinned',
      async (part) => {
        const other = derivePublicSigningKey(otherSigningKey()).keyId
        const app = await runService(part)
        for (const pins of [`${other},${PIN}`, `${PIN},${other}`]) {
          succeeded(await run(`${app.origin}${STATUS}`, pins))
        }
        const absent = await run(`${app.origin}${STATUS}`, `${other},${other}`)
        assert.deepEqual([absent.status, absent.error.split(':')[0]], [1, 'UNKNOWN_KEY'])
        // The pinned key is published, and another published key signs.
        const own = testSigning()
        const thief = testSigning(otherSigningKey())
        const keys = [...thief.keys, ...own.keys]
        const signing = { signer: thief.signer, keys }
        await refuses(part, 'UNKNOWN_KEY', {}, { signing })
      },
    )

    await t.test('is inconclusive (exit 3) for an unsigned error of a proxy', async (part) => {
      for (const code of [502, 429]) {
        const fail = onlyFor(STATUS, (response) => {
          for (const name of SIGNATURE_HEADERS) response.headers.delete(name)
          response.status = code
        })
        const { status, out, error } = await through(part, fail)
        assert.deepEqual([status, out], [3, ''], error)
        assert.match(error, /^UNSIGNED: /)
      }
    })

    await t.test('exits with 2 for wrong usage, and with 3 if nothing responds', async () => {
      for (const [code, args] of [
        [2, []],
        [2, ['ftp://a/b', PIN]],
        [3, ['http://127.0.0.1:9/api', PIN]],
      ] as const) {
        const { status, out, error } = await run(...args)
        assert.equal(status, code, error)
        assert.equal(out, '')
        assert.notEqual(error, '')
      }
    })
  })
}

/** The short programs of the page, which check one response. */
const SAMPLES = [
  { name: 'verify.py', missing: missingPython(), command: [PYTHON, 'docs/verifying/verify.py'] },
  {
    name: 'verify.go',
    missing: missingProgram('go'),
    command: ['go', 'run', 'docs/verifying/verify.go'],
  },
] as const

for (const { name, missing, command } of SAMPLES) {
  void test(name, { skip: missing ?? false }, async (t) => {
    const [program, ...first] = command
    const lines = read(`docs/verifying/${name}`).split('\n').length
    assert.ok(lines <= 70, `${lines} lines`)
    const check = async (lie: Lie, parts: RunOptions = {}) => {
      const app = await runService(t, parts)
      const url = `${await openLyingProxy(t, app.port, lie)}${STATUS}?a=%2f`
      return runCommand(program, [...first, url, PIN], go.env)
    }
    const good = await check({})
    assert.equal(good.status, 0, good.error)
    assert.match(good.out, /^\{"ok":true,/)
    assert.match(
      good.error,
      /^svc-response-v1\nGET\n\/api\/v1\/status\?a=%2f\n200\n20\S+Z\nsha-256=:\S+:$/m,
    )
    const target = `${STATUS}?a=%2f`
    for (const [what, , change] of CHANGES) {
      const { status, out, error } = await check(onlyFor(target, change))
      // The programs compute the digest of the body themselves, so they accept a response without the field.
      const expected = what === 'no digest' ? [0, good.out.length] : [1, 0]
      assert.deepEqual([status, out.length], expected, `${what}: ${out}${error}`)
    }
    for (const parts of [
      { aheadSeconds: -1000 },
      { aheadSeconds: 300 },
      { signing: testSigning(otherSigningKey()) },
    ]) {
      const { status, out, error } = await check({}, parts)
      assert.deepEqual([status, out], [1, ''], `${JSON.stringify(parts)}: ${error}`)
    }
  })
}

/** The blocks of commands on the page, in order, each with the origin it is run against. */
function blocksFor(origin: string): readonly string[] {
  return documentedBlocks('docs/verifying.md')
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text.replace(/^base=.*$/m, `base=${origin}`))
}

void test('every command block of the page has the stated result', async (t) => {
  const missing = missingProgram('curl', 'openssl', 'go', 'jq') ?? missingPython()
  if (missing !== undefined) return t.skip(missing)
  const app = await runService(t)
  const etag = (await app.fetch(STATUS)).headers.get('etag')
  const outputs: string[] = []
  for (const block of blocksFor(app.origin)) {
    const { status, out, error } = await runCommand('sh', ['-ec', block], go.env)
    assert.equal(status, 0, `${block}\n${error}`)
    outputs.push(out)
  }
  const [keyId, verified, bodies, digest, entry, saved, ...rest] = outputs
  assert.equal(keyId, PIN)
  assert.equal(verified, 'Signature Verified Successfully\n')
  assert.equal(bodies?.match(/\{"ok":true,/g)?.length, 2)
  assert.equal(`W/"${digest}"`, etag)
  assert.match(entry ?? '', /^([0-9a-f]{64}) \*stdin\n"hash":"\1"\n$/)
  assert.match(saved ?? '', new RegExp(`^Verified: signed by ${PIN} \\d+ s ago\\.$`, 'm'))
  assert.deepEqual(rest, [])
})

void test('the signed texts on the page are those of the vectors', () => {
  const texts = documentedBlocks('docs/verifying.md')
    .filter(({ language }) => language === 'text')
    .map(({ text }) => text.trimEnd())
  const vector = (name: string) => JSON.parse(read(`test/vectors/${name}.json`)) as Vector
  assert.deepEqual(texts, [
    vector('good-read').signedText,
    vector('good-not-modified').revalidationText,
  ])
})
