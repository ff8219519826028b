import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { makeDeployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { makeReleases } from '../support/made-releases.ts'
import { startService } from '../support/service-process.ts'

/**
 * For clients that send many requests and read nothing or little. A connection may have 4 MB of responses for a moment, so
 * the heap and its collector set the peak, and the number of clients does not: measured were 216 to 266 MiB with 120, 390
 * to 495 MiB with 300, and 243 to 412 MiB with 1,200, for which 4 MB each would be 4,800 MB.
 */
const MAX_RESIDENT_MIB = 600
/** For many clients that each ask for a long history. */
const MAX_WITH_HISTORY_MIB = 400
const HISTORY_LENGTH = 10_000
const HISTORY_CLIENTS = 2000
const TARGETS = ['/api/v1/policy', '/api/v1/openapi.json', '/api/v1/versions', '/api/v1', '/en']
const FEW = 60
/** As much as one read of the server takes. */
const FLOOD_BYTES = 65_536

/** Peak resident memory of a process, which Linux keeps. */
function peakMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}

/** The program and its options as `npm start` runs it. */
function startCommand(): readonly string[] {
  const root = path.dirname(path.dirname(import.meta.dirname))
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly start: string }
  }
  const args = scripts.start.replace(/^.* exec node /, '').split(' ')
  return args.map((arg) => (arg.startsWith('--') ? arg : path.join(root, arg)))
}

function openConnection(t: TestContext, port: number, bytes: string): Socket {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  socket.pause()
  socket.write(bytes)
  return socket
}

function flood(t: TestContext, port: number, index: number): Socket {
  const request = `GET ${TARGETS[index % TARGETS.length]} HTTP/1.1\r\nHost: a\r\n\r\n`
  return openConnection(t, port, request.repeat(Math.floor(FLOOD_BYTES / request.length)))
}

/** Reads as other clients do, for a while; every read must be answered. */
async function assertServed(origin: string, reads: number): Promise<void> {
  for (let index = 0; index < reads; index += 1) {
    const response = await fetch(`${origin}${TARGETS[index % TARGETS.length]}`)
    assert.equal(response.status, 200)
    await response.arrayBuffer()
  }
}

for (const [what, count, read] of [
  ['120 clients that send 64 KiB of requests and read nothing', 120, () => {}],
  ['1,200 such clients', 1200, () => {}],
  [
    '300 clients that read a kilobyte at a time',
    300,
    (socket: Socket) => {
      const reading = setInterval(() => socket.read(1024), 50)
      socket.on('close', () => clearInterval(reading))
    },
  ],
] as const) {
  test(
    `${what} leave the service below ${MAX_RESIDENT_MIB} MiB and the others served`,
    { skip: process.platform === 'linux' ? false : 'reads /proc' },
    async (t) => {
      const service = startService(t, makeDeployment(t).folder, {}, startCommand())
      const { port, origin } = await service.serving()
      const sockets: Socket[] = []
      while (sockets.length < count) {
        // Few at a time: the system drops connections that do not fit in the queue, and tries again ever later.
        const few = Array.from({ length: FEW }, (_, index) => flood(t, port, index))
        for (const socket of few) read(socket)
        sockets.push(...few)
        await eventually('they are connected', () =>
          few.every(({ connecting }) => !connecting) ? true : undefined,
        )
      }
      await assertServed(origin, 200)
      const peak = peakMib(service.pid)
      t.diagnostic(`peak: ${Math.round(peak)} MiB`)
      assert.ok(peak < MAX_RESIDENT_MIB, `${Math.round(peak)} MiB`)
      for (const socket of sockets) socket.destroy()
      await assertServed(origin, 5)
    },
  )
}

test(
  `${HISTORY_CLIENTS} clients that ask for ${HISTORY_LENGTH} versions and read nothing leave the service below ${MAX_WITH_HISTORY_MIB} MiB and the others served`,
  { skip: process.platform === 'linux' ? false : 'reads /proc' },
  async (t) => {
    const { folder, releasesDir } = makeDeployment(t)
    const { versions, resources } = makeReleases(HISTORY_LENGTH)
    for (const [file, json] of resources) {
      const [name = '', digest = ''] = file.split(' ')
      mkdirSync(path.join(releasesDir, 'resources', name), { recursive: true })
      writeFileSync(path.join(releasesDir, 'resources', name, `${digest}.json`), json)
    }
    for (const [snapshotId, json] of versions) {
      writeFileSync(path.join(releasesDir, 'versions', `${snapshotId}.json`), json)
    }
    const service = startService(t, folder, {}, startCommand())
    const { port, origin } = await service.serving()
    const request = 'GET /api/v1/versions HTTP/1.1\r\nHost: a\r\n\r\n'
    const sockets = Array.from({ length: HISTORY_CLIENTS }, () => openConnection(t, port, request))
    await eventually('all are connected', () =>
      sockets.every(({ connecting }) => !connecting) ? true : undefined,
    )
    await assertServed(origin, 50)
    const peak = peakMib(service.pid)
    t.diagnostic(`peak: ${Math.round(peak)} MiB`)
    assert.ok(peak < MAX_WITH_HISTORY_MIB, `${Math.round(peak)} MiB`)
    for (const socket of sockets) socket.destroy()
    await assertServed(origin, 5)
  },
)
