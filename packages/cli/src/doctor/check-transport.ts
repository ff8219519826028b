import { isLoopbackHost } from '@public-api/contract/http/host-name'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { UnreachableError } from '../verifying/requests.ts'
import type { Check } from './check.ts'

/** Checks TLS and headers that reveal too much. */
export const checkTransport: Check = async ({ observed, probe }, report) => {
  for (const { response, where } of observed) {
    const server = response.field('Server')
    const powered = response.field('X-Powered-By')
    if (server !== undefined && /\d/.test(server))
      report('server-version', where, `Server: ${server}`)
    if (powered !== undefined) report('server-version', where, `X-Powered-By: ${powered}`)
    // The value may help an attacker.
    if (response.field('Set-Cookie') !== undefined) report('cookie', where, 'Set-Cookie')
  }
  const { protocol, hostname, port, host } = new URL(probe.origin)
  if (protocol === 'http:') {
    if (!isLoopbackHost(hostname)) report('plain-http', probe.origin, 'http')
    return undefined
  }
  // With an explicit port, the port for plain http is unknown.
  if (port !== '') return undefined
  const origin = `http://${host}`
  try {
    const { status, field } = await probe.ask({ method: 'GET', target: BASE_PATH, origin })
    const location = field('Location') ?? ''
    const isRedirected = status >= 301 && status <= 308 && location.startsWith('https://')
    if (!isRedirected && status < 400) report('http-not-redirected', origin, `status ${status}`)
  } catch (error) {
    // Without a listener for plain http, nothing is exposed.
    if (!(error instanceof UnreachableError)) throw error
  }
  return undefined
}
