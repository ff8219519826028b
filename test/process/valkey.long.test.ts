import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '@public-api/contract/terms/limits'
import { REDIS_SKIP_REASON, startRedis } from '../storage/counters/redis-server.ts'
import { eventually } from '../support/eventually.ts'
import { solvedToken, startRegistering } from '../support/registering-service.ts'

const SKIP = { skip: REDIS_SKIP_REASON ?? false }

test(
  'two nodes share challenges and limits through Valkey, and fall back without it',
  SKIP,
  async (t) => {
    const redis = await startRedis(t)
    const env = { SVC_CHALLENGE: 'altcha', SVC_VALKEY_URL: redis.url, SVC_LIMIT_NODES: '2' }
    const one = await startRegistering(t, env)
    const other = await startRegistering(t, env, { deployment: one })

    // A challenge of one node is valid on the other, once.
    const token = await solvedToken(one.port)
    const registered = await other.register({ email: 'a@example.org', challengeToken: token })
    assert.equal(registered.status, 200, registered.text)
    for (const node of [one, other]) {
      const replay = await node.register({ email: 'b@example.org', challengeToken: token })
      assert.equal(replay.code, 'CHALLENGE_FAILED', replay.text)
    }

    // The limit per actor applies to both nodes together. Invalid requests count too.
    const tryBoth = (address: string, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          (index % 2 === 0 ? one : other).register({ email: 'invalid' }, { address }),
        ),
      )
    const limited = await tryBoth('198.51.100.7', 12)
    const admitted = limited.filter(({ code }) => code === 'INVALID_EMAIL').length
    assert.equal(admitted, LIMITS.registrationPerActor.requests)

    // Without Valkey each node admits its share, challenges are refused, and reads go on.
    const unspent = await solvedToken(one.port)
    await redis.kill()
    const share = Math.ceil(LIMITS.registrationPerActor.requests / 2)
    const alone = await tryBoth('198.51.100.8', 12)
    assert.equal(alone.filter(({ code }) => code === 'INVALID_EMAIL').length, 2 * share)
    const refused = await one.register({ email: 'c@example.org', challengeToken: unspent })
    assert.deepEqual([refused.status, refused.code], [503, 'REGISTRATION_UNAVAILABLE'])
    assert.equal((await other.read('/api/v1/status')).status, 200)

    // A server that comes back empty has another key, so challenges from before are refused.
    await redis.start()
    const code = await eventually('registrations are admitted again', async () => {
      const said = await one.register({ email: 'c@example.org', challengeToken: unspent })
      return said.status === 503 ? undefined : said.code
    })
    assert.equal(code, 'CHALLENGE_FAILED')
    const fresh = await solvedToken(other.port)
    const again = await one.register({ email: 'c@example.org', challengeToken: fresh })
    assert.equal(again.status, 200, again.text)
    for (const { service } of [one, other]) {
      assert.deepEqual(await service.stop(), { code: 0, signal: null })
      const modes = service.lines().flatMap(({ mode }) => (mode === undefined ? [] : [mode]))
      assert.ok(modes.includes('local'), 'the log reports the fallback')
    }
  },
)
