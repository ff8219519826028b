import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import path from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { deflateSync, gzipSync } from 'node:zlib'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import {
  clientCommands,
  missingProgram,
  missingPython,
  openGoFolder,
  PYTHON,
  PYTHON_ENV,
} from '../docs/verifiers.ts'
import { runApp, TEST_SIGNING_KEY } from '../support/running-app.ts'

const PIN = derivePublicSigningKey(TEST_SIGNING_KEY).keyId
const MAX_MEGABYTES = 150
/** After this time a reader is ended: what it stored until then counts. */
const MAX_RUN_MS = 40_000
const KEYS = '/api/v1/keys/signing-key'

const go = openGoFolder()
after(() => go.close())

/** What a server sends after the request, on a connection of its own. Resolves when it has sent everything. */
type Send = (socket: Socket) => Promise<void> | void

const head = (status: number, ...fields: readonly string[]) =>
  `HTTP/1.1 ${[`${status} X`, 'Connection: close', ...fields].join('\r\n')}\r\n\r\n`

/** Repeats a part until the reader goes away, as fast as it reads. */
const forever =
  (start: string, part: string | Buffer): Send =>
  async (socket) => {
    socket.write(start)
    while (!socket.destroyed) {
      if (socket.write(part)) await new Promise(setImmediate)
      else {
        await new Promise<void>((resolve) => {
          const goOn = () => {
            socket.off('drain', goOn).off('close', goOn)
            resolve()
          }
          socket.on('drain', goOn).on('close', goOn)
        })
      }
    }
  }

const whole =
  (status: number, body: string | Buffer, ...fields: readonly string[]): Send =>
  (socket) => {
    socket.write(head(status, `Content-Length: ${Buffer.byteLength(body)}`, ...fields))
    socket.end(body)
  }

/** Fields that look like a proof, so that a reader goes on. */
const SIGNED = [
  `Content-Digest: sha-256=:${'A'.repeat(43)}=:`,
  'X-SVC-Signed-At: 2026-11-21T09:00:00.000Z',
  `X-SVC-Signature: ${'A'.repeat(86)}==`,
]
const CHUNKED = 'Transfer-Encoding: chunked'
const BRACKETS = '['.repeat(5_000_000)
const OBJECTS = `{"data":[${'{},'.repeat(4_000_000)}{}]}`
const ZEROS = Buffer.alloc(400_000_000)

const SENDS: { readonly [name: string]: Send } = {
  'one-byte chunks': forever(head(200, CHUNKED), '1\r\nx\r\n'.repeat(4000)),
  'chunks of 16 bytes': forever(head(200, CHUNKED), `10\r\n${'x'.repeat(16)}\r\n`.repeat(2000)),
  'one-byte chunks in a 503': forever(head(503, CHUNKED), '1\r\nx\r\n'.repeat(4000)),
  'an endless body': forever(head(200, ...SIGNED), 'x'.repeat(65_536)),
  'a body that gzip makes 400 MB': whole(200, gzipSync(ZEROS), 'Content-Encoding: gzip'),
  'an error that deflate makes 400 MB': whole(500, deflateSync(ZEROS), 'Content-Encoding: deflate'),
  'brackets in an unsigned 503': whole(503, BRACKETS),
  'brackets in a 200': whole(200, BRACKETS, ...SIGNED),
  'empty objects in an unsigned 500': whole(500, OBJECTS),
  'empty objects in a 200': whole(200, OBJECTS, ...SIGNED),
  'endless interim responses': forever(
    '',
    'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100),
  ),
  'endless header fields': forever('HTTP/1.1 200 OK\r\n', 'X-A: b\r\n'.repeat(1000)),
  'an endless chunk extension': forever(`${head(200, CHUNKED)}1;`, 'x'.repeat(65_536)),
}

/** Serves an honest app, but for what `isHostile` selects. */
async function serveHostile(
  t: TestContext,
  appOrigin: string,
  send: Send,
  isHostile: (target: string) => boolean,
): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('data', (request) => {
      const target = / (\S+) /.exec(request.toString('latin1'))?.[1] ?? '/'
      if (isHostile(target)) return void send(socket)
      void fetch(appOrigin + target).then(async (honest) => {
        const body = Buffer.from(await honest.arrayBuffer())
        const kept = [...honest.headers].filter(
          ([name]) => !/^(connection|content-length|transfer|keep)/.test(name),
        )
        void whole(honest.status, body, ...kept.map((pair) => pair.join(': ')))(socket)
      })
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as { readonly port: number }
  return `http://127.0.0.1:${port}`
}

/** A reader as a program: its arguments for an origin. */
interface Reader {
  readonly name: string
  readonly missing: string | undefined
  readonly command: string
  readonly env?: NodeJS.ProcessEnv
  args(origin: string): readonly string[]
}

const CLI = path.resolve('packages/cli/src/main.ts')
const CLIENT = path.resolve('packages/client/src/index.ts')
const verify = (origin: string) => ['verify', `${origin}/api/v1/status`, '--pin', PIN]
const READERS: readonly Reader[] = [
  {
    name: 'svc verify',
    missing: undefined,
    command: process.execPath,
    args: (origin) => [CLI, ...verify(origin)],
  },
  {
    name: 'svc audit',
    missing: undefined,
    command: process.execPath,
    args: (origin) => [CLI, 'audit', origin, '--pin', PIN],
  },
  {
    name: 'JavaScript library',
    missing: undefined,
    command: process.execPath,
    args: (origin) => [
      '--input-type=module',
      '-e',
      `const { createClient } = await import(${JSON.stringify(CLIENT)})
      const client = createClient({ baseUrl: '${origin}', pinnedKeyIds: ['${PIN}'] })
      await client.status().catch((error) => { console.error(String(error)); process.exitCode = 3 })`,
    ],
  },
  {
    name: 'Python client',
    missing: missingPython(),
    command: PYTHON,
    env: PYTHON_ENV,
    args: (origin) => ['-m', 'public_api', ...verify(origin)],
  },
  {
    name: 'Go client',
    missing: missingProgram('go'),
    command: path.resolve('node_modules/.cache/go/public-api'),
    args: verify,
  },
]

/** Runs a reader. Resolves with its exit code and the most memory that it had, in MB. */
async function measure({ command, args, env = process.env }: Reader, origin: string) {
  const child = spawn(command, [...args(origin)], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let [peak, error] = [0, '']
  child.stderr.on('data', (part) => (error = `${error}${part}`.slice(0, 2000)))
  const look = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1000)
    } catch {
      // It has ended.
    }
  }, 5)
  const end = setTimeout(() => child.kill('SIGKILL'), MAX_RUN_MS)
  const code = await new Promise<number | null>((resolve) => {
    child.on('exit', resolve)
  })
  clearInterval(look)
  clearTimeout(end)
  return { code, peak, error }
}

const noProc = existsSync('/proc/self/status') ? undefined : 'there is no /proc'

for (const reader of READERS) {
  void test(
    `${reader.name} stays below ${MAX_MEGABYTES} MB`,
    {
      skip: noProc ?? reader.missing ?? false,
      timeout: Object.keys(SENDS).length * 3 * MAX_RUN_MS,
    },
    async (t) => {
      if (reader.name === 'Go client') {
        await clientCommands(go)
          .find(({ file }) => file === 'clients/go')
          ?.runCommandLine('--help')
      }
      const app = await runApp(t, { clock: { nowMs: Date.now } })
      const honest = await measure(
        reader,
        await serveHostile(
          t,
          app.origin,
          () => {},
          () => false,
        ),
      )
      assert.equal(honest.code, 0, honest.error)
      // A reader that ends within 5 ms is not measured.
      assert.ok(honest.peak > 0)
      for (const [name, send] of Object.entries(SENDS)) {
        for (const [where, isHostile] of [
          ['everywhere', () => true],
          ['but for the keys', (target: string) => !target.startsWith(KEYS)],
        ] as const) {
          await t.test(`${name}, ${where}`, async (each) => {
            const { code, peak } = await measure(
              reader,
              await serveHostile(each, app.origin, send, isHostile),
            )
            each.diagnostic(`${peak} MB, exit ${code}`)
            assert.ok(peak < MAX_MEGABYTES, `${peak} MB`)
            assert.notEqual(code, 0, 'nothing was verified')
          })
        }
      }
    },
  )
}
