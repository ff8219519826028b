import assert from 'node:assert/strict'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { editContent, makeContent } from '../publishing/content-fixture.ts'
import { freeUdpPort, responseTo, startSntpServer } from '../service/time/sntp-server.ts'
import { svcIn, argsOf } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Publishes changed content each time, with a time source at this port. */
function publisher(t: TestContext) {
  const content = makeContent(t)
  const releases = path.join(temporaryFolder(t), 'releases')
  let title = 'Reading'
  return async (port: number) => {
    const before = title
    title += 's'
    editContent(content, 'roadmap', `title: ${before}\n`, `title: ${title}\n`)
    const args = [
      ...argsOf('publish --no-cards --note N. --content'),
      content,
      '--releases',
      releases,
    ]
    const env = { SVC_NTP_SERVER: `127.0.0.1:${port}` }
    const { status, out, error } = await svcIn(content, [...args, '--create', '--json'], { env })
    assert.equal(status, 0, error)
    const { outcome, warnings } = JSON.parse(out) as {
      readonly outcome: string
      readonly warnings: readonly string[]
    }
    assert.equal(outcome, 'published')
    return warnings
  }
}

/** A time source whose clock differs from that of this machine. */
async function timeSource(t: TestContext, differenceMs: number): Promise<number> {
  const server = await startSntpServer((query) => {
    const nowMs = Date.now() + differenceMs
    return [responseTo(query, { receiveMs: nowMs, transmitMs: nowMs })]
  })
  t.after(() => server.stop())
  return server.port
}

test('publishing warns of a clock that differs from the time source by more than 2 s', async (t) => {
  const publish = publisher(t)
  for (const [differenceMs, expected] of [
    [0, undefined],
    [-90_000, /^the clock is (?:89|90|91)\.\d s ahead of 127\.0\.0\.1 \(SVC_NTP_SERVER\)$/],
    [3_600_000, /^the clock is 3(?:599|600)\.\d s behind 127\.0\.0\.1 \(SVC_NTP_SERVER\)$/],
  ] as const) {
    const warnings = await publish(await timeSource(t, differenceMs))
    if (expected === undefined) assert.deepEqual(warnings, [])
    else assert.match(warnings.join('\n'), expected)
  }
})

test('publishing succeeds without the time source, and says that the clock was not compared', async (t) => {
  const [warning = '', ...others] = await publisher(t)(await freeUdpPort())
  assert.match(warning, /^the clock could not be compared with 127\.0\.0\.1 \(SVC_NTP_SERVER\): \S/)
  assert.deepEqual(others, [])
})
