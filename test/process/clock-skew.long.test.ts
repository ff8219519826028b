import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '@public-api/contract/terms/limits'
import { createSimulatedClock, simulatedClockMissing } from '../caches/simulated-clock.ts'
import { postgresMissing, startPostgres } from '../support/postgres-server.ts'
import { solvedToken, startRegistering } from '../support/registering-service.ts'

const SKEW_MS = 5000

test(
  'two nodes whose clocks differ by 5 s share challenges and limits through PostgreSQL',
  { skip: postgresMissing ?? simulatedClockMissing ?? false },
  async (t) => {
    const { url } = await startPostgres(t)
    const env = { SVC_CHALLENGE: 'altcha', SVC_DATABASE_URL: url }
    const one = await startRegistering(t, env)
    const clock = createSimulatedClock(t, Date.now() + SKEW_MS)
    const ahead = await startRegistering(t, { ...env, ...clock.env }, { deployment: one })
    const timeOf = async (node: typeof one) => {
      const { data } = await node.read('/api/v1/time')
      return Number(data['epochMs'])
    }
    assert.ok((await timeOf(ahead)) - (await timeOf(one)) > SKEW_MS / 2, 'the clocks differ')

    for (const [from, to, name] of [
      [one, ahead, 'first'],
      [ahead, one, 'second'],
    ] as const) {
      const challengeToken = await solvedToken(from.port)
      const registered = await to.register({ email: `${name}@example.org`, challengeToken })
      assert.equal(registered.status, 200, registered.text)
      for (const node of [from, to]) {
        const replay = await node.register({ email: 'replay@example.org', challengeToken })
        assert.equal(replay.code, 'CHALLENGE_FAILED', replay.text)
      }
    }
    for (const nodes of [
      [one, ahead],
      [ahead, one],
    ]) {
      const address = `198.51.100.${nodes.indexOf(one) + 1}`
      const codes = []
      for (let count = 0; count < 2 * LIMITS.registrationPerActor.requests; count += 1) {
        const said = await nodes[count % 2]?.register({ email: 'invalid' }, { address })
        codes.push(said?.code)
      }
      const admitted = codes.filter((code) => code === 'INVALID_EMAIL')
      assert.equal(admitted.length, LIMITS.registrationPerActor.requests, codes.join(' '))
    }
  },
)
