import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@public-api/client-internal/client'
import { VerificationError } from '@public-api/client-internal/verification-error'
import { makeDeployment } from '../support/deployment.ts'
import { outcomeOf, SVC } from '../support/run-program.ts'
import { cleanEnvironment, succeeded } from '../support/run-svc.ts'
import { servedKeyId, startService } from '../support/service-process.ts'
import { REAL_CLOCK } from './simulated-clock.ts'
import { nginxMissing, startNginx } from './start-nginx.ts'
import { startVarnish, varnishMissing } from './start-varnish.ts'

/** A cache serves a response for 60 s, and then once more while it asks for the next. */
const CACHES_TURN_OVER_MS = 120_000
const PAUSE_MS = 25

/** Runs `svc` in a folder while this process goes on. Returns the object that it prints. */
async function runSvc(folder: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [SVC, ...args, '--json'], {
    cwd: folder,
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out = succeeded(await outcomeOf(child))
  return JSON.parse(out) as { readonly key?: { readonly keyId: string } }
}

/** What was read through one way. */
interface Reads {
  count: number
  readonly failures: string[]
  /** The keys that signed, in the order of their first response. */
  readonly keyIds: Set<string>
}

/**
 * Reads through one origin until it is stopped: with a client that keeps its responses and keys, and with a new client each
 * time.
 */
function startReading(t: TestContext, origin: string, pinnedKeyIds: readonly string[]) {
  const stopped = new AbortController()
  const reads: Reads = { count: 0, failures: [], keyIds: new Set() }
  const newClient = () => createClient({ baseUrl: origin, pinnedKeyIds, maxRetries: 0 })
  const read = async (client: ReturnType<typeof newClient>) => {
    const calls = [() => client.status(), () => client.roadmap(), () => client.signingKey()]
    try {
      const { keyId } = await (calls[reads.count % calls.length] ?? assert.fail())()
      if (keyId !== undefined) reads.keyIds.add(keyId)
    } catch (error) {
      reads.failures.push(`${new Date().toISOString()} ${String(error)}`)
    }
    reads.count += 1
    await sleep(PAUSE_MS)
  }
  const loop = async (clientOf: () => ReturnType<typeof newClient>) => {
    while (!stopped.signal.aborted) await read(clientOf())
  }
  const kept = newClient()
  const loops = Promise.all([loop(() => kept), loop(newClient)])
  const stop = async () => {
    stopped.abort()
    await loops
  }
  t.after(stop)
  return { reads, stop }
}

async function faultOf(origin: string, pinnedKeyId: string): Promise<string> {
  const client = createClient({ baseUrl: origin, pinnedKeyIds: [pinnedKeyId], maxRetries: 0 })
  try {
    await client.get('/api/v1/status', { fresh: true })
    return 'none'
  } catch (error) {
    assert.ok(error instanceof VerificationError, String(error))
    return error.code
  }
}

test(
  'a client that pins both keys sees no failure while the signing key is rotated under load',
  { skip: nginxMissing ?? varnishMissing, timeout: 300_000 },
  async (t) => {
    const { folder } = makeDeployment(t)
    const service = startService(t, folder, { SVC_RELEASE_POLL_SECONDS: '0' })
    const { origin, port } = await service.serving()
    const oldKeyId = await servedKeyId(origin)
    const originOf = (each: { readonly port: number }) => `http://127.0.0.1:${each.port}`
    const origins = new Map([
      ['direct', origin],
      ['nginx', originOf(await startNginx(t, port, REAL_CLOCK))],
      ['Varnish', originOf(await startVarnish(t, port, REAL_CLOCK))],
    ])
    const apply = async () => {
      service.signal('SIGHUP')
      await sleep(3000)
    }

    const { key } = await runSvc(folder, 'signing-key', 'new')
    const newKeyId = key?.keyId ?? ''
    const pins = [oldKeyId, newKeyId]
    const reading = [...origins].map(([way, each]) => ({ way, ...startReading(t, each, pins) }))
    await sleep(3000)
    await apply()
    for (const { way, reads } of reading) assert.deepEqual([...reads.keyIds], [oldKeyId], way)

    await runSvc(folder, 'signing-key', 'promote')
    await apply()
    assert.equal(await servedKeyId(origin), newKeyId)
    const deadlineMs = performance.now() + CACHES_TURN_OVER_MS
    while (reading.some(({ reads }) => reads.keyIds.size < 2)) {
      assert.ok(performance.now() < deadlineMs, 'every cache has responses of the new key')
      await sleep(100)
    }

    await runSvc(folder, 'signing-key', 'retire', oldKeyId)
    await apply()
    for (const { stop } of reading) await stop()

    for (const { way, reads } of reading) {
      t.diagnostic(`${way}: ${reads.count} reads`)
      assert.ok(reads.count > 500, `${way}: ${reads.count} reads`)
      assert.deepEqual(reads.failures, [], way)
      assert.deepEqual([...reads.keyIds], pins, way)
    }
    for (const [way, each] of origins) {
      assert.equal(await faultOf(each, newKeyId), 'none', way)
      assert.equal(await faultOf(each, oldKeyId), 'UNKNOWN_KEY', way)
    }
    assert.deepEqual(
      service.lines().filter(({ level }) => level !== 'info'),
      [],
    )
  },
)
