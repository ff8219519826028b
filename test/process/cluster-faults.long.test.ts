import assert from 'node:assert/strict'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '@public-api/contract/terms/limits'
import { withDatabase } from '../../src/cli/database.ts'
import type { DatabaseLocation } from '../../src/storage/stores/storage.ts'
import { freePort, hasProgram } from '../caches/cache-process.ts'
import { startBalancer } from '../support/balancer.ts'
import { makeDeployment } from '../support/deployment.ts'
import { startMixedTraffic, type Tally } from '../support/mixed-traffic.ts'
import { postgresMissing, startPostgres } from '../support/postgres-server.ts'
import { REGISTER } from '../support/registering-app.ts'
import { say } from '../support/registering-service.ts'
import { startService, type ServiceProcess } from '../support/service-process.ts'
import { issueInto } from '../support/stored-keys.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** How long a frozen part stays frozen, and how long traffic runs before and after each fault. */
const FROZEN_MS = 10_000
const QUIET_MS = 3000
const NODES = 3
const PER_ACTOR = LIMITS.registrationPerActor.requests
const BALANCER = 'nginx'

/** The document that the run writes its table into, between the two marks. */
const DOCUMENT = new URL('../../docs/faults.md', import.meta.url)
const MARK =
  '<!-- table: written by test/process/cluster-faults.long.test.ts with WRITE_FAULTS=1 -->'

const skip = postgresMissing ?? (hasProgram('nginx') ? undefined : 'nginx is not installed')

/** A part that can be ended and started again, or frozen and thawed. */
interface Part {
  readonly name: string
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  readonly freeze: () => void
  readonly thaw: () => void
}

/** Registrations that one actor gets through when it sends 12 concurrently over all nodes. */
async function admittedOf(ports: readonly number[], actor: string): Promise<number> {
  const statuses = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const said = await say(ports[index % ports.length] ?? 0, {
        method: 'POST',
        target: REGISTER,
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': actor },
        body: '{"email":"not an address"}',
      })
      return said.status
    }),
  )
  return statuses.filter((status) => status === 400).length
}

function formatTable(rows: readonly (readonly [string, Tally])[]): string {
  const heading =
    '| fault | reads | failed | keyed reads | unavailable | registrations | unavailable | limited | lost |'
  const lines = rows.map(
    ([name, tally]) =>
      `| ${name} | ${tally.reads} | ${tally.failedReads} | ${tally.keyedReads} | ${tally.keyedUnavailable} | ${tally.registrations} | ${tally.unavailable} | ${tally.limited} | ${tally.lost} |`,
  )
  return [heading, '|---|---:|---:|---:|---:|---:|---:|---:|---:|', ...lines].join('\n')
}

function writeDocument(rows: readonly (readonly [string, Tally])[]): void {
  const [before = ''] = readFileSync(DOCUMENT, 'utf8').split(MARK)
  const date = new Date().toISOString().slice(0, 10)
  writeFileSync(DOCUMENT, `${before}${MARK}\n\nMeasured on ${date}.\n\n${formatTable(rows)}\n`)
}

test(
  'three nodes lose nothing while each part is killed and frozen in turn',
  { skip, timeout: 600_000 },
  async (t: TestContext) => {
    const postgres = await startPostgres(t)
    const { folder } = makeDeployment(t)
    const env = {
      SVC_CHALLENGE: 'test',
      SVC_DATABASE_URL: postgres.url,
      SVC_TRUSTED_PROXIES: '127.0.0.1',
      SVC_LOG_LEVEL: 'warn',
    }

    // The nodes share their secrets, which the first start makes.
    const nodes: { process: ServiceProcess; readonly port: number; readonly folder: string }[] = []
    for (let index = 0; index < NODES; index += 1) {
      const own = temporaryFolder(t)
      cpSync(folder, own, { recursive: true })
      if (index > 0) {
        cpSync(path.join(nodes[0]?.folder ?? '', 'secrets'), path.join(own, 'secrets'), {
          recursive: true,
        })
      }
      const port = await freePort()
      const process = startService(t, own, { ...env, PORT: String(port), SVC_LOG_LEVEL: 'info' })
      await process.serving()
      nodes.push({ process, port, folder: own })
    }
    const database: DatabaseLocation = { kind: 'postgres', url: postgres.url }
    const hashSecret = readFileSync(
      path.join(nodes[0]?.folder ?? '', 'secrets', 'key-hash-secret.txt'),
      'utf8',
    ).trim()
    const { key } = await withDatabase(database, 'read-write', ({ apiKeys }) =>
      issueInto(apiKeys, { hashSecret }),
    )

    const ports = nodes.map(({ port }) => port)
    const balancer = await startBalancer(t, ports)

    assert.equal(await admittedOf(ports, '192.0.2.1'), PER_ACTOR, 'one limit over all nodes')

    const parts: readonly Part[] = [
      ...nodes.map((node, index) => ({
        name: `node ${index + 1}`,
        async kill() {
          node.process.signal('SIGKILL')
          await node.process.ended
        },
        async start() {
          node.process = startService(t, node.folder, {
            ...env,
            PORT: String(node.port),
            SVC_LOG_LEVEL: 'info',
          })
          await node.process.serving()
        },
        freeze: () => node.process.signal('SIGSTOP'),
        thaw: () => node.process.signal('SIGCONT'),
      })),
      { name: 'PostgreSQL', ...postgres },
      { name: BALANCER, ...balancer },
    ]
    const traffic = startMixedTraffic(balancer.port, key)
    const rows: [string, Tally][] = []
    const observe = async (name: string, fault: () => Promise<void>) => {
      await fault()
      await sleep(QUIET_MS)
      rows.push([name, traffic.takeTally()])
      t.diagnostic(JSON.stringify(rows.at(-1)))
    }
    await observe('none', () => sleep(QUIET_MS))
    for (const part of parts) {
      await observe(`${part.name} killed, restarted after 3 s`, async () => {
        await part.kill()
        await sleep(QUIET_MS)
        await part.start()
      })
      await observe(`${part.name} frozen for ${FROZEN_MS / 1000} s`, async () => {
        part.freeze()
        await sleep(FROZEN_MS)
        part.thaw()
      })
    }
    await observe('none, afterwards', () => sleep(QUIET_MS))
    await traffic.stop()

    const listed = new Map<string, number>()
    await withDatabase(database, 'read-only', async ({ waitlist }) => {
      for (const { ticket } of await waitlist.readAfter(0, 100_000)) {
        listed.set(ticket, (listed.get(ticket) ?? 0) + 1)
      }
    })
    const lost = traffic.answered.filter(({ ticket }) => !listed.has(ticket))
    assert.deepEqual(lost, [], 'every ticket that was given is on the list')
    assert.ok(
      traffic.answered.length > 100,
      `${traffic.answered.length} registrations were answered`,
    )
    for (const [name, { failedReads, reads }] of rows) {
      assert.ok(reads > 20, name)
      // nginx is the only way to the nodes.
      if (name.startsWith(`${BALANCER} killed`)) continue
      assert.equal(failedReads, 0, `${name}: anonymous reads never fail while a node lives`)
    }
    for (const [name, tally] of [rows[0], rows.at(-1)].filter((row) => row !== undefined)) {
      assert.equal(tally.unavailable + tally.keyedUnavailable, 0, `${name}: no step by hand`)
    }

    assert.equal(
      await admittedOf(ports, '192.0.2.2'),
      PER_ACTOR,
      'one limit over all nodes, afterwards',
    )
    const [first, ...others] = ports
    const headers = { 'X-SVC-Key': key }
    const revoked = await say(first ?? 0, {
      method: 'DELETE',
      target: '/api/v1/keys/self',
      headers,
    })
    assert.equal(revoked.status, 200)
    for (const port of others) {
      const refused = await say(port, { target: '/api/v1/keys/self', headers })
      assert.equal(refused.code, 'KEY_INVALID', 'a revocation applies to every node immediately')
    }
    if (process.env['WRITE_FAULTS'] === '1') writeDocument(rows)
  },
)
