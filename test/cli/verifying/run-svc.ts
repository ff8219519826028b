import { spawn } from 'node:child_process'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

const SVC = fileURLToPath(new URL('../../../src/cli/svc.ts', import.meta.url))

/** What a run of the program came to. */
export interface Outcome {
  readonly status: number | null
  readonly out: string
  readonly error: string
}

/** Runs the program as a person would; not spawnSync, since the deployment it asks is in this process. */
export async function svc(...args: readonly string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [SVC, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let error = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error += text
  })
  const status = await new Promise<number | null>((resolve) => {
    child.on('close', resolve)
  })
  return { status, out, error }
}

/** A server of the test's own, on a free loopback port. */
export async function serve(t: TestContext, onRequest: RequestListener): Promise<string> {
  const server = createServer(onRequest)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An origin where nothing listens. */
export async function silentOrigin(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => {
    server.close(resolve)
  })
  return `http://127.0.0.1:${port}`
}
