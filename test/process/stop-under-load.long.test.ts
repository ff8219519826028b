import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runClosedLoop } from '../support/closed-loop.ts'
import { makeDeployment } from '../support/deployment.ts'
import { startService } from '../support/service-process.ts'

const CONNECTIONS = 50
const RUNS = 10

test('ten stops under keep-alive load lose no request, and every connection gets Connection: close', async (t) => {
  for (let run = 0; run < RUNS; run += 1) {
    const service = startService(t, makeDeployment(t).folder)
    const { port } = await service.serving()
    const loops = Array.from({ length: CONNECTIONS }, () => runClosedLoop(port, '/api/v1/status'))
    await Promise.all(loops.map(({ underWay }) => underWay))
    service.signal('SIGTERM')
    for (const { sent, answered, saidClose } of await Promise.all(
      loops.map(({ ended }) => ended),
    )) {
      assert.ok(answered > 1, 'the connection was used before the stop')
      assert.equal(answered, sent, `run ${run}`)
      assert.ok(saidClose, `run ${run}`)
    }
    assert.deepEqual(await service.ended, { code: 0, signal: null })
  }
})
