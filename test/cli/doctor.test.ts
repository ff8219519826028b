import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FINDING_CATALOG } from '@public-api/cli/src/doctor/finding-catalog.ts'
import { key } from '../client/scripted-client.ts'
import { serve, silentOrigin } from '../support/loopback-server.ts'
import { succeeded, svc } from '../support/run-svc.ts'
import { deployBehindProxy } from './doctor/proxied-deployment.ts'
import { liveDependencies } from './verifying/live-app.ts'

const PIN = ['--pin', key.keyId]

interface DoctorReport {
  readonly ok: boolean
  readonly origin: string
  readonly registryVersion: string | null
  readonly requests: number
  readonly errors: number
  readonly warnings: number
  readonly notes: number
  readonly checks: readonly {
    readonly check: string
    readonly outcome: 'ok' | 'findings' | 'not-checked'
    readonly reason: string | null
    readonly findings: readonly { readonly [name: string]: unknown }[]
  }[]
}

/** The proxy's Date is the machine's, as that of a live deployment is. */
const setDate = ({ headers }: { headers: Map<string, string> }): void => {
  headers.set('date', new Date().toUTCString())
}

test('reports a healthy deployment group by group, with exit code 0', async (t) => {
  const { origin } = await deployBehindProxy(t, setDate, liveDependencies())
  const { status, out, error } = await svc('doctor', `${origin}/api/v1`, ...PIN)
  assert.deepEqual([status, error], [0, ''], out)
  for (const check of ['endpoints', 'signatures', 'clock', 'compression', 'cors', 'links']) {
    assert.match(out, new RegExp(`^${check}: ok$`, 'm'))
  }
  assert.match(out, /^Nothing found\.$/m)
  // No color, no bar: not a terminal.
  assert.ok(!out.includes('\u001b') && !out.includes('\r'))
})

test('errors exit with 1; each states what was found and expected, and what to do', async (t) => {
  const { origin } = await deployBehindProxy(
    t,
    (passing) => {
      setDate(passing)
      passing.headers.delete('vary')
      passing.headers.set('server', 'nginx/1.22.1')
    },
    liveDependencies(),
  )
  const { status, out, error } = await svc('doctor', origin, ...PIN)
  assert.equal(status, 1)
  assert.equal(error, `error: ${origin} has 1 error\n`)
  assert.match(
    out,
    /^ {2}ERROR {3}vary-missing\n {10}at {8}GET \/api\/v1, .* and \d+ more\n {10}found {5}no Vary\n {10}expected {2}Vary: Authorization, X-SVC-Key, Accept-Signature .*\n {10}do {8}\S/m,
  )
  assert.match(out, /^1 error, 1 warning, 0 notes\.$/m)

  const json = await svc('doctor', origin, ...PIN, '--json')
  assert.equal(json.status, 1)
  const report = JSON.parse(json.out) as DoctorReport
  const { checks, requests, registryVersion, ...rest } = report
  assert.deepEqual(rest, { ok: false, origin, errors: 1, warnings: 1, notes: 0 })
  assert.ok(requests > 30 && typeof registryVersion === 'string')
  for (const { check, outcome, reason, findings } of checks) {
    assert.equal(typeof check, 'string')
    assert.equal(outcome, findings.length === 0 ? 'ok' : 'findings')
    assert.equal(reason, null)
    for (const finding of findings) {
      assert.deepEqual(Object.keys(finding).toSorted(), [
        'advice',
        'expected',
        'found',
        'id',
        'severity',
        'where',
      ])
      assert.ok(Array.isArray(finding['where']))
    }
  }
})

test('exits with 0 if there are only warnings', async (t) => {
  const { origin } = await deployBehindProxy(
    t,
    (passing) => {
      setDate(passing)
      passing.headers.set('x-powered-by', 'PHP')
    },
    liveDependencies(),
  )
  assert.match(succeeded(await svc('doctor', origin, ...PIN)), /^0 errors, 1 warning, 0 notes\.$/m)
})

test('lists every finding with the expectation and the remedy', async () => {
  const out = succeeded(await svc('doctor', '--list'))
  const ids = Object.keys(FINDING_CATALOG)
  assert.equal(out.match(/^ {2}do {8}\S/gm)?.length, ids.length)
  for (const id of ids) assert.match(out, new RegExp(`^${id} \\((?:error|warning|info)\\)$`, 'm'))
  const rows = JSON.parse((await svc('doctor', '--list', '--json')).out) as { id: string }[]
  assert.deepEqual(
    rows.map(({ id }) => id),
    ids,
  )
})

test('reports an ordinary web site as a finding, and no response with exit code 3', async (t) => {
  const site = await serve(t, (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' })
    response.end('<h1>Welcome</h1>')
  })
  const found = await svc('doctor', site)
  assert.equal(found.status, 1)
  assert.match(found.out, /ERROR {3}not-this-service/)

  const closed = await silentOrigin()
  const { status, out, error } = await svc('doctor', closed, '--json')
  assert.equal(status, 3)
  assert.match(error, /could not be reached: nothing listens there/)
  assert.deepEqual(JSON.parse(out), {
    ok: false,
    code: 'UNREACHABLE',
    message: `${closed}/api/v1 could not be reached: nothing listens there`,
  })
})

test('reports wrong usage before any request', async () => {
  for (const [args, expected] of [
    [[], /expected the URL of a deployment/],
    [['https://example.org/elsewhere'], /such as https:\/\/example\.org/],
    [['example.org'], /expected the URL of a deployment, such as/],
    [['https://a', 'https://b'], /expected one URL/],
    [['https://a', '--deployment', 'other'], /--deployment expects primary or preview/],
    [['https://a', '--pin', 'x'], /--pin expects a key ID/],
    [['https://a', '--list'], /--list sends no request/],
    [['https://a', '--timeout', 'x'], /--timeout expects whole seconds/],
  ] as const) {
    const { status, out, error } = await svc('doctor', ...args)
    assert.deepEqual([status, out], [2, ''], args.join(' '))
    assert.match(error, expected)
  }
  const help = await svc('doctor', '--help')
  const text = help.out.replaceAll(/\s+/g, ' ')
  assert.match(text, /It sends no registration, no key and no other write\./)
})
