import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import type { TestScope } from './test-scope.ts'

/** A server of the test's own, on a free loopback port. */
export async function serve(t: TestScope, onRequest: RequestListener): Promise<string> {
  const server = createServer(onRequest)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => closeServer(server))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A server of connections on a free loopback port, which is returned; errors of its connections are of no interest. */
export async function serveTcp(
  t: TestScope,
  onConnection: (socket: Socket) => void = () => {},
): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    onConnection(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

/** Stops a server and closes its connections. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => {
    server.close(resolve)
  })
  server.closeAllConnections()
  await closed
}

/** An origin without a listener. */
export async function silentOrigin(): Promise<string> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => {
    server.close(resolve)
  })
  return `http://127.0.0.1:${port}`
}
