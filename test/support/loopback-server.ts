import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** A server of the test's own, on a free loopback port. */
export async function serve(t: TestContext, onRequest: RequestListener): Promise<string> {
  const server = createServer(onRequest)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  t.after(() => closeServer(server))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
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
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => {
    server.close(resolve)
  })
  return `http://127.0.0.1:${port}`
}
