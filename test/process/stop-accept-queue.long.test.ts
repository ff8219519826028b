import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stopWithWaiting } from '../support/waiting-connections.ts'

const RUNS = 10

for (const [what, env] of [
  ['one process', {}],
  ['two workers', { SVC_WORKERS: '2' }],
] as const) {
  for (const count of [5, 30, 100]) {
    test(`${what}: ten stops answer ${count} connections that wait to be accepted`, async (t) => {
      for (let run = 0; run < RUNS; run += 1) {
        const outcomes = await stopWithWaiting(t, count, env)
        const lost = outcomes.filter((each) => each !== 'HTTP/1.1 200 OK')
        assert.deepEqual(lost, [], `run ${run}`)
      }
    })
  }
}
