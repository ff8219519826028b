import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '@public-api/contract/terms/limits'
import { startDelayingRelay } from '../support/delaying-relay.ts'
import { eventually } from '../support/eventually.ts'
import { postgresMissing, startPostgres } from '../support/postgres-server.ts'
import { solvedToken, startRegistering } from '../support/registering-service.ts'

const { requests: PER_ACTOR } = LIMITS.registrationPerActor

// The clients of one actor and the holder of one solved challenge choose the node. Whatever is cut, they gain nothing.
test(
  'two nodes with PostgreSQL count once and spend a challenge once, whatever is cut',
  { skip: postgresMissing ?? false },
  async (t) => {
    const postgres = await startPostgres(t)
    const relay = await startDelayingRelay(t, postgres.port)
    const relayed = new URL(postgres.url)
    relayed.port = String(relay.port)
    const env = { SVC_CHALLENGE: 'altcha', SVC_DATABASE_URL: postgres.url }
    const one = await startRegistering(t, { ...env, SVC_DATABASE_URL: relayed.href })
    const other = await startRegistering(t, env, { deployment: one })
    let nodes = [one, other]

    const spend = async (node: typeof one, challengeToken: string) =>
      node.register({ email: `${challengeToken.slice(-12)}@example.org`, challengeToken })
    const assertSpent = async (challengeToken: string, what: string) => {
      for (const node of nodes) {
        const { code, text } = await spend(node, challengeToken)
        assert.equal(code, 'CHALLENGE_FAILED', `${what}: ${text}`)
      }
    }
    const assertCountedOnce = async (address: string, what: string) => {
      const said = await Promise.all(
        Array.from({ length: PER_ACTOR }, () => nodes)
          .flat()
          .map((node) => node.register({ email: 'invalid' }, { address })),
      )
      const admitted = said.filter(({ code }) => code === 'INVALID_EMAIL')
      assert.equal(admitted.length, PER_ACTOR, what)
    }

    // A challenge of one node, sent to both at the same time.
    const token = await solvedToken(one.port)
    const both = await Promise.all(nodes.map((node) => spend(node, token)))
    assert.deepEqual(
      both.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 403],
    )
    await assertSpent(token, 'afterwards')
    await assertCountedOnce('198.51.100.1', 'nothing is cut')

    relay.loseConnections()
    await eventually('the cut node registers again', async () => {
      const { status } = await one.register({ email: 'invalid' })
      return status === 400 || undefined
    })
    await assertSpent(token, 'a connection was cut')
    await assertCountedOnce('198.51.100.2', 'a connection was cut')

    const unspent = await solvedToken(other.port)
    await postgres.kill()
    for (const node of nodes) {
      const { status, code } = await spend(node, unspent)
      assert.deepEqual([status, code], [503, 'REGISTRATION_UNAVAILABLE'])
      assert.equal((await node.read('/api/v1/status')).status, 200)
    }
    await postgres.start()
    for (const node of nodes) {
      await eventually('registrations are admitted again', async () => {
        const { status } = await node.register({ email: 'invalid' })
        return status === 400 || undefined
      })
    }
    await assertSpent(token, 'the database was killed')
    await assertCountedOnce('198.51.100.3', 'the database was killed')
    assert.equal((await spend(one, unspent)).status, 200, 'it was refused and not spent')

    // The node that spent it is gone; the other one knows.
    one.service.signal('SIGKILL')
    await one.service.ended
    nodes = [other]
    await assertSpent(unspent, 'a node was killed')
    nodes = [await startRegistering(t, env, { deployment: one }), other]
    await assertSpent(unspent, 'a node was started again')
    await assertCountedOnce('198.51.100.4', 'a node was started again')
  },
)
