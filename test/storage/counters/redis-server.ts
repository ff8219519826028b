import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, hasProgram } from '../../caches/cache-process.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Why no server can be started on this machine; undefined if one can. */
export const REDIS_SKIP_REASON: string | undefined = hasProgram('redis-server')
  ? undefined
  : 'redis-server is not installed'

/** A real server on a free port, without persistence. It is stopped after the test. */
export interface RedisServer {
  readonly port: number
  readonly url: string
  start(): Promise<void>
  /** Ends the server, and with it everything that it stored. */
  kill(): Promise<void>
  /** Stops the process without closing its connections. */
  freeze(): void
  thaw(): void
  /** Runs redis-cli and returns what it prints. */
  cli(...args: readonly string[]): string
}

export async function startRedis(
  t: { after(end: () => void | Promise<void>): void },
  options: readonly string[] = [],
): Promise<RedisServer> {
  const port = await freePort()
  const folder = temporaryFolder(t)
  let running: ChildProcess | undefined
  const cli = (...args: readonly string[]) =>
    spawnSync('redis-cli', ['-p', String(port), ...args]).stdout.toString()
  const server: RedisServer = {
    port,
    url: `redis://127.0.0.1:${port}`,
    cli,
    async start() {
      const args = ['--port', String(port), '--dir', folder, '--save', '', '--appendonly', 'no']
      running = spawn('redis-server', [...args, ...options], { stdio: 'ignore' })
      for (let attempt = 0; attempt < 200; attempt += 1) {
        if (cli('PING').startsWith('PONG') || cli('PING').includes('NOAUTH')) return
        await sleep(25)
      }
      throw new Error(`redis-server does not respond on port ${port} (see ${path.resolve(folder)})`)
    },
    async kill() {
      const ending = running
      running = undefined
      if (ending === undefined) return
      const ended = once(ending, 'exit')
      ending.kill('SIGCONT')
      ending.kill('SIGKILL')
      await ended
    },
    freeze: () => running?.kill('SIGSTOP'),
    thaw: () => running?.kill('SIGCONT'),
  }
  t.after(() => server.kill())
  await server.start()
  return server
}
