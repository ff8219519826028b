import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseNtpServer } from '../../../src/service/time/ntp-server.ts'
import { querySntp } from '../../../src/service/time/sntp.ts'
import { openTimeQuality } from '../../../src/service/time/time-quality.ts'
import type { TimeQuality, TimeQualityMonitor } from '../../../src/service/time/time-quality.ts'
import { eventually } from '../../support/eventually.ts'
import { freeUdpPort } from './sntp-server.ts'

// A real time daemon, on the machine's real clocks: what it serves is this machine's own time, so the true offset is 0.
// It is started with -x and never touches the clock.

const DEADLINE_MS = 20_000
const monotonicMs = (): number => performance.now()

function chronydPath(): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map((folder) => join(folder, 'chronyd')).find((file) => existsSync(file)) ?? null
}

interface Chronyd {
  stop(): Promise<void>
}

async function startChronyd(program: string, folder: string, port: number): Promise<Chronyd> {
  const configFile = join(folder, 'chrony.conf')
  const config = [
    'local stratum 8',
    'allow 127.0.0.1',
    'bindaddress 127.0.0.1',
    `port ${port}`,
    'cmdport 0',
    'bindcmdaddress /',
    `pidfile ${join(folder, 'chronyd.pid')}`,
  ]
  await writeFile(configFile, `${config.join('\n')}\n`)
  // -U: no root needed, since neither the clock nor a low port is touched.
  const flags = ['-x', '-d', '-U', '-u', userInfo().username, '-f', configFile]
  const child = spawn(program, flags, { stdio: ['ignore', 'pipe', 'pipe'] })
  const output: string[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()))
  const ended = once(child, 'close')
  const chronyd: Chronyd = {
    stop: async () => {
      if (!hasEnded(child)) child.kill()
      await ended
    },
  }
  const deadlineMs = monotonicMs() + DEADLINE_MS
  for (;;) {
    try {
      await querySntp({ ...ASKED_ONCE, server: { host: '127.0.0.1', port } })
      return chronyd
    } catch (error) {
      if (hasEnded(child) || monotonicMs() > deadlineMs) {
        await chronyd.stop()
        throw new Error(`chronyd does not answer: ${output.join('')}`, { cause: error })
      }
      await sleep(20)
    }
  }
}

const ASKED_ONCE = {
  turn: 0,
  timeoutMs: 500,
  nowMs: Date.now,
  monotonicMs,
} as const

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

function qualityOnceIn(
  monitor: TimeQualityMonitor,
  state: TimeQuality['state'],
): Promise<TimeQuality> {
  return eventually(`the time is ${state}`, () => {
    const quality = monitor.quality()
    return quality.state === state ? quality : undefined
  })
}

void test(
  'against chronyd: synchronized, then silent, then back',
  { timeout: 600_000 },
  async (t) => {
    const program = chronydPath()
    if (program === null) return t.skip('chronyd is not on this machine')
    if (spawnSync(program, ['--version']).status !== 0) return t.skip('chronyd does not run here')
    const folder = await mkdtemp(join(tmpdir(), 'time-quality-'))
    const port = await freeUdpPort()
    let chronyd = await startChronyd(program, folder, port)
    const failures: unknown[] = []
    const source = `127.0.0.1:${port}`
    const monitor = openTimeQuality({
      server: parseNtpServer(source),
      nowMs: Date.now,
      monotonicMs,
      bounds: {
        intervalMs: 100,
        retryMs: 50,
        silenceLimitMs: 1000,
        queryTimeoutMs: 5000,
      },
      onFailure: (error) => failures.push(error),
    })
    t.after(async () => {
      monitor.close()
      await chronyd.stop()
      await rm(folder, { recursive: true })
    })

    const first = await qualityOnceIn(monitor, 'SYNCHRONIZED')
    assertTrue(first, source)
    assert.deepEqual(failures, [])
    // More measurements than one: each of them holds, not only the first.
    for (let more = 0; more < 10; more += 1) {
      await sleep(50)
      const later = monitor.quality()
      if (later.state === 'SYNCHRONIZED') assertTrue(later, source)
    }

    await chronyd.stop()
    const silent = await qualityOnceIn(monitor, 'UNSYNCHRONIZED')
    assert.equal(silent.source, source)
    assert.equal(silent.offsetMs, null)
    assert.equal(silent.maxErrorMs, null)
    assert.ok(silent.checkedAt !== null && silent.checkedAt > (first.checkedAt ?? ''))
    // A query that the daemon took with it fails at its timeout only, long after the silence was reported.
    await eventually('a failure is reported', () => failures.length > 0 || undefined)

    chronyd = await startChronyd(program, folder, port)
    const back = await qualityOnceIn(monitor, 'SYNCHRONIZED')
    assertTrue(back, source)
    assert.ok((back.checkedAt ?? '') > silent.checkedAt)
  },
)

/** The reference is this machine's own clock: the offset is 0 in truth, so the stated error must cover what is reported. */
function assertTrue(quality: TimeQuality, source: string): void {
  const { offsetMs, maxErrorMs, checkedAt } = quality
  assert.equal(quality.source, source)
  assert.ok(offsetMs !== null && maxErrorMs !== null && checkedAt !== null)
  assert.ok(Math.abs(offsetMs) <= maxErrorMs, `offset ${offsetMs} ms, error ${maxErrorMs} ms`)
  assert.ok(Math.abs(Date.now() - Date.parse(checkedAt)) < DEADLINE_MS)
}
