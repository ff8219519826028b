import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { withDatabase } from '../../src/cli/database.ts'
import type { DatabaseLocation } from '../../src/storage/stores/storage.ts'
import { responseTo, startSntpServer } from '../service/time/sntp-server.ts'
import { makeDeployment, type Deployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { startMixedTraffic } from '../support/mixed-traffic.ts'
import { postgresMissing, startPostgres } from '../support/postgres-server.ts'
import { databaseFileOf, openRows, sayRegistration } from '../support/registering-service.ts'
import { createSeededRandom, seedOf } from '../support/seeded-random.ts'
import { startService, type ServiceProcess } from '../support/service-process.ts'
import { issueInto } from '../support/stored-keys.ts'

// Every connection of a serving process is cut at random moments, under processor load: those to PostgreSQL and
// a time server, the workers, and the connections of readers and of the admin port. The process
// continues to run, anonymous reads succeed, and what a response stated about a registration is true.

const MINUTE_MS = 60_000
const BUSY_LOOPS = 4
const ENV = { SVC_CHALLENGE: 'test', SVC_TRUSTED_PROXIES: '127.0.0.1', SVC_ADMIN_PORT: '0' }
const random = createSeededRandom(seedOf('SVC_TEST_CUT_SEED'))

function loadProcessor(t: TestContext): void {
  for (let each = 0; each < BUSY_LOOPS; each += 1) {
    const child = spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' })
    t.after(() => child.kill('SIGKILL'))
  }
}

/** A relay that can cut its connections, each in a chunk of the server or between two. */
async function startCuttingRelay(t: TestContext, upstreamPort: number) {
  const clients = new Set<Socket>()
  const doomed = new Set<Socket>()
  const listener = createServer((client) => {
    const upstream = connect(upstreamPort, '127.0.0.1')
    clients.add(client)
    for (const socket of [client, upstream]) socket.on('error', () => {})
    client.pipe(upstream)
    upstream.on('data', (chunk: Buffer) => {
      if (doomed.delete(client)) client.end(chunk.subarray(0, random(chunk.length + 1)))
      else client.write(chunk)
    })
    upstream.on('close', () => client.destroy())
    client.on('close', () => {
      clients.delete(client)
      upstream.destroy()
    })
  })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    listener.close()
    for (const client of clients) client.destroy()
  })
  return {
    port: (listener.address() as AddressInfo).port,
    cut(): void {
      for (const client of clients) {
        const choice = random(4)
        if (choice === 0) doomed.add(client)
        else if (choice === 1) client.resetAndDestroy()
      }
    },
  }
}

/** Sends a request and resets the connection at a random moment. */
async function requestAndReset(port: number, target: string): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(1 + random(3)))
  await sleep(random(30))
  socket.resetAndDestroy()
}

/** Cuts at random intervals for a minute. */
async function cutForAMinute(maxPauseMs: number, cut: () => unknown): Promise<void> {
  const endMs = performance.now() + MINUTE_MS
  while (performance.now() < endMs) {
    await sleep(random(maxPauseMs))
    await cut()
  }
}

/** Sends traffic while `cuts` run, and asserts what the service stated about it. Returns the number of failed reads. */
async function assertTruth(
  t: TestContext,
  deployment: Deployment,
  service: ServiceProcess,
  database: DatabaseLocation,
  cuts: (adminPort: number, port: number) => readonly Promise<void>[],
): Promise<number> {
  const { port } = await service.serving()
  const adminPort = Number((await service.line('Health and metrics'))['port'])
  const secret = readFileSync(path.join(deployment.secretsDir, 'key-hash-secret.txt'), 'utf8')
  const { key } = await withDatabase(database, 'read-write', ({ apiKeys }) =>
    issueInto(apiKeys, { hashSecret: secret.trim() }),
  )
  const traffic = startMixedTraffic(port, key)
  await Promise.all([
    ...cuts(adminPort, port),
    cutForAMinute(100, () => requestAndReset(port, '/api/v1/openapi.json')),
    cutForAMinute(500, () => requestAndReset(adminPort, '/metrics')),
    cutForAMinute(500, () => requestAndReset(adminPort, '/readyz')),
  ])
  await traffic.stop()
  const tally = traffic.takeTally()
  t.diagnostic(JSON.stringify({ ...tally, refused: traffic.refused.length }))

  await eventually('registrations succeed again', async () => {
    const { status } = await sayRegistration(port, { email: 'last@example.org' })
    return status === 200 ? true : undefined
  })
  assert.equal((await fetch(`http://127.0.0.1:${adminPort}/readyz`)).status, 200)
  assert.deepEqual(await service.stop(), { code: 0, signal: null })
  assert.equal(service.stderr(), '')

  const rows = await withDatabase(database, 'read-only', ({ waitlist }) =>
    waitlist.readAfter(0, 100_000),
  )
  const listed = new Map(
    (await openRows(deployment, rows)).map(({ entry }) => [entry.email, entry.ticket]),
  )
  assert.ok(traffic.answered.length > 0, 'a registration got a ticket')
  for (const { email, ticket } of traffic.answered) assert.equal(listed.get(email), ticket, email)
  for (const email of traffic.refused) assert.ok(!listed.has(email), `${email} was stored`)
  assert.ok(tally.reads > 20, `${tally.reads} reads`)
  return tally.failedReads
}

test(
  'a node with PostgreSQL survives every cut',
  { skip: postgresMissing, timeout: 4 * MINUTE_MS },
  async (t) => {
    const postgres = await startPostgres(t)
    const relay = await startCuttingRelay(t, postgres.port)
    const time = await startSntpServer(
      (query) => [[], [Buffer.from('?')], [responseTo(query)]].at(random(3)) ?? [],
    )
    t.after(() => time.stop())
    const url = new URL(postgres.url)
    url.port = String(relay.port)
    const deployment = makeDeployment(t)
    const service = startService(t, deployment.folder, {
      ...ENV,
      SVC_DATABASE_URL: url.href,
      SVC_NTP_SERVER: `127.0.0.1:${time.port}`,
    })
    await service.serving()
    loadProcessor(t)
    const direct = new Client({ connectionString: postgres.url })
    direct.on('error', () => {})
    await direct.connect()
    t.after(() => direct.end())
    const failed = await assertTruth(
      t,
      deployment,
      service,
      { kind: 'postgres', url: postgres.url },
      () => [
        cutForAMinute(2000, () => relay.cut()),
        cutForAMinute(4000, () =>
          direct.query(
            'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
          ),
        ),
      ],
    )
    assert.equal(failed, 0, 'anonymous reads never fail')
  },
)

test(
  'workers with SQLite state the truth although workers are killed',
  { timeout: 4 * MINUTE_MS },
  async (t) => {
    const deployment = makeDeployment(t)
    const service = startService(t, deployment.folder, { ...ENV, SVC_WORKERS: '2' })
    await service.serving()
    loadProcessor(t)
    const killed = new Set<number>()
    const file = databaseFileOf(deployment)
    const failed = await assertTruth(t, deployment, service, { kind: 'sqlite', file }, () => [
      cutForAMinute(20_000, () => {
        const newest = service.lines().findLast(({ msg }) => msg === 'Worker ready')
        const pid = Number(newest?.['pid'])
        if (killed.has(pid)) return
        killed.add(pid)
        process.kill(pid, 'SIGKILL')
      }),
    ])
    // A worker that ends takes with it what it was sent.
    assert.ok(failed <= 3 * killed.size, `${failed} reads failed, ${killed.size} workers killed`)
  },
)
