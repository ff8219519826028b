import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { editContent, makeContent } from '../publishing/content-fixture.ts'
import { freeUdpPort, responseTo, startSntpServer } from '../service/time/sntp-server.ts'
import { serve, silentOrigin } from '../support/loopback-server.ts'
import { svcIn, argsOf } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Publishes changed content each time, with a time source at this port. */
function publisher(t: TestContext) {
  const content = makeContent(t)
  const releases = path.join(temporaryFolder(t), 'releases')
  let title = 'Reading'
  return async (env: { readonly [name: string]: string }, isAccepted = false) => {
    const before = title
    title += 's'
    editContent(content, 'roadmap', `title: ${before}\n`, `title: ${title}\n`)
    const args = [
      ...argsOf('publish --no-cards --note N. --content'),
      content,
      '--releases',
      releases,
    ]
    const yes = isAccepted ? ['--yes'] : []
    const { status, out, error } = await svcIn(content, [...args, ...yes, '--create', '--json'], {
      env,
    })
    if (status === 2) {
      editContent(content, 'roadmap', `title: ${title}\n`, `title: ${before}\n`)
      title = before
      return { refusal: error, isCreated: existsSync(path.join(releases, 'versions')) }
    }
    assert.equal(status, 0, error)
    const { outcome, warnings } = JSON.parse(out) as {
      readonly outcome: string
      readonly warnings: readonly string[]
    }
    assert.equal(outcome, 'published')
    return { warnings }
  }
}

const sourceAt = (port: number) => ({ SVC_NTP_SERVER: `127.0.0.1:${port}` })

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
    [250_000, /^the clock is 2(?:49|50)\.\d s behind 127\.0\.0\.1 \(SVC_NTP_SERVER\)$/],
  ] as const) {
    const { warnings = [] } = await publish(sourceAt(await timeSource(t, differenceMs)))
    if (expected === undefined) assert.deepEqual(warnings, [])
    else assert.match(warnings.join('\n'), expected)
  }
})

test('a clock that differs by more than 5 minutes needs --yes, and nothing is published without', async (t) => {
  const publish = publisher(t)
  const port = await timeSource(t, -31_536_000_000)
  const { refusal, isCreated } = await publish(sourceAt(port))
  assert.match(
    refusal ?? '',
    /expected --yes, .*; the clock is \d+\.\d s ahead of 127\.0\.0\.1 \(SVC_NTP_SERVER\); nothing was published/,
  )
  assert.equal(isCreated, false)
  const { warnings = [] } = await publish(sourceAt(port), true)
  assert.match(warnings.join('\n'), /^the clock is \d+\.\d s ahead of 127\.0\.0\.1/)
})

test('without a time source the clock is compared with that of the service, if it responds', async (t) => {
  const publish = publisher(t)
  const serving = async (differenceMs: number) => {
    const data = { epochMs: Date.now() + differenceMs }
    const origin = await serve(t, (_request, response) => response.end(JSON.stringify({ data })))
    return { SVC_BASE_URL: origin }
  }
  assert.match((await publish(await serving(-3_600_000))).refusal ?? '', /ahead of .*SVC_BASE_URL/)
  assert.deepEqual((await publish(await serving(0))).warnings, [])
  assert.deepEqual((await publish({ SVC_BASE_URL: await silentOrigin() })).warnings, [])
})

test('publishing succeeds without the time source, and says that the clock was not compared', async (t) => {
  const { warnings: [warning = '', ...others] = [] } = await publisher(t)(
    sourceAt(await freeUdpPort()),
  )
  assert.match(warning, /^the clock could not be compared with 127\.0\.0\.1 \(SVC_NTP_SERVER\): \S/)
  assert.deepEqual(others, [])
})
