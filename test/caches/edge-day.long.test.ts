import assert from 'node:assert/strict'
import { test } from 'node:test'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { dated, runFrontedService } from '../support/fronted-service.ts'
import { TEST_NOW_MS } from '../support/running-app.ts'
import { createSeededRandom } from '../support/seeded-random.ts'
import { askCache } from './cache-reader.ts'
import { createSimulatedClock } from './simulated-clock.ts'
import { nginxMissing, startNginx } from './start-nginx.ts'

const DAY_SECONDS = 86_400
const LIFETIME_SECONDS = 60
const EDGES = 3
/** Of the model in docs/scaling.md. */
const TOLERANCE = 0.1

/** One stream of readers at one edge location: Poisson arrivals, so the gaps are exponential. */
interface Stream {
  readonly name: string
  readonly target: string
  readonly meanGapSeconds: number
  /** Whether the readers have the current response and send conditional requests. nginx stores the 304 as a separate entry. */
  readonly isConditional: boolean
}

const STREAMS: readonly Stream[] = [
  { name: 'busy', target: READ_PATHS.status, meanGapSeconds: 30, isConditional: false },
  { name: 'conditional', target: READ_PATHS.status, meanGapSeconds: 60, isConditional: true },
  { name: 'steady', target: READ_PATHS.roadmap, meanGapSeconds: 120, isConditional: false },
  { name: 'quiet', target: READ_PATHS.openapi, meanGapSeconds: 300, isConditional: false },
]

interface Arrival {
  readonly atSecond: number
  readonly edge: number
  readonly stream: Stream
}

/** A day of arrivals at every edge, in order of time. */
function createArrivals(): readonly Arrival[] {
  const random = createSeededRandom(20_261_122)
  const resolution = 1_000_000
  const arrivals: Arrival[] = []
  for (let edge = 0; edge < EDGES; edge += 1) {
    for (const stream of STREAMS) {
      let atSecond = 0
      for (;;) {
        const uniform = (random(resolution) + 1) / (resolution + 1)
        atSecond += -Math.log(uniform) * stream.meanGapSeconds
        if (atSecond >= DAY_SECONDS) break
        arrivals.push({ atSecond, edge, stream })
      }
    }
  }
  return arrivals.toSorted((a, b) => a.atSecond - b.atSecond)
}

/**
 * Requests to the origin in a day for one stored response at one edge: it is fresh for its lifetime, and the first reader
 * after that causes the next request, whether in the background or not (docs/scaling.md).
 */
function predictedOriginRequests({ meanGapSeconds }: Stream): number {
  return DAY_SECONDS / (LIFETIME_SECONDS + meanGapSeconds)
}

test(
  'origin requests of a day with three edges match the scaling model',
  { skip: nginxMissing },
  async (t) => {
    const clock = createSimulatedClock(t, TEST_NOW_MS)
    const options = { nowMs: clock.nowMs, added: dated(clock.nowMs) }
    const nodes = [
      await runFrontedService(t, options),
      await runFrontedService(t, options),
    ] as const
    const upstream = {
      '127.0.0.1:8080': nodes.map(({ port }) => `127.0.0.1:${port}`).join('; server '),
    }
    const ports: number[] = []
    for (let edge = 0; edge < EDGES; edge += 1) {
      ports.push((await startNginx(t, nodes[0].port, clock, upstream)).port)
    }
    const etags = new Map<Stream, string>()
    for (const stream of STREAMS.filter(({ isConditional }) => isConditional)) {
      const response = await askCache(nodes[0].port, stream.target)
      etags.set(stream, response.header('etag') ?? assert.fail('no ETag'))
    }
    const originRequests = () => nodes.reduce((sum, { seen }) => sum + seen.length, 0)
    const before = nodes.map(({ seen }) => seen.length)

    const counted = new Map(STREAMS.map((stream) => [stream, { readers: 0, origin: 0, failed: 0 }]))
    let second = 0
    for (const { atSecond, edge, stream } of createArrivals()) {
      // libfaketime knows whole seconds.
      const step = Math.floor(atSecond) - second
      if (step > 0) {
        clock.advance(step)
        second += step
      }
      const count = counted.get(stream) ?? assert.fail()
      const seenBefore = originRequests()
      const etag = etags.get(stream)
      const headers = etag === undefined ? {} : { 'If-None-Match': etag }
      const response = await askCache(ports[edge] ?? 0, stream.target, { headers })
      count.readers += 1
      count.failed += Number(response.status !== (stream.isConditional ? 304 : 200))
      const provedAt = response.header('x-svc-revalidated')?.split(';')[0]
      const signedAtMs = Date.parse(provedAt ?? response.header('x-svc-signed-at') ?? '')
      const ageSeconds = (clock.nowMs() - signedAtMs) / 1000
      // A stale response was served: nginx asks for the next one in the background, right after it.
      if (ageSeconds >= LIFETIME_SECONDS) {
        await Promise.all(nodes.map((node) => node.quiet()))
      }
      count.origin += originRequests() - seenBefore
    }

    const rows = [...counted].map(([stream, count]) => ({
      stream: stream.name,
      ...count,
      predicted: Math.round(EDGES * predictedOriginRequests(stream)),
    }))
    for (const row of rows) t.diagnostic(JSON.stringify(row))
    for (const { stream, origin, predicted, failed } of rows) {
      assert.equal(failed, 0, stream)
      const deviation = Math.abs(origin / predicted - 1)
      assert.ok(deviation <= TOLERANCE, `${stream}: ${origin} of ${predicted}`)
    }
    const served = rows.reduce((sum, { origin }) => sum + origin, 0)
    assert.equal(originRequests() - (before[0] ?? 0) - (before[1] ?? 0), served)
    const notModified = nodes.flatMap(({ seen }) => seen).filter(({ status }) => status === 304)
    const conditional = rows.find(({ stream }) => stream === 'conditional')?.origin ?? 0
    // A background request is counted with the reader after it when it starts late.
    assert.ok(Math.abs(notModified.length / conditional - 1) < 0.01)
    // nginx takes its upstreams in turn.
    for (const [index, { seen }] of nodes.entries()) {
      assert.ok(Math.abs((seen.length - (before[index] ?? 0)) / served - 0.5) < 0.05)
    }
  },
)
