import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { DOCTOR_BOUNDS } from '@public-api/cli/src/doctor/doctor-bounds.ts'
import type { FindingId } from '@public-api/cli/src/doctor/finding-catalog.ts'
import { serve, silentOrigin } from '../../support/loopback-server.ts'
import { madeHistory } from '../../support/made-releases.ts'
import { useFileScope } from '../../support/test-scope.ts'
import { deployWithCopy, examine } from './proxied-deployment.ts'

const scope = useFileScope()

/** A response of the copy's host. */
interface Sent {
  status: number
  headers: { [name: string]: string }
  body: Buffer
}

/** What is wrong with the copy or its host. */
type Damage = (file: string, sent: Sent) => void

const TYPES: { readonly [ending: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown',
  '.json': 'application/json',
  '.atom': 'application/atom+xml',
  '.ics': 'text/calendar',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain',
  '.xml': 'application/xml',
  '.ico': 'image/x-icon',
}

/** A deployment and its copy; the service can have a newer version. */
async function prepare() {
  const newer = madeHistory(3)
  const service = { isAhead: false }
  const made = await deployWithCopy(scope, (releases) => ({
    extraHandlers: { version: () => (service.isAhead ? newer : releases).head },
  }))
  return { ...made, service }
}
let prepared: ReturnType<typeof prepare> | undefined

/** Findings of the doctor about a damaged copy. */
async function inspect(
  t: TestContext,
  damage: Damage,
  settings: { aheadMs?: number; readsAllFiles?: boolean; withTexts?: boolean } = {},
) {
  const { deployment, copy } = await (prepared ??= prepare())
  const host = await serve(t, ({ url = '' }, response) => {
    const file = url.slice(1).replace(/(^|\/)$/, '$1index.html')
    const sent: Sent = { status: 200, headers: {}, body: Buffer.alloc(0) }
    try {
      sent.body = readFileSync(path.join(copy, file))
      const text = 'text/plain'
      sent.headers = {
        'Access-Control-Allow-Origin': '*',
        'Cache-Control': 'max-age=60',
        'Content-Type': file.includes('/tile/')
          ? 'application/octet-stream'
          : file === '.well-known/api-catalog'
            ? 'application/linkset+json'
            : (TYPES[path.extname(file)] ?? text),
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EISDIR') {
        Object.assign(sent, { status: 301, headers: { Location: `/${file}/` } })
        damage(file, sent)
        response.writeHead(sent.status, sent.headers).end()
        return
      }
      sent.status = 404
      sent.body = readFileSync(path.join(copy, '404.html'))
    }
    damage(file, sent)
    response.writeHead(sent.status, sent.headers).end(sent.body)
  })
  const mirrors = [`${host}/`]
  const { checks } = await examine(t, deployment, { ...settings, mirrors })
  const { findings = [] } = checks.find(({ check }) => check.startsWith('copy ')) ?? {}
  const named = findings.map(({ id, where }) => [
    id,
    where.map((each) => each.slice(host.length + 1)),
  ])
  return settings.withTexts === true ? findings.map(({ found }) => found) : named
}

const at = (name: string, change: (sent: Sent) => void): Damage => {
  return (file, sent) => {
    if (file === name) change(sent)
  }
}
/** Changes one bit, in the middle. */
const flip = (sent: Sent): void => {
  const middle = sent.body.length >> 1
  sent.body[middle] = (sent.body[middle] ?? 0) ^ 1
}
const flipFirst = ({ body }: Sent): void => {
  body[0] = (body[0] ?? 0) ^ 1
}
const set =
  (name: string, value: string) =>
  ({ headers }: Sent): void => {
    headers[name] = value
  }
const redirect = (sent: Sent): void => {
  sent.status = 301
  sent.headers['Location'] = '/elsewhere'
}
const remove = (sent: Sent): void => {
  sent.status = 404
}

const CASES: readonly (readonly [
  what: string,
  damage: Damage,
  expected: readonly (readonly [FindingId, readonly string[]])[],
])[] = [
  ['nothing', () => {}, []],
  [
    'a byte of a version',
    at('archive/versions/VS-0001.json', flip),
    [['copy-changed', ['archive/versions/VS-0001.json']]],
  ],
  ['a byte of a page', at('en/status/index.html', flip), [['copy-changed', ['en/status/']]]],
  ['a byte of a tile', at('log/tile/0/000.p/2', flip), [['copy-changed', ['log/tile/0/000.p/2']]]],
  [
    'a byte of the page for unknown paths',
    (_, sent) => {
      if (sent.status === 404) flip(sent)
    },
    [['copy-not-found-page', ['doctor-asks-for-nothing']]],
  ],
  ['a byte of the list', at('site.json', flipFirst), [['copy-changed', ['site.json']]]],
  [
    'names in the list that no copy has',
    at('site.json', (sent) => {
      const names = '"files":{"a b":["AAAA"],"../up":["AAAA"],"//host":["AAAA"],'
      sent.body = Buffer.from(sent.body.toString().replace('"files":{', names))
    }),
    [['copy-changed', ['site.json']]],
  ],
  [
    'an unknown path answered with 200',
    (_, sent) => {
      sent.status = 200
    },
    [['copy-fallback', ['doctor-asks-for-nothing']]],
  ],
  ...(['indexOf', 'lastIndexOf'] as const).map((find): (typeof CASES)[number] => [
    `a byte of the ${find === 'indexOf' ? 'first' : 'last'} response of the proof`,
    at('now.json', ({ body }) => {
      const place = body[find]('bodyBase64') + 20
      body[place] = body[place] === 0x41 ? 0x42 : 0x41
    }),
    [['copy-proof', ['now.json']]],
  ]),
  ['no proof', at('now.json', remove), [['copy-missing', ['now.json']]]],
  ['a missing file', at('en/feed.atom', remove), [['copy-missing', ['en/feed.atom']]]],
  [
    'a host that hides names with a dot',
    at('.well-known/api-catalog', remove),
    [['copy-hidden', ['.well-known/api-catalog']]],
  ],
  [
    'a page without a slash that is not there',
    at('en/status', remove),
    [['copy-slashless', ['en/status']]],
  ],
  ...['sitemap.xml', 'favicon.ico', '.well-known/api-catalog'].map(
    (file): (typeof CASES)[number] => [
      `a wrong type of ${file}`,
      at(file, set('Content-Type', 'application/octet-stream')),
      [['copy-type', [file]]],
    ],
  ),
  ['a redirect', at('en/status/index.html', redirect), [['copy-redirect', ['en/status/']]]],
  [
    'a wrong type',
    at('en/status.md', set('Content-Type', 'text/html')),
    [['copy-type', ['en/status.md']]],
  ],
  [
    'no CORS',
    at('archive/versions.json', set('Access-Control-Allow-Origin', 'https://example.org')),
    [['copy-cors', ['archive/versions.json']]],
  ],
  [
    'a long lifetime',
    at('log/checkpoint', set('Cache-Control', 'public, s-maxage=86400')),
    [['copy-cached', ['log/checkpoint']]],
  ],
  [
    'no lifetime of the proof',
    at('now.json', ({ headers }) => {
      delete headers['Cache-Control']
    }),
    [['copy-cached', ['now.json']]],
  ],
]

for (const [what, damage, expected] of CASES) {
  test(`the doctor inspects a copy: ${what}`, async (t) => {
    assert.deepEqual(await inspect(t, damage), expected)
  })
}

test('the doctor names every file of a copy of which one bit was changed', async (t) => {
  const { copy } = await (prepared ??= prepare())
  const list = JSON.parse(readFileSync(path.join(copy, 'site.json'), 'utf8')) as {
    readonly files: { readonly [file: string]: unknown }
  }
  const found = await inspect(t, (file, sent) => {
    if (file !== 'site.json' && file !== 'now.json' && sent.body.length > 0) flip(sent)
  })
  const named = new Set(
    found.flatMap(([id, where]) =>
      /^copy-(?:changed|not-found-page)$/.test(String(id)) ? where : [],
    ),
  )
  const missed = Object.keys(list.files)
    .filter((file) => readFileSync(path.join(copy, file)).length > 0)
    .filter((file) => !named.has(file) && !named.has(file.replace(/(^|\/)index\.html$/, '$1')))
  // Hosts read _headers and do not send it. The page of unknown paths is read at one.
  assert.deepEqual(missed, ['404.html', '_headers', 'serve.json'])
  assert.ok(named.has('doctor-asks-for-nothing'))
})

test('the doctor names a redacted resource that the host kept', async (t) => {
  const { copy } = await (prepared ??= prepare())
  const list = readFileSync(path.join(copy, 'site.json'), 'utf8')
  const [kept = ''] = /archive\/resources\/roadmap\/[\w-]+\.json/.exec(list) ?? []
  const redacted = kept.replace(/json$/, 'redacted.json')
  const tombstone = Buffer.from('{}')
  const digest = createHash('sha256').update(tombstone).digest('base64url')
  const headers = { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'application/json' }
  const found = await inspect(t, (file, sent) => {
    if (file === redacted) Object.assign(sent, { status: 200, headers, body: tombstone })
    if (file === 'site.json')
      sent.body = Buffer.from(list.replace('"files":{', `$&"${redacted}":["${digest}"],`))
  })
  assert.deepEqual(found, [['copy-kept', [kept]]])
})

test('the doctor says how old a copy is, and inspects it if the service does not respond', async (t) => {
  const old = await inspect(t, () => {}, { aheadMs: 3_700_000 })
  assert.deepEqual(old, [['copy-old', ['now.json']]])
  const [text] = await inspect(t, () => {}, { aheadMs: 3_700_000, withTexts: true })
  const [, provenAt = '', dueAt = ''] =
    /^proven 61 min ago, at (\S+Z); the next refresh was due by (\S+Z)$/.exec(String(text)) ?? []
  assert.equal(Date.parse(dueAt) - Date.parse(provenAt), 600_000, String(text))
  const { deployment, service } = await (prepared ??= prepare())
  service.isAhead = true
  assert.deepEqual(await inspect(t, () => {}), [['copy-behind', ['now.json']]])
  service.isAhead = false
  const dead = { ...deployment, origin: await silentOrigin() }
  const host = await serve(t, (_, response) => void response.writeHead(404).end())
  const { checks } = await examine(t, dead, { mirrors: [`${host}/`] })
  assert.deepEqual(
    checks.map(({ check, findings }) => [check, findings.map(({ id }) => id)]),
    [
      ['reach', ['no-response']],
      [`copy ${host}/`, ['copy-missing']],
    ],
  )
})

test('the doctor reads the newest files of a very large copy, and says so, or all of them', async (t) => {
  const filler = Buffer.from('{}')
  const digest = createHash('sha256').update(filler).digest('base64url')
  const read: string[] = []
  const enlarge: Damage = (file, sent) => {
    if (file === 'site.json') {
      const files = Object.fromEntries(
        Array.from({ length: DOCTOR_BOUNDS.copyFiles + 1 }, (_, index) => [
          `assets/${index}.json`,
          [digest],
        ]),
      )
      sent.body = Buffer.from(JSON.stringify({ schema: 'svc.public.site.v1', files }))
    }
    if (!/^assets\/\d/.test(file)) return
    read.push(file)
    Object.assign(sent, { status: 200, body: filler })
    sent.headers['Content-Type'] = 'application/json'
  }
  assert.deepEqual(await inspect(t, enlarge), [['copy-partly-read', ['']]])
  assert.equal(read.length, DOCTOR_BOUNDS.copyFiles)
  assert.ok(!read.includes('assets/0.json'))
  read.length = 0
  assert.deepEqual(await inspect(t, enlarge, { readsAllFiles: true }), [])
  assert.equal(new Set(read).size, DOCTOR_BOUNDS.copyFiles + 1)
})
