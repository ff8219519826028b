import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { createCertificate } from './certificate.ts'
import { closeServer } from './loopback-server.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A server with TLS whose response never ends: it sends a byte every 20 ms. `certificate` is its own authority. */
export async function serveDripping(t: TestContext) {
  const { certificate, key } = createCertificate(temporaryFolder(t))
  const observed = { requests: 0, closed: 0 }
  const server = createServer(
    { cert: readFileSync(certificate), key: readFileSync(key) },
    (_request, response) => {
      observed.requests += 1
      response.writeHead(200, { 'Content-Type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => {
        observed.closed += 1
        clearInterval(timer)
      })
    },
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => closeServer(server))
  const { port } = server.address() as AddressInfo
  return { origin: `https://localhost:${port}`, certificate, observed }
}
