import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { makeDeployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { sendRaw } from '../support/raw-http.ts'
import { startRegistering } from '../support/registering-service.ts'
import { startService } from '../support/service-process.ts'
import { useFileScope } from '../support/test-scope.ts'

const OTHER_LOOPBACK = '127.0.0.2'

function valueOf(metrics: string, line: string): number {
  const found = metrics.split('\n').find((each) => each.startsWith(`${line} `))
  return found === undefined ? 0 : Number(found.slice(line.length))
}

/** What dashboards and alerts are built on. */
const EXPECTED_METRICS = [
  'process_resident_memory_bytes',
  'nodejs_eventloop_lag_p99_seconds',
  'svc_http_requests_total',
  'svc_http_request_duration_seconds_count',
  'svc_connections',
  'svc_connections_displaced_total',
  'svc_connections_refused_total',
  'svc_connections_stalled_total',
  'svc_release_info',
  'svc_release_age_seconds',
  'svc_release_reload_failures_total',
  'svc_release_damaged',
  'svc_release_future',
  'svc_release_later_program',
  'svc_release_refused',
  'svc_store_unavailable_seconds',
  'svc_time_quality_state',
]

const scope = useFileScope()
let opened: ReturnType<typeof openAdmin> | undefined

async function openAdmin() {
  const { folder } = makeDeployment(scope)
  // Another address of the loopback network stands for what the world can reach.
  const service = startService(scope, folder, { HOST: OTHER_LOOPBACK, SVC_ADMIN_PORT: '0' })
  const { origin, port } = await service.serving()
  const { port: adminPort } = await service.line('Health and metrics')
  return { origin, port, adminPort: Number(adminPort) }
}

/** One service for the tests that only ask it. */
const adminService = () => (opened ??= openAdmin())

test('the admin port responds only to hosts of loopback, and to no other site', async () => {
  const { adminPort } = await adminService()
  const statusFor = async (host: string) => {
    const lines =
      host === '' ? ['GET /healthz HTTP/1.0'] : ['GET /healthz HTTP/1.1', `Host: ${host}`]
    const bytes = `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`
    return (await sendRaw(adminPort, bytes)).status
  }
  const hosts = [
    'localhost',
    'LocalHost:9',
    'a.localhost',
    '127.0.0.1',
    '127.0.0.2:80',
    '[::1]:1',
    '',
  ]
  for (const host of hosts) assert.equal(await statusFor(host), 200, host)
  const others = [
    'evil.example',
    '10.0.0.1',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '[::2]',
    'xlocalhost',
    'localhost\r\nHost: evil.example',
  ]
  for (const host of others) assert.equal(await statusFor(host), 421, host)
  const foreign = ['Origin: https://evil.example', 'Origin: null', 'Sec-Fetch-Site: same-site']
  for (const line of foreign) assert.equal(await statusFor(`localhost\r\n${line}`), 403, line)
})

test('serves health, readiness and metrics on the admin port', async () => {
  const { origin, adminPort } = await adminService()
  const admin = `http://127.0.0.1:${adminPort}`

  const health = await fetch(`${admin}/healthz`)
  assert.deepEqual([health.status, await health.json()], [200, { status: 'alive' }])
  assert.equal(health.headers.get('cache-control'), 'no-store')
  const ready = await fetch(`${admin}/readyz`)
  assert.equal(ready.status, 200)
  assert.deepEqual(await ready.json(), {
    status: 'ready',
    reasons: [],
    release: { snapshotId: 'VS-0002', notices: [] },
  })
  assert.equal((await fetch(`${admin}/anything`)).status, 404)
  assert.equal((await fetch(`${admin}/api/v1/time`)).status, 404, 'no API on the admin port')
  for (const page of ['healthz', 'readyz', 'metrics']) {
    assert.equal((await fetch(`${origin}/${page}`)).status, 404, `${page} is not public`)
  }

  const counted = async () => {
    const response = await fetch(`${admin}/metrics`)
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain/)
    const text = await response.text()
    return [
      valueOf(text, 'svc_http_requests_total{method="GET",status="200"}'),
      valueOf(text, 'svc_http_requests_total{method="POST",status="503"}'),
      valueOf(text, 'svc_http_request_duration_seconds_count'),
    ]
  }
  const [reads = 0, writes = 0, all = 0] = await counted()
  await (await fetch(`${origin}/api/v1/status?secret=query`)).arrayBuffer()
  await (await fetch(`${origin}/api/v1/keys`, { method: 'POST' })).arrayBuffer()
  await eventually('both responses are counted', async () => {
    const [readsNow, writesNow, allNow] = await counted()
    const isCounted = readsNow === reads + 1 && writesNow === writes + 1 && allNow === all + 2
    return isCounted || undefined
  })
  const text = await (await fetch(`${admin}/metrics`)).text()
  assert.ok(!/secret|status\?|127\.0\.0\.1/.test(text), 'no query and no address in a label')
  for (const name of EXPECTED_METRICS) {
    assert.match(text, new RegExp(`^${name}(?:{.*})? [\\d.e+-]+$`, 'm'), name)
  }
})

test('the admin listener is reachable on 127.0.0.1 only', async () => {
  const { port, adminPort } = await adminService()
  const isReached = (asked: number) =>
    new Promise<boolean>((resolve) => {
      const socket = connect(asked, OTHER_LOOPBACK)
      socket.once('connect', () => {
        socket.destroy()
        resolve(true)
      })
      socket.once('error', () => resolve(false))
    })
  assert.equal(await isReached(port), true)
  assert.equal(await isReached(adminPort), false)
})

test('counts registrations, challenges and key checks by outcome over all workers', async (t) => {
  const running = await startRegistering(t, { SVC_ADMIN_PORT: '0', SVC_WORKERS: '2' })
  const { port } = await running.service.line('Health and metrics')
  await eventually('both workers are ready', () =>
    running.service.lines().filter(({ msg }) => msg === 'Worker ready').length === 2
      ? true
      : undefined,
  )
  const fresh = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text()
  for (const series of [
    'svc_registrations_total{outcome="REGISTRATION_UNAVAILABLE"}',
    'svc_challenges_total{outcome="UNAVAILABLE"}',
    'svc_key_checks_total{outcome="KEYS_UNAVAILABLE"}',
    'svc_http_requests_total{method="GET",status="503"}',
  ]) {
    assert.equal(valueOf(fresh, series), 0, series)
  }
  assert.equal((await running.register({ email: 'reader@example.org' })).status, 200)
  assert.equal((await running.register({ email: 'reader@example.org' })).code, 'DUPLICATE')
  const wrong = await running.register({ email: 'other@example.org', challengeToken: 'wrong' })
  assert.equal(wrong.code, 'CHALLENGE_FAILED')
  const origin = `http://127.0.0.1:${running.port}`
  const headers = { Authorization: `Bearer svk_0123456789abcdef_${'a'.repeat(43)}` }
  assert.equal((await fetch(`${origin}/api/v1/status`, { headers })).status, 401)
  const text = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text()
  for (const [line, expected] of [
    ['svc_registrations_total{outcome="WAITING"}', 1],
    ['svc_registrations_total{outcome="DUPLICATE"}', 1],
    ['svc_registrations_total{outcome="CHALLENGE_FAILED"}', 1],
    ['svc_challenges_total{outcome="ACCEPTED"}', 2],
    ['svc_challenges_total{outcome="CHALLENGE_FAILED"}', 1],
    ['svc_key_checks_total{outcome="KEY_INVALID"}', 1],
    ['svc_release_info{snapshot_id="VS-0002"}', 1],
    ['svc_workers_accepting', 2],
  ] as const) {
    assert.equal(valueOf(text, line), expected, line)
  }
  assert.match(
    text,
    /^svc_store_call_duration_seconds_count\{call="waitlist\.add",result="ok"\} 2$/m,
  )
  assert.ok(!/reader|example\.org|198\.51/.test(text), 'nothing of a person')
  assert.deepEqual(await running.service.stop(), { code: 0, signal: null })
})
