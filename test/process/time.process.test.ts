import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '@public-api/contract/terms/limits'
import { responseTo, freeUdpPort, startSntpServer } from '../service/time/sntp-server.ts'
import { makeDeployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { startService } from '../support/service-process.ts'

interface Quality {
  readonly state: string
  readonly source: string | null
  readonly offsetMs: number | null
  readonly maxErrorMs: number | null
  readonly checkedAt: string | null
}

async function qualityAt(origin: string): Promise<Quality> {
  const response = await fetch(`${origin}/api/v1/time`)
  assert.equal(response.status, 200)
  return ((await response.json()) as { data: { quality: Quality } }).data.quality
}

for (const aheadMs of [0, 3_600_000]) {
  test(`a time source that is ${aheadMs} ms ahead shows with its offset and error`, async (t) => {
    const server = await startSntpServer((query) => {
      const nowMs = Date.now() + aheadMs
      return [responseTo(query, { receiveMs: nowMs, transmitMs: nowMs })]
    })
    t.after(() => server.stop())
    const source = `127.0.0.1:${server.port}`
    const service = startService(t, makeDeployment(t).folder, { SVC_NTP_SERVER: source })
    const { origin } = await service.serving()
    const quality = await eventually('the clock is measured', async () => {
      const now = await qualityAt(origin)
      return now.checkedAt === null ? undefined : now
    })
    assert.equal(quality.source, source)
    // The clock is behind its source by so much; the way there and back is the error.
    const { offsetMs, maxErrorMs } = quality
    assert.ok(offsetMs !== null && maxErrorMs !== null)
    assert.ok(Math.abs(offsetMs + aheadMs) <= maxErrorMs, JSON.stringify(quality))
    // On a starved machine the way there and back takes more than the bound allows.
    const isClose = Math.abs(offsetMs) + maxErrorMs <= LIMITS.maxTimeDistanceMs
    assert.equal(quality.state, isClose ? 'SYNCHRONIZED' : 'UNSYNCHRONIZED')
    assert.equal((await service.stop()).code, 0)
  })
}

test('a silent time source leaves the quality unverified and does not delay a stop', async (t) => {
  const source = `127.0.0.1:${await freeUdpPort()}`
  const service = startService(t, makeDeployment(t).folder, { SVC_NTP_SERVER: source })
  const { origin } = await service.serving()
  const { state, offsetMs, checkedAt } = await qualityAt(origin)
  assert.match(state, /^(UNVERIFIED|UNSYNCHRONIZED)$/)
  assert.deepEqual([offsetMs, checkedAt], [null, null])
  assert.equal((await service.stop()).code, 0)
})
