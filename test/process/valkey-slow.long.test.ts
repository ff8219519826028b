import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '@public-api/contract/terms/limits'
import { REDIS_SKIP_REASON, startRedis } from '../storage/counters/redis-server.ts'
import { startDelayingRelay } from '../support/delaying-relay.ts'
import { eventually } from '../support/eventually.ts'
import { startRegistering } from '../support/registering-service.ts'

const SKIP = { skip: REDIS_SKIP_REASON ?? false }
const SHARE = Math.ceil(LIMITS.registrationPerActor.requests / 2)
/** Far more than the 0.5 s that a request waits for Valkey, and less than the delays. */
const MAX_RESPONSE_MS = 8000

async function startThroughRelay(t: Parameters<typeof startRedis>[0], delayMs: number) {
  const redis = await startRedis(t)
  const relay = await startDelayingRelay(t, redis.port)
  relay.setDelay(delayMs)
  return {
    relay,
    env: { SVC_VALKEY_URL: `valkey://127.0.0.1:${relay.port}`, SVC_LIMIT_NODES: '2' },
  }
}

async function limiterMode(adminPort: unknown): Promise<string | undefined> {
  const response = await fetch(`http://127.0.0.1:${String(adminPort)}/metrics`)
  return /^svc_limiter_mode\{mode="(\w+)"\} 1$/m.exec(await response.text())?.[1]
}

test(
  'a slow Valkey delays responses briefly and is used again once it is fast',
  SKIP,
  async (t) => {
    const { relay, env } = await startThroughRelay(t, 0)
    const node = await startRegistering(t, { ...env, SVC_ADMIN_PORT: '0' })
    const { port: adminPort } = await node.service.line('Health and metrics')
    /** What one actor gets for as many requests as all nodes admit. */
    const codesOf = async (address: string) => {
      const startedMs = performance.now()
      const said = await Promise.all(
        Array.from({ length: LIMITS.registrationPerActor.requests }, () =>
          node.register({ email: 'invalid' }, { address }),
        ),
      )
      assert.ok(performance.now() - startedMs < MAX_RESPONSE_MS)
      return said.map(({ code }) => code)
    }
    const admitted = (codes: readonly unknown[]) =>
      codes.filter((code) => code === 'INVALID_EMAIL').length

    assert.equal(admitted(await codesOf('198.51.100.1')), LIMITS.registrationPerActor.requests)
    for (const [index, delayMs] of [2000, 10_000, Infinity].entries()) {
      relay.setDelay(delayMs)
      const codes = await codesOf(`198.51.100.${index + 2}`)
      assert.equal(admitted(codes), SHARE, `${delayMs} ms: ${codes.join(' ')}`)
      assert.equal(codes.filter((code) => code === 'RATE_LIMITED').length, codes.length - SHARE)
      assert.equal(await limiterMode(adminPort), 'local')
      const read = await node.read('/api/v1/status')
      assert.equal(read.status, 200)

      relay.setDelay(0)
      await eventually('limits are shared again', async () => {
        // Slower than the limit of all registrations.
        await sleep(400)
        await node.register({ email: 'invalid' })
        return (await limiterMode(adminPort)) === 'shared' || undefined
      })
      const after = await codesOf(`203.0.113.${index + 2}`)
      assert.equal(admitted(after), LIMITS.registrationPerActor.requests)
    }
    const modes = node.service.lines().flatMap(({ mode }) => (mode === undefined ? [] : [mode]))
    assert.deepEqual(modes, ['local', 'shared', 'local', 'shared', 'local', 'shared'])
  },
)

test('a Valkey that never responds does not delay the start', SKIP, async (t) => {
  const { relay, env } = await startThroughRelay(t, Infinity)
  const node = await startRegistering(t, env)
  assert.equal((await node.register({ email: 'first@example.org' })).status, 200)
  await node.service.line('Valkey unavailable; this node enforces its share of the rate limits')
  relay.setDelay(0)
  await eventually('limits are shared again', async () => {
    await sleep(400)
    await node.register({ email: 'invalid' })
    return node.service.lines().find(({ mode }) => mode === 'shared')
  })
})

test('replaces a connection to Valkey that vanished silently', SKIP, async (t) => {
  const { relay, env } = await startThroughRelay(t, 0)
  const node = await startRegistering(t, env)
  relay.loseConnections()
  assert.equal((await node.register({ email: 'first@example.org' })).status, 200)
  const isShared = () => node.service.lines().find(({ mode }) => mode === 'shared')
  await eventually('limits are shared again', async () => {
    await sleep(400)
    await node.register({ email: 'invalid' })
    return isShared()
  })
})
