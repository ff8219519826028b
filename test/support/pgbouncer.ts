import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { Client } from 'pg'
import { freePort, hasProgram } from '../caches/cache-process.ts'
import { collectText } from './collect-text.ts'
import { eventually } from './eventually.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** False where PgBouncer can be started, else why it cannot. */
export const pgbouncerMissing: string | false = hasProgram('pgbouncer')
  ? false
  : 'pgbouncer is not installed'

/**
 * Starts PgBouncer in transaction mode, with two connections to the server, in front of a database. Returns the URL.
 */
export async function startPgbouncer(t: TestContext, database: URL): Promise<string> {
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o755)
  const port = await freePort()
  const name = database.pathname.slice(1)
  const users = path.join(folder, 'users.txt')
  writeFileSync(users, `"${database.username}" "${database.password}"\n`)
  const file = path.join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
${name} = host=${database.hostname} port=${database.port} dbname=${name}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = 2
`,
  )
  // PgBouncer refuses to run as root.
  const rights = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const child = spawn('pgbouncer', [file], { stdio: ['ignore', 'ignore', 'pipe'], ...rights })
  const log = collectText(child.stderr)
  t.after(async () => {
    const ended = child.exitCode === null ? once(child, 'close') : []
    child.kill('SIGKILL')
    await ended
  })
  const url = new URL(database)
  url.port = String(port)
  await eventually('PgBouncer accepts connections', async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${log.text}`)
    const client = new Client({ connectionString: url.href })
    client.on('error', () => {})
    try {
      await client.connect()
      return true
    } catch {
      return undefined
    } finally {
      await client.end().catch(() => {})
    }
  })
  return url.href
}
