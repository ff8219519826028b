import { spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, connect } from 'node:net'
import type { TestContext } from 'node:test'
import { collectText } from '../support/collect-text.ts'
import { eventually } from '../support/eventually.ts'

/** Whether a program is there to be started. */
export function hasProgram(name: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$0"', name]).status === 0
}

/** Ports below those that systems give to connections and to servers that listen on port 0. */
const FIRST_PORT = 10_000
const LAST_PORT = 32_000

/** A free port on loopback. Until a program listens there, only another caller of this function could take it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

/** Whether a program listens on a port of loopback. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => resolve(false))
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

/** Starts a program and waits until it listens; it ends with the test. If it fails, its output is reported. */
export async function startCacheProcess(
  t: TestContext,
  port: number,
  program: string,
  args: readonly string[],
  env: { readonly [name: string]: string },
): Promise<void> {
  const { PATH = '' } = process.env
  const child = spawn(program, args, { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const written = collectText(child.stdout, child.stderr)
  let hasEnded = false
  const ended = once(child, 'close').then(() => {
    hasEnded = true
  })
  t.after(async () => {
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await ended
    clearTimeout(late)
  })
  await eventually(`${program} listens`, async () => {
    return hasEnded || (await accepts(port)) || undefined
  })
  if (hasEnded) throw new Error(`${program} ended: ${written.text}`)
}

/** Replacements in a documented configuration; each replaced value must occur in it once. */
export interface ConfigurationEdits {
  readonly [documented: string]: string
}

/** A documented configuration with other values. */
export function configuredFrom(documented: string, values: ConfigurationEdits): string {
  let text = documented
  for (const [before, after] of Object.entries(values)) {
    const parts = text.split(before)
    if (parts.length !== 2) throw new Error(`expected "${before}" once, found ${parts.length - 1}`)
    text = parts.join(after)
  }
  return text
}
