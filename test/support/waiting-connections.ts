import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { makeDeployment } from './deployment.ts'
import { startService } from './service-process.ts'

/** Sends a request. Resolves with the status line, or what ended the connection before one. */
function request(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
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
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'))
  const connected = Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const outcomes = sockets.map(request)
  // The kernel completes them while the process is stopped.
  await connected
  service.signal('SIGTERM')
  service.signal('SIGCONT')
  const found = await Promise.all(outcomes)
  await service.ended
  return found
}
