import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { makeDeployment } from './deployment.ts'
import { startService } from './service-process.ts'

/** How long the kernel gets to complete connections to a stopped process. */
const CONNECT_MS = 300

/** Sends a request over a new connection. Resolves with the status line, or what ended the connection before one. */
function request(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text
      if (received.includes('\r\n')) resolve(received.slice(0, received.indexOf('\r\n')))
    })
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'error'))
    socket.on('close', () => resolve('closed'))
    socket.write('GET /api/v1/time HTTP/1.1\r\nHost: a\r\n\r\n')
  })
}

/** Stops a service while connections, each with a request, wait to be accepted. Returns what each client got. */
export async function stopWithWaiting(
  t: TestContext,
  count: number,
  env: { readonly [name: string]: string } = {},
): Promise<readonly string[]> {
  const service = startService(t, makeDeployment(t).folder, env)
  const { port } = await service.serving()
  service.signal('SIGSTOP')
  const outcomes = Array.from({ length: count }, () => request(port))
  await delay(CONNECT_MS)
  service.signal('SIGTERM')
  service.signal('SIGCONT')
  const found = await Promise.all(outcomes)
  await service.ended
  return found
}
